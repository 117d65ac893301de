import type { Asked } from './asked.ts';
import type { Mention } from './mentions.ts';
import { isNumeric, type Column } from './tables.ts';

/** A function of `query_table`. */
export type FunctionName = 'sum' | 'mean' | 'min' | 'max' | 'count' | 'median' | 'count_distinct';

export interface Measure {
  function: FunctionName;
  column?: string;
}

export type Extreme = 'highest' | 'lowest';

/** What a question asks for in the words of functions, before it is known of which column. */
export interface Functions {
  /** The first that is named, those first that say most; undefined: none but perhaps an extreme. */
  name: FunctionName | undefined;
  extreme: Extreme | undefined;
  /** Whether it is the most or the fewest, which are of sums and counts: `sold the most units`. */
  isOfAll: boolean;
  /** Where the first of their words ends: the column is the next one that is named. */
  end: number;
}

const functions: Array<[name: FunctionName, words: RegExp]> = [
  ['count_distinct', /\b(?:how many|number of|count of)(?: the)? (?:different|distinct|unique)\b/i],
  ['count', /\b(?:how many|number of|count of|how often|(?:most|least) (?:often|frequently))\b/i],
  ['mean', /\b(?:average|mean)\b/i],
  ['median', /\bmedian\b/i],
  ['sum', /\b(?:total|sum|altogether|combined|in all|how much)\b/i],
];

const extremes: Array<[name: Extreme, words: RegExp]> = [
  ['highest', /\b(?:highest|largest|greatest|biggest|maximum|max|most)\b/i],
  ['lowest', /\b(?:lowest|smallest|minimum|min|least|fewest)\b/i],
];

/** Takes all words of functions from a question. */
export function functionsIn(asked: Asked): Functions {
  const ofAll = /\b(?:most|least|fewest)\b/i.test(asked.open);
  const place = Math.min(
    ...[...functions, ...extremes].map(([, words]) => words.exec(asked.open)?.index ?? Infinity),
  );
  const extreme = extremes.find(([, words]) => words.test(asked.open))?.[0];
  const name = functions.find(([, words]) => words.test(asked.open))?.[0];
  // A total number of rows is their number.
  for (const [, words] of functions) while (asked.takeMatch(words) !== undefined);
  for (const [, words] of extremes) while (asked.takeMatch(words) !== undefined);
  return { name, extreme, isOfAll: ofAll, end: place };
}

/**
 * What is to be computed: the number of numbers is their sum (`how many units`), that of texts how many different ones
 * there are, and without a column it is that of the rows.
 *
 * @param mentions columns that have no other place in the question
 * @returns undefined where the function needs a column and none is named
 */
export function measureOf({ end, isOfAll, name }: Functions, mentions: Mention[]): Measure | undefined {
  const column = nextColumn(end, mentions);
  const wanted = name ?? (isOfAll ? 'count' : undefined);
  if (wanted === 'count') {
    if (column === undefined) return { function: 'count' };
    return { function: isNumeric(column) ? 'sum' : 'count_distinct', column: column.name };
  }
  if (wanted === undefined || column === undefined) return undefined;
  if (wanted !== 'count_distinct' && !isNumeric(column)) return undefined;
  return { function: wanted, column: column.name };
}

function nextColumn(end: number, mentions: Mention[]): Column | undefined {
  return (mentions.find(({ start }) => start >= end) ?? mentions.at(-1))?.column;
}

const names: Record<FunctionName, string> = {
  sum: 'sum',
  mean: 'mean',
  min: 'lowest value',
  max: 'highest value',
  median: 'median',
  count: 'number',
  count_distinct: 'number of different values',
};

/** A measure in words: `sum of revenue`. */
export const measureInWords = ({ column = 'rows', function: name }: Measure): string =>
  `${names[name]} of ${column}`;

/** The column of the result that holds a measure: `sum(revenue)`. */
export const measureColumn = ({ column, function: name }: Measure): string =>
  column === undefined ? name : `${name}(${column})`;
