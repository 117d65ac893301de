import type { FromPython, PythonFile } from './reader.ts';
import type { FileMode } from '../workspace.ts';

/** So many parts of an output are passed on as they come, so that they are there if the code is ended. Then they wait. */
const prompt = 2000;
const waitMs = 50;
const waitLength = 20_000;

export class Output {
  readonly #post: (news: FromPython) => void;
  #pending: Buffer[] = [];
  #waiting = 0;
  #bytes = 0;
  #posts = 0;
  #postedAt = 0;

  constructor(post: (news: FromPython) => void) {
    this.#post = post;
  }

  write(bytes: Uint8Array): void {
    const part = Buffer.from(bytes);
    this.#bytes += part.length;
    if (this.#bytes > 20_000_000) {
      this.flush();
      return this.#post({ end: 'broken', problem: 'it had printed more than 20 MB' });
    }
    this.#pending.push(part);
    this.#waiting += part.length;
    const isDue = this.#posts < prompt || this.#waiting > waitLength || performance.now() - this.#postedAt > waitMs;
    if (isDue) this.flush();
  }

  flush(): void {
    if (this.#waiting === 0) return;
    // A small buffer shares its memory with others, all of which would be passed on.
    this.#post({ output: new Uint8Array(Buffer.concat(this.#pending)) });
    [this.#pending, this.#waiting] = [[], 0];
    this.#posts += 1;
    this.#postedAt = performance.now();
  }
}

/** How many bytes, and how many files, are passed on at most, how many bytes at once, and how many notes. */
const mostBytes = 200_000_000;
const mostFiles = 20_000;
const atOnce = 4_000_000;
const mostNotes = 20;

/** Passes on the files that code has made, changed or removed below `/workspace`. */
export class Changes {
  readonly #post: (news: FromPython) => void;
  readonly #gone: string[] = [];
  readonly #notes: string[] = [];
  #unnamed = 0;
  #files: PythonFile[] = [];
  #waiting = 0;
  #bytes = 0;
  #count = 0;

  constructor(post: (news: FromPython) => void) {
    this.#post = post;
  }

  found(place: string, mode: FileMode | undefined, content: Uint8Array | string): void {
    const path = inside(place);
    // A control character becomes six, and a note has at most a thousand.
    const shown = JSON.stringify(path.slice(0, 150));
    if (mode === undefined) return this.#note(`${shown} is no file`);
    const size = content.length;
    this.#count += 1;
    if (this.#bytes + size > mostBytes || this.#count > mostFiles) {
      return this.#note(`${shown} is too much: a call may change ${mostFiles} files and ${mostBytes} bytes`);
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

  /** There may be more files than the thread has memory for their notes. */
  #note(text: string): void {
    if (this.#notes.length < mostNotes) this.#notes.push(text);
    else this.#unnamed += 1;
  }

  #flush(): void {
    if (this.#files.length > 0) this.#post({ files: this.#files });
    [this.#files, this.#waiting] = [[], 0];
  }
}

const inside = (place: unknown): string => String(place).slice('/workspace/'.length);

/** A copy of the content; of a link, where it leads to from its own folder. */
function bytesOf(content: Uint8Array | string, path: string): Uint8Array {
  if (typeof content !== 'string') {
    const copy = new Uint8Array(content.length);
    copy.set(content);
    return copy;
  }
  if (!content.startsWith('/workspace/')) return new TextEncoder().encode(content);
  const up = '../'.repeat(path.split('/').length - 1);
  return new TextEncoder().encode(up + inside(content));
}
