import { Dice } from '../../test/support/dice.ts';
import { mutantsOf, type Mutant } from './mutate.ts';

/** A source file by its path from the root, with forward slashes. */
export interface Source {
  file: string;
  text: string;
}

export interface Pick extends Source {
  mutant: Mutant;
}

/**
 * Picks lines at random, and in each of them one mutant. All lines that have any come, each once, in an order that the seed and the sources give.
 *
 * @param seed any whole number; the same one gives the same picks for the same sources, in whatever order these come
 */
export function* picks(sources: Source[], seed: number): Generator<Pick> {
  const dice = new Dice(seed);
  const sorted = sources.toSorted((one, other) => (one.file < other.file ? -1 : 1));
  const lines = sorted.flatMap((source) => [...byLine(source)].map((mutants) => ({ source, mutants })));
  while (lines.length > 0) {
    const at = dice.whole(0, lines.length - 1);
    const [line] = lines.splice(at, 1);
    if (line !== undefined) yield { ...line.source, mutant: dice.one(line.mutants) };
  }
}

const byLine = ({ text }: Source): Iterable<Mutant[]> => Map.groupBy(mutantsOf(text), ({ line }) => line).values();
