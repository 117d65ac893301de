import { grouped } from './file-limits.ts';

/** How many characters of the beginning and of the end of an output are kept, if it is longer than both. */
const first = 500_000;
const last = 400_000;

/** What a program prints, kept whole up to 900,000 characters and beyond that without its middle. */
export class Output {
  readonly #decoders = new Map<string, InstanceType<typeof TextDecoder>>();
  #beginning = '';
  #end = '';
  #left = 0;
  bytes = 0;

  /** @param stream each of several has characters of its own, which may be cut in two between parts */
  add(stream: string, part: Uint8Array): void {
    this.bytes += part.length;
    const decoder = this.#decoders.get(stream) ?? new TextDecoder();
    this.#decoders.set(stream, decoder);
    const text = decoder.decode(part, { stream: true });
    const spaceLeft = Math.max(0, first - this.#beginning.length);
    this.#beginning += text.slice(0, spaceLeft);
    this.#end += text.slice(spaceLeft);
    // It is not cut with each part, which would copy it each time.
    if (this.#end.length > 2 * last) this.#cut();
  }

  tail(length: number): string {
    return this.#end.length >= length ? this.#end.slice(-length) : (this.#beginning + this.#end).slice(-length);
  }

  /** All of it, with a line in the place of what was left out. */
  text(): string {
    this.#cut();
    if (this.#left === 0) return this.#beginning + this.#end;
    return `${this.#beginning}\n[… ${grouped(this.#left)} characters were left out here]\n${this.#end}`;
  }

  #cut(): void {
    const over = this.#end.length - last;
    if (over <= 0) return;
    this.#left += over;
    this.#end = this.#end.slice(over);
  }
}
