import { placesOf, wordsOf, type Asked, type Span, type Word } from './asked.ts';
import { isNaming, type Column, type Table } from './tables.ts';

/** Where a question names a column. */
export interface Mention extends Span {
  column: Column;
}

/** A value of a column that a question names. */
export interface NamedValue extends Span {
  column: Column;
  value: string;
}

/** Where a question names columns, in order; what could be two columns is the one with the longer name. */
export function mentionsIn(asked: Asked, { columns }: Table): Mention[] {
  const { words } = asked;
  const all = columns.flatMap((column) =>
    placesOf(column.stems, words).map((place) => ({ column, ...spanOf(place) })),
  );
  return apart(all);
}

/**
 * Where a question names values of columns. Short ones and those of common words (`IT`, `no`) only count as they are
 * written.
 */
export function valuesIn(asked: Asked, { columns }: Table): NamedValue[] {
  const { words } = asked;
  const all = columns
    .filter(isNaming)
    .flatMap((column) =>
      column.values.flatMap((value) =>
        placesOfValue(value, words).map((place) => ({ column, value, ...spanOf(place) })),
      ),
    );
  return apart(all);
}

function placesOfValue(value: string, words: Word[]): Word[][] {
  const own = wordsOf(value);
  const isShort = value.length <= 3;
  return placesOf(
    own.map((word) => word.stem),
    words,
  ).filter((place) => !isShort || place.map(({ text }) => text).join(' ') === value);
}

const spanOf = (place: Word[]): Span => ({ start: place[0]?.start ?? 0, end: place.at(-1)?.end ?? 0 });

/** Those that do not lie in one another: of two the longer one, of equals the first. */
function apart<T extends Span>(spans: T[]): T[] {
  const kept: T[] = [];
  for (const span of spans.toSorted((one, other) => lengthOf(other) - lengthOf(one))) {
    if (kept.every(({ start, end }) => span.end <= start || end <= span.start)) kept.push(span);
  }
  return kept.sort((one, other) => one.start - other.start);
}

const lengthOf = ({ start, end }: Span): number => end - start;
