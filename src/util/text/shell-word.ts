import { printable } from './printable.ts';

/** A word as it must be typed in a shell, quoted where necessary. */
export function shellWord(word: string): string {
  return /^[\w.:/@-]+$/.test(word) ? word : `'${printable(word).replaceAll("'", `'\\''`)}'`;
}
