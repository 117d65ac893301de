import { createInterface } from 'node:readline';
import { canPrompt, readLine } from '../questions/read-line.ts';

/** Where a person's lines come from, one for each turn. */
export interface Lines {
  /** The next line; nothing when there are no more, `interrupt` at Ctrl-C. */
  next(): Promise<{ line: string } | 'interrupt' | undefined>;
}

/** Lines as they are typed on the terminal, or as they come by standard input. */
export function openLines(): Lines {
  return canPrompt() ? new TypedLines() : new PipedLines();
}

class TypedLines implements Lines {
  readonly #pasted: string[] = [];
  readonly #earlier: string[] = [];

  async next() {
    const pasted = this.#pasted.shift();
    if (pasted !== undefined) return { line: pasted };
    const entered = await readLine('> ', { history: this.#earlier });
    if (entered.kind === 'interrupt') return entered.kind;
    if (entered.kind !== 'line') return undefined;
    this.#pasted.push(...entered.more);
    if (entered.text.trim() !== '') this.#earlier.unshift(entered.text);
    return { line: entered.text };
  }
}

class PipedLines implements Lines {
  // Lines that come before they are asked for are kept only by an iterator that is there already.
  readonly #lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]();

  async next() {
    const { done, value } = await this.#lines.next();
    return done ? undefined : { line: value };
  }
}
