import { compare } from './conditions.ts';

/** Numbers before texts, and what is empty last, whichever the direction. */
export function inOrder<T>(
  rows: T[],
  descending = false,
  cell: (row: T) => string,
  amount: (row: T) => number | undefined,
): T[] {
  const keyed = rows.map((row) => ({ row, text: cell(row).toLowerCase(), amount: amount(row) }));
  const rank = (key: (typeof keyed)[number]): number =>
    key.text === '' ? 2 : Number(key.amount === undefined);
  const direction = descending ? -1 : 1;
  return keyed
    .sort((one, other) => {
      if (rank(one) !== rank(other)) return rank(one) - rank(other);
      return direction * ((one.amount ?? 0) - (other.amount ?? 0) || compare(one.text, other.text));
    })
    .map(({ row }) => row);
}
