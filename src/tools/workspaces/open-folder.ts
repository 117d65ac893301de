import { closeSync, constants, existsSync, fstatSync, lstatSync, openSync, read, readlinkSync } from 'node:fs';
import type { BigIntStats, Dir } from 'node:fs';
import { opendir } from 'node:fs/promises';
import { promisify } from 'node:util';

/** No part of a path may be a link, on macOS 11 and later (open(2)). */
const noLinkAnywhere = 0x2000_0000;
const noLink = constants.O_NOFOLLOW | (process.platform === 'darwin' ? noLinkAnywhere : 0);

const readPart = promisify(read);

/**
 * A folder that is open, so that it is this one whatever is put in its place meanwhile. On Linux what is in it is reached
 * through it (`/proc/self/fd`, proc(5)), on macOS by paths of which no part may be a link. No link is followed.
 */
export class OpenFolder {
  readonly stats: BigIntStats;
  readonly #fd: number;
  readonly #path: string;

  /** @throws `Error` of the system, also for a link */
  constructor(path: string) {
    this.#fd = openSync(path, constants.O_RDONLY | constants.O_DIRECTORY | noLink);
    const own = `/proc/self/fd/${this.#fd}`;
    this.#path = existsSync(own) ? own : path;
    this.stats = fstatSync(this.#fd, { bigint: true });
  }

  /** What is in it, a part at a time, since there may be millions. */
  entries(): Promise<Dir> {
    return opendir(this.#at('.'), { bufferSize: 512 });
  }

  below(names: string[]): OpenFolder {
    let folder = new OpenFolder(this.#at('.'));
    for (const name of names) {
      const above = folder;
      try {
        folder = new OpenFolder(above.#at(name));
      } finally {
        above.close();
      }
    }
    return folder;
  }

  statsOf(name: string): BigIntStats {
    return lstatSync(this.#at(name), { bigint: true });
  }

  target(link: string): string {
    return readlinkSync(this.#at(link));
  }

  /** The content of a file; undefined if it is none, has become too large, or changes while it is read. */
  async read(name: string, maxBytes: number): Promise<{ content: Uint8Array; stats: BigIntStats } | undefined> {
    // Without blocking, in case that a fifo has taken the place of the file.
    const fd = openSync(this.#at(name), constants.O_RDONLY | constants.O_NONBLOCK | noLink);
    try {
      const stats = fstatSync(fd, { bigint: true });
      if (!stats.isFile() || stats.size > BigInt(maxBytes)) return undefined;
      const content = new Uint8Array(Number(stats.size));
      for (let at = 0; at < content.length;) {
        const { bytesRead } = await readPart(fd, content, at, content.length - at, null);
        if (bytesRead === 0) return undefined;
        at += bytesRead;
      }
      return statKey(stats) === statKey(fstatSync(fd, { bigint: true })) ? { content, stats } : undefined;
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

/** What no other folder has while this one exists. */
export const identityOf = ({ dev, ino }: BigIntStats): string => `${dev}:${ino}`;

/** What tells that a file was changed. The time of the last change of its state cannot be set by anyone (utimensat(2)). */
export const statKey = ({ ctimeNs, ino, mode, mtimeNs, size }: BigIntStats): string =>
  `${size}:${mtimeNs}:${ctimeNs}:${ino}:${mode}`;
