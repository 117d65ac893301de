import { closeSync, constants, existsSync, fstatSync, lstatSync, opendirSync, openSync } from 'node:fs';
import { readlinkSync, readSync, type BigIntStats } from 'node:fs';

/** No part of a path may be a link, on macOS 11 and later (open(2)). */
const noLinkAnywhere = 0x2000_0000;
const noLink = constants.O_NOFOLLOW | (process.platform === 'darwin' ? noLinkAnywhere : 0);

/**
 * A folder that is open, so that it is this one whatever is put in its place meanwhile. On Linux what is in it is reached
 * through it (`/proc/self/fd`, proc(5)), on macOS by paths of which no part may be a link. No link is followed.
 */
export class OpenFolder {
  readonly #fd: number;
  readonly #path: string;

  /** @throws `Error` of the system, also for a link */
  constructor(path: string) {
    this.#fd = openSync(path, constants.O_RDONLY | constants.O_DIRECTORY | noLink);
    const own = `/proc/self/fd/${this.#fd}`;
    this.#path = existsSync(own) ? own : path;
  }

  /** Uses a folder in this one. */
  within<T>(name: string, use: (folder: OpenFolder) => T): T {
    return withFolder(this.#at(name), use);
  }

  /** The number of the file system. */
  get device(): bigint {
    return fstatSync(this.#fd, { bigint: true }).dev;
  }

  /** What no other folder has while this one exists. */
  get identity(): string {
    return identityOf(fstatSync(this.#fd, { bigint: true }));
  }

  /** The names in it, a part at a time, since there may be millions. */
  *names(): Generator<string> {
    const all = opendirSync(`${this.#path}/.`, { bufferSize: 512 });
    try {
      for (let entry = all.readSync(); entry !== null; entry = all.readSync()) yield entry.name;
    } finally {
      all.closeSync();
    }
  }

  stats(name: string): BigIntStats {
    return lstatSync(this.#at(name), { bigint: true });
  }

  target(link: string): string {
    return readlinkSync(this.#at(link));
  }

  /** The content of a file; undefined if it is none, or has become too large. */
  read(name: string, mostBytes: number): { content: Uint8Array; stats: BigIntStats } | undefined {
    // Without blocking, in case that a fifo has taken the place of the file.
    const fd = openSync(this.#at(name), constants.O_RDONLY | constants.O_NONBLOCK | noLink);
    try {
      const stats = fstatSync(fd, { bigint: true });
      if (!stats.isFile() || stats.size > BigInt(mostBytes)) return undefined;
      const content = new Uint8Array(Number(stats.size));
      let read = 0;
      while (read < content.length) {
        const more = readSync(fd, content, read, content.length - read, null);
        if (more === 0) break;
        read += more;
      }
      return { content: content.subarray(0, read), stats };
    } finally {
      closeSync(fd);
    }
  }

  close(): void {
    closeSync(this.#fd);
  }

  #at(name: string): string {
    return `${this.#path}/${name}`;
  }
}

/** Opens a folder, and closes it after its use. */
export function withFolder<T>(path: string, use: (folder: OpenFolder) => T): T {
  const folder = new OpenFolder(path);
  try {
    return use(folder);
  } finally {
    folder.close();
  }
}

/** What no other folder has while this one exists. */
export const identityOf = ({ dev, ino }: BigIntStats): string => `${dev}:${ino}`;
