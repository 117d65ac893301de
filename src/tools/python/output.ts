import { StringDecoder } from 'node:string_decoder';
import type { FromPython } from './messages.ts';

/** How many characters of an output are kept of its beginning, and how many of its end. */
export const keptFirst = 700_000;
const keptLast = 200_000;

/** So many parts of an output are passed on as they come, so that they are there if the code is ended. Then they wait. */
const prompt = 2000;
const waitMs = 50;
const waitLength = 20_000;

/** Passes on what code prints, however much it is: the beginning at once, of the rest only the end, when it is closed. */
export class Output {
  readonly #post: (news: FromPython) => void;
  readonly #decoder = new StringDecoder('utf8');
  #pending = '';
  #posts = 0;
  #postedAt = 0;
  #room = keptFirst;
  #last = '';
  #left = 0;

  constructor(post: (news: FromPython) => void) {
    this.#post = post;
  }

  write(bytes: Uint8Array): void {
    const text = this.#decoder.write(Buffer.from(bytes));
    const first = text.slice(0, this.#room);
    this.#room -= first.length;
    this.#pending += first;
    if (first.length < text.length) this.#keepLast(text.slice(first.length));
    const isDue =
      this.#posts < prompt || this.#pending.length > waitLength || performance.now() - this.#postedAt > waitMs;
    if (isDue) this.#flush();
  }

  close(): void {
    this.#flush();
    const left = this.#left - Math.min(this.#last.length, keptLast);
    if (this.#left > 0) this.#post({ left, last: this.#last.slice(-keptLast) });
  }

  #keepLast(text: string): void {
    this.#left += text.length;
    this.#last += text.slice(-keptLast);
    if (this.#last.length > 2 * keptLast) this.#last = this.#last.slice(-keptLast);
  }

  #flush(): void {
    if (this.#pending === '') return;
    this.#post({ output: this.#pending });
    this.#pending = '';
    this.#posts += 1;
    this.#postedAt = performance.now();
  }
}
