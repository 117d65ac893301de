import type { Asked } from './asked.ts';
import { valuesIn, type Mention, type NamedValue } from './mentions.ts';
import { isDate, isNumeric, yesAndNo, type Column, type Table } from './tables.ts';

/** A condition of `query_table`. */
export interface Filter {
  column: string;
  is: '=' | '!=' | '<' | '<=' | '>' | '>=' | 'contains';
  value: string | number;
}

/** Words of comparison, those first that hold others. */
const comparisons: Array<[words: string, is: Filter['is']]> = [
  ['no less than|not less than|at least', '>='],
  ['no more than|not more than|at most|up to', '<='],
  ['more than|greater than|higher than|larger than|over|above|exceeding|exceeds?', '>'],
  ['less than|lower than|smaller than|fewer than|under|below', '<'],
];

const dateComparisons: Array<[words: string, is: Filter['is']]> = [
  ['before', '<'],
  ['after', '>'],
  ['since|from', '>='],
  ['until|up to', '<='],
  ['on', '='],
];

const amount = String.raw`[€$£]?(\d[\d,]*(?:\.\d+)?)(?![\d-])`;
const day = String.raw`(\d{4}-\d{2}-\d{2})`;
const months = 'January|February|March|April|May|June|July|August|September|October|November|December';
const negation = /\b(?:not|except|excluding|without|other than|outside)(?=(?:\s+\w+){0,2}\s*$)/i;

/** How far from a number its column may be named, in characters between them. */
const near = 20;

/** Conditions on values that the question names, and on dates. Several values of one column are left to `groupsIn`. */
export function valueFilters(asked: Asked, table: Table): { where: Filter[]; compared: NamedValue[] } {
  const named = valuesIn(asked, table);
  const isAlone = ({ column }: NamedValue): boolean =>
    named.filter((other) => other.column === column).length === 1;
  const where = named.filter(isAlone).map((each): Filter => {
    const is = takeNegation(asked, each.start) ? '!=' : '=';
    return { column: each.column.name, is, value: each.value };
  });
  for (const each of named) asked.take(each);
  const date = table.columns.find(isDate);
  return {
    where: [...where, ...(date === undefined ? [] : dateFilters(asked, date))],
    compared: named.filter((each) => !isAlone(each)),
  };
}

function dateFilters(asked: Asked, { name }: Column): Filter[] {
  const filters: Filter[] = [];
  for (const [words, is] of dateComparisons) {
    const value = asked.takeMatch(new RegExp(String.raw`\b(?:${words})\s+${day}`, 'i'))?.[1];
    if (value !== undefined) filters.push({ column: name, is, value });
  }
  const month = asked.takeMatch(
    new RegExp(String.raw`\b(?:in|during|for|of)\s+(${months})(?:,?\s+(\d{4}))?\b`),
  );
  if (month !== undefined) {
    const number = String(months.split('|').indexOf(month[1] ?? '') + 1).padStart(2, '0');
    filters.push({ column: name, is: 'contains', value: `${month[2] ?? ''}-${number}-` });
  }
  const year = asked.takeMatch(/\b(?:in|during|for|of)\s+((?:19|20)\d{2})\b/)?.[1];
  if (year !== undefined) filters.push({ column: name, is: 'contains', value: `${year}-` });
  return filters;
}

/** Conditions on numbers, each with the column that is named beside it. */
export function numberFilters(asked: Asked, mentions: Mention[]): Filter[] {
  const filters: Filter[] = [];
  for (const [words, is] of comparisons) {
    for (;;) {
      const match = new RegExp(String.raw`\b(?:${words})\s+${amount}`, 'i').exec(asked.open);
      const end = (match?.index ?? 0) + (match?.[0].length ?? 0);
      const column = match === null ? undefined : columnBeside(match.index, end, mentions);
      if (match === null || column === undefined) break;
      asked.take({ start: match.index, end });
      filters.push({ column: column.name, is, value: numberOf(match[1] ?? '') });
    }
  }
  return [...filters, ...equalities(asked, mentions)];
}

/** `order 1007`, `quantity of 5`: a number right after its column. */
function equalities(asked: Asked, mentions: Mention[]): Filter[] {
  return mentions.flatMap(({ column, end }): Filter[] => {
    const match = new RegExp(String.raw`^\s+(?:(?:of|is|=|number)\s+)?${amount}`).exec(asked.open.slice(end));
    if (match === null) return [];
    asked.take({ start: end, end: end + match[0].length });
    return [{ column: column.name, is: '=', value: numberOf(match[1] ?? '') }];
  });
}

/** The column right after a number, else the nearest before it. */
function columnBeside(start: number, end: number, mentions: Mention[]): Column | undefined {
  const numbers = mentions.filter(({ column }) => isNumeric(column));
  const after = numbers.find((mention) => mention.start >= end && mention.start - end <= 2);
  const before = numbers.findLast((mention) => mention.end <= start && start - mention.end <= near);
  return (after ?? before)?.column;
}

/** Conditions on columns that say yes or no, where the question names them. */
export function yesFilters(asked: Asked, mentions: Mention[]): Filter[] {
  return mentions.flatMap(({ column, start }): Filter[] => {
    const values = yesAndNo(column);
    if (values === undefined) return [];
    const value = takeNegation(asked, start) ? values.no : values.yes;
    return [{ column: column.name, is: '=', value }];
  });
}

/** Whether a word of negation stands just before a place; it is understood then. */
function takeNegation(asked: Asked, place: number): boolean {
  const match = negation.exec(asked.open.slice(0, place));
  if (match !== null) asked.take({ start: match.index, end: match.index + match[0].length });
  return match !== null;
}

const numberOf = (digits: string): number => Number(digits.replaceAll(',', ''));

/** Conditions in words: `region = North and units > 5`. */
export const inWords = (where: Filter[]): string =>
  where.map(({ column, is, value }) => `${column} ${is} ${value}`).join(' and ');
