/** How many requests one holder of a token may make: so many at once, and so many a second after that. */
export interface Rate {
  burst: number;
  perSecond: number;
}

/** How many holders are remembered, so that nobody fills the memory by inventing them. */
const mostKeys = 10_000;

/** Counts requests by whoever makes them, as a bucket that fills again. */
export class Rates {
  readonly #rate: Rate;
  readonly #buckets = new Map<string, { left: number; at: number }>();

  constructor(rate: Rate) {
    this.#rate = rate;
  }

  /** Takes one request. @param now in milliseconds @returns after how many seconds it may be made again; 0: it is taken */
  take(key: string, now = performance.now()): number {
    const { burst, perSecond } = this.#rate;
    const { at, left } = this.#buckets.get(key) ?? { left: burst, at: now };
    const full = Math.min(burst, left + ((now - at) / 1000) * perSecond);
    // Whoever was used last stands last, and goes last where there are too many.
    this.#buckets.delete(key);
    this.#buckets.set(key, { left: Math.max(0, full - 1), at: now });
    const [oldest] = this.#buckets.keys();
    if (this.#buckets.size > mostKeys && oldest !== undefined) this.#buckets.delete(oldest);
    return full >= 1 ? 0 : Math.ceil((1 - full) / perSecond);
  }
}
