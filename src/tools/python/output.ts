import type { FromPython } from './reader.ts';

/** So many parts of an output are passed on as they come, so that they are there if the code is ended. Then they wait. */
const prompt = 2000;
const waitMs = 50;
const waitLength = 20_000;

/** How many bytes code may print before it is ended. */
const mostBytes = 20_000_000;

/** Passes on what code prints. */
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
    if (this.#bytes > mostBytes) {
      this.flush();
      return this.#post({ end: 'broken', problem: `it had printed more than ${mostBytes / 1_000_000} MB` });
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
