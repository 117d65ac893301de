import type { FromPython, PythonFile } from './reader.ts';
import type { FileMode } from '../workspace.ts';

/** How many bytes, and how many files, are passed on at most, and how many bytes at once. */
const mostBytes = 200_000_000;
const mostFiles = 20_000;
const atOnce = 4_000_000;

/** How many files that are not kept are named. */
const mostNotes = 20;

/** Passes on the files that code has made, changed or removed below `/workspace`. */
export class Changes {
  readonly #post: (news: FromPython) => void;
  #files: PythonFile[] = [];
  #waiting = 0;
  #bytes = 0;
  #count = 0;
  readonly #gone: string[] = [];
  readonly #notes: string[] = [];
  #unnamed = 0;

  constructor(post: (news: FromPython) => void) {
    this.#post = post;
  }

  /** @param place its whole path @param mode undefined if it is neither a file nor a link */
  found(place: string, mode: FileMode | undefined, content: Uint8Array | string): void {
    const path = inside(place);
    if (mode === undefined) return this.#note(`${shown(path)} is no file`);
    const size = content.length;
    this.#count += 1;
    if (this.#bytes + size > mostBytes || this.#count > mostFiles) {
      return this.#note(`${shown(path)} is too much: a call may change ${mostFiles} files and ${mostBytes} bytes`);
    }
    this.#bytes += size;
    this.#files.push({ path, mode, bytes: bytesOf(content, path) });
    this.#waiting += size;
    if (this.#waiting >= atOnce || this.#files.length >= 1000) this.#flush();
  }

  gone(place: string): void {
    this.#gone.push(inside(place));
  }

  close(): void {
    this.#flush();
    if (this.#unnamed > 0) this.#notes.push(`${this.#unnamed} more`);
    this.#post({ gone: this.#gone, notes: this.#notes });
  }

  #note(text: string): void {
    if (this.#notes.length < mostNotes) this.#notes.push(text);
    else this.#unnamed += 1;
  }

  #flush(): void {
    if (this.#files.length > 0) this.#post({ files: this.#files });
    this.#files = [];
    this.#waiting = 0;
  }
}

const inside = (place: unknown): string => String(place).slice('/workspace/'.length);

const shown = (path: string): string => JSON.stringify(path.slice(0, 200));

/** A copy of the content; of a link, where it leads to from its own folder. */
function bytesOf(content: Uint8Array | string, path: string): Uint8Array {
  if (typeof content !== 'string') {
    const copy = new Uint8Array(content.length);
    copy.set(content);
    return copy;
  }
  if (!content.startsWith('/workspace/')) return new TextEncoder().encode(content);
  const up = '../'.repeat(path.split('/').length - 1);
  return new TextEncoder().encode(`${up}${content.slice('/workspace/'.length)}`);
}
