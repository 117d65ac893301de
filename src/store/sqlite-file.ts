import { statSync } from 'node:fs';

/**
 * The file of the store is not what it was when it was opened, or can be neither read nor written. Work waits for it: an
 * operator may bring it back.
 */
export class StoreFileError extends Error {
  override name = 'StoreFileError';
}

/** Results of SQLite by https://sqlite.org/rescode.html: READONLY, CORRUPT, NOTADB. */
const troubles: Record<number, string> = {
  8: 'cannot be written: make it and its folder writable (or mount the disk so) for the user of the worker',
  11: 'is damaged: end the workers, and put back a copy of it, or what `sqlite3 FILE .recover` saves',
  26: 'is damaged, or no store at all: end the workers, and put back a copy of it',
};

/** The file of an open SQLite store, which SQLite itself goes on using when it is deleted or replaced. */
export class StoreFile {
  readonly #path: string;
  readonly #opened: string | undefined;

  /** @param path of a file that is open */
  constructor(path: string) {
    this.#path = path;
    this.#opened = inodeOf(path);
  }

  /** @throws `StoreFileError` where the path leads to another file by now, or to none: what is written would be lost */
  assertSame(): void {
    const present = inodeOf(this.#path);
    if (present === this.#opened) return;
    const what = present === undefined ? 'was deleted or moved away' : 'was replaced by another file';
    throw new StoreFileError(
      `The store ${this.#path} ${what} while this worker ran. Put the old one back and all goes on; ` +
        'if it is lost, end the workers: runs that have begun on it cannot go on without it',
    );
  }

  /** An error of SQLite that says which file it is about, and what to do; other errors as they are. */
  explained(error: unknown, result: number): unknown {
    const trouble = troubles[result];
    return trouble === undefined
      ? error
      : new StoreFileError(`The store ${this.#path} ${trouble} (${(error as Error).message})`, { cause: error });
  }
}

function inodeOf(path: string): string | undefined {
  const stats = statSync(path, { bigint: true, throwIfNoEntry: false });
  return stats && `${stats.dev}/${stats.ino}`;
}
