/** Chance that can be had again by its seed (mulberry32). */
export class Dice {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** From 0 to less than 1. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = this.#state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  /** A whole number, both ends included. */
  whole(from: number, to: number): number {
    return from + Math.floor(this.next() * (to - from + 1));
  }

  chance(share: number): boolean {
    return this.next() < share;
  }

  one<T>(choices: readonly T[]): T {
    return choices[this.whole(0, choices.length - 1)] as T;
  }

  /** One of these by their weights. */
  weighted<T>(choices: ReadonlyArray<readonly [weight: number, choice: T]>): T {
    let left = this.next() * choices.reduce((sum, [weight]) => sum + weight, 0);
    for (const [weight, choice] of choices) if ((left -= weight) < 0) return choice;
    return choices[0]?.[1] as T;
  }

  many<T>(from: number, to: number, make: (index: number) => T): T[] {
    return Array.from({ length: this.whole(from, to) }, (_, index) => make(index));
  }

  /** Made-up words: ideas of them are not similar by chance. */
  words(from: number, to: number): string {
    return this.many(from, to, () => this.many(2, 4, () => this.one(syllables)).join('')).join(' ');
  }
}

const vowels = ['a', 'e', 'i', 'o', 'u'];
const syllables = 'b d f g k l m n p r s t v z'
  .split(' ')
  .flatMap((consonant) => vowels.map((vowel) => consonant + vowel));
