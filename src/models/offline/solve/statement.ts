import { inWords } from './filters.ts';
import { measureColumn, measureInWords } from './measures.ts';
import type { TableQuestion } from './query.ts';
import { textOf, type QueryResult, type Row, type Table } from './tables.ts';

/** How many values are named. */
const mostValues = 20;

/** What a statement on a part of a question begins with. */
export const openingOn = (part: string): string => `On "${part}": `;

/**
 * What a query's result says, as a sentence with the file and the rows that were looked at; undefined: no row meets the
 * conditions, and the number of them is not what was asked for.
 */
export function statementOf(question: TableQuestion, result: QueryResult, table: Table): string | undefined {
  const { measure, where } = question;
  if (result.matched === 0 && !measure?.function.startsWith('count')) return undefined;
  const value = valueOf(question, result.rows);
  if (value === undefined) return undefined;
  const condition = where.length === 0 ? '' : ` where ${inWords(where)}`;
  const { lookedAt, matched, more, notNumbers } = result;
  const notes = [
    `${table.name}, ${where.length === 0 ? '' : `${matched} of `}${lookedAt} ${lookedAt === 1 ? 'row' : 'rows'}`,
    ...(more > 0 && question.extreme === undefined ? [`${more} more in the result`] : []),
    ...(notNumbers > 0 ? [`${notNumbers} cells without a number left out`] : []),
  ];
  return `the ${subjectOf(question)}${condition} is ${value} (${notes.join('; ')})`;
}

/** The value that a statement on a table gives, without what stands beside it. */
export function valueIn(statement: string): string | undefined {
  return /^On "[^\n]+?": the .+? is (.+?)(?:, with [^,]+)? \(.+, (?:\d+ of )?\d+ rows?\b[^()]*\)$/.exec(
    statement,
  )?.[1];
}

/** The column whose value a statement gives, and the value: what a later question may refer to as `there`. */
export function namedIn(statement: string): { column: string; value: string } | undefined {
  const value = valueIn(statement);
  const column = /": the (\S.*?) with the (?:highest|lowest) /.exec(statement)?.[1];
  return value === undefined || column === undefined ? undefined : { column, value };
}

function subjectOf({ by, extreme, measure, of, target }: TableQuestion): string {
  if (measure !== undefined) {
    const words = measureInWords(measure);
    if (extreme !== undefined) return `${by} with the ${extreme} ${words}`;
    return by === undefined ? words : `${words} by ${by}`;
  }
  return of === undefined ? `${target}` : `${target} with the ${extreme} ${of}`;
}

function valueOf(question: TableQuestion, rows: Row[]): string | undefined {
  const { by, extreme, measure, of, only, target } = question;
  const [first] = rows;
  if (first === undefined) return undefined;
  const sizes = measure === undefined ? of : measureColumn(measure);
  const names = by ?? target ?? '';
  if (extreme !== undefined && sizes !== undefined) {
    const size = textOf(first[sizes]);
    if (size === '') return undefined;
    const equal = rows.filter((row) => textOf(row[sizes]) === size);
    const named = listOf(equal.map((row) => textOf(row[names])));
    return named && `${named}, with ${size}`;
  }
  if (by !== undefined && sizes !== undefined) {
    const isWanted = (row: Row): boolean => only.length === 0 || only.includes(textOf(row[by]));
    return listOf(rows.filter(isWanted).map((row) => `${textOf(row[by])} ${textOf(row[sizes])}`));
  }
  return listOf(rows.map((row) => textOf(row[sizes ?? names])));
}

/** Undefined where there is nothing to name. */
function listOf(values: string[]): string | undefined {
  const named = [...new Set(values.filter((value) => value !== ''))];
  if (named.length === 0) return undefined;
  const rest = named.length - mostValues;
  return [...named.slice(0, mostValues), ...(rest > 0 ? [`and ${rest} more`] : [])].join(', ');
}
