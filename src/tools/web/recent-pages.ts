import type { ReadPage } from './content.ts';

/** How many pages are kept, how many characters of them, and for how long in milliseconds. */
const most = 200;
const room = 20_000_000;
const keptMs = 10 * 60_000;

/** The pages that were read last, so that who reads on in a long one gets the parts of the same text, and at once. */
export class RecentPages {
  readonly #pages = new Map<string, { page: ReadPage; at: number }>();
  #size = 0;

  find(place: string): ReadPage | undefined {
    const found = this.#pages.get(place);
    return found !== undefined && performance.now() - found.at < keptMs ? found.page : undefined;
  }

  keep(place: string, page: ReadPage): void {
    this.#drop(place);
    this.#pages.set(place, { page, at: performance.now() });
    this.#size += page.text.length;
    for (const oldest of this.#pages.keys()) {
      if (this.#size <= room && this.#pages.size <= most) break;
      this.#drop(oldest);
    }
  }

  #drop(place: string): void {
    this.#size -= this.#pages.get(place)?.page.text.length ?? 0;
    this.#pages.delete(place);
  }
}
