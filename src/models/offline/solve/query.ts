import { basename, extname } from 'node:path';
import { stemsOf } from '../../../tools/words.ts';
import { Asked } from './asked.ts';
import { numberFilters, valueFilters, yesFilters, type Filter } from './filters.ts';
import {
  functionsIn,
  measureColumn,
  measureOf,
  type Extreme,
  type Functions,
  type Measure,
} from './measures.ts';
import { mentionsIn, type Mention } from './mentions.ts';
import { isNumeric, type Column, type Row, type Table } from './tables.ts';

/** What a question asks of a table. */
export interface TableQuestion {
  where: Filter[];
  /** What is computed, of all rows or of each group. */
  measure?: Measure;
  /** The column whose values are groups. */
  by?: string;
  /** The groups that are asked for; empty: all. */
  only: string[];
  /** Of the groups by their measure, or of the rows by the values of `of`. */
  extreme?: Extreme;
  of?: string;
  /** The column whose values are the answer. */
  target?: string;
}

/** What was made of a question. `leftOver`: stems that were not understood; without a question there may be none. */
export interface Understood {
  question?: TableQuestion;
  leftOver: string[];
  /** The share of its words that were understood. */
  share: number;
}

/** How many groups and rows an answer is read from. */
const mostGroups = 100;
const mostRows = 50;
const mostEqual = 10;

const grouping = /\b(?:for each|for every|in each|of each|per|by|each|every)(?: of)?(?: the)?\s+$/i;
const asking =
  /\b(?:which|what|whose|list|name)(?:\s+(?:is|are|was|were|of|all|the|name|names|different|distinct))*\s+$/i;
const negated = /\b(?:not|no|never|nor|neither|except|excluding|without)\b/i;

/** Columns that answer questions without naming them. */
const implied: Array<[words: RegExp, stems: string[]]> = [
  [
    /\bwho\b/i,
    // "Name" is a word that says nothing elsewhere.
    [
      'nam',
      ...stemsOf('author customer employee manager member owner player person salesperson seller student'),
    ],
  ],
  [/\bwhen\b/i, stemsOf('date day time month year')],
  [/\bwhere\b/i, stemsOf('city place location region country store town')],
];

/**
 * Makes a query of a question, where every word of it has a place there: a filter that is passed over would give another
 * number.
 *
 * @param known conditions that come from what it refers to
 */
export function understand(part: string, table: Table, known: Filter[] = []): Understood {
  const asked = new Asked(part);
  const start = part.toLowerCase().indexOf(table.name.toLowerCase());
  if (start !== -1) asked.take({ start, end: start + table.name.length });
  const { compared, where: named } = valueFilters(asked, table);
  const mentions = mentionsIn(asked, table);
  const where = [...named, ...numberFilters(asked, mentions), ...yesFilters(asked, mentions)];
  const functions = functionsIn(asked);
  const roles = rolesOf(asked, mentions, table);
  // `What is the total revenue`, `What is the highest price`: these are computed, and not looked up.
  const isAlone = mentions.every(({ column }) => column === roles.target || filteredBy(where, column));
  const isComputed = functions.name !== undefined || (functions.extreme !== undefined && isAlone);
  if (roles.target !== undefined && isNumeric(roles.target) && isComputed) delete roles.target;
  for (const mention of mentions) asked.take(mention);
  const filtered = new Set(where.map(({ column }) => column));
  const free = mentions.filter(
    ({ column }) => column !== roles.target && column !== roles.by && !filtered.has(column.name),
  );
  if (functions.name === 'count' || functions.isOfAll) takeCounted(asked, functions, free);
  const leftOver = asked.leftOver(stemsOf(basename(table.name, extname(table.name))));
  const share = 1 - leftOver.length / Math.max(1, stemsOf(part).length);
  if (leftOver.length > 0 || negated.test(asked.open)) return { leftOver, share };
  const groups = groupsOf(compared);
  if (groups === undefined || (groups.by !== undefined && roles.by !== undefined)) return { leftOver, share };
  const conditions = [...where, ...known.filter(({ column }) => !filtered.has(column))];
  const by = roles.by ?? groups.by;
  const question = shapeOf(functions, { target: roles.target, by, free, where: conditions });
  return { leftOver, share, ...(question && { question: { ...question, only: groups.only } }) };
}

const filteredBy = (where: Filter[], { name }: Column): boolean =>
  where.some(({ column }) => column === name);

/** The columns that are asked for, and by which is grouped. */
function rolesOf(asked: Asked, mentions: Mention[], { columns }: Table): { target?: Column; by?: Column } {
  const beforeOf = ({ start }: Mention): string => asked.open.slice(0, start);
  const by = mentions.find((mention) => grouping.test(beforeOf(mention)))?.column;
  const target =
    mentions.find((mention) => asking.test(beforeOf(mention)))?.column ?? impliedIn(asked, columns);
  asked.takeMatch(/\b(?:per|for each|for every|in each|each|every)\b/i);
  return { ...(target && { target }), ...(by && by !== target && { by }) };
}

function impliedIn(asked: Asked, columns: Column[]): Column | undefined {
  for (const [words, stems] of implied) {
    if (words.test(asked.open))
      return columns.find((column) => column.stems.some((each) => stems.includes(each)));
  }
  return undefined;
}

/** In `how many orders` what is counted needs no column: the rows are called so. */
function takeCounted(asked: Asked, { end }: Functions, free: Mention[]): void {
  if (free.length > 0) return;
  const [noun] = asked.words.filter((word) => word.start >= end && stemsOf(word.text).length > 0);
  if (noun !== undefined) asked.take(noun);
}

/** Values of one column that are compared are groups; undefined: those of several columns. */
function groupsOf(
  compared: Array<{ column: Column; value: string }>,
): { by?: Column; only: string[] } | undefined {
  const columns = new Set(compared.map(({ column }) => column));
  const [by] = columns;
  if (columns.size > 1) return undefined;
  return { ...(by && { by }), only: [...new Set(compared.map(({ value }) => value))] };
}

interface Pieces {
  target: Column | undefined;
  by: Column | undefined;
  /** Columns that are named and have no other place. */
  free: Mention[];
  where: Filter[];
}

function shapeOf(functions: Functions, pieces: Pieces): Omit<TableQuestion, 'only'> | undefined {
  const { extreme, name } = functions;
  const { by, free, target, where } = pieces;
  // With two columns it would be a guess which one is meant.
  if (free.length > 1) return undefined;
  const measure = measureOf(functions, free);
  if (target === undefined || (isNumeric(target) && name !== undefined)) return measured(functions, pieces);
  if (by !== undefined) return undefined;
  if (extreme === undefined)
    return name === undefined && free.length === 0 ? { where, target: target.name } : undefined;
  if (measure !== undefined) return { where, measure, by: target.name, extreme, target: target.name };
  const [of] = free;
  return name === undefined && of !== undefined
    ? { where, target: target.name, extreme, of: of.column.name }
    : undefined;
}

/** What is asked for is a number, of all rows or of each group. */
function measured(
  functions: Functions,
  { by, free, where }: Pieces,
): Omit<TableQuestion, 'only'> | undefined {
  const { extreme, name } = functions;
  const [first] = free;
  const measure =
    name === undefined && extreme !== undefined && first !== undefined && isNumeric(first.column)
      ? { function: extreme === 'highest' ? ('max' as const) : ('min' as const), column: first.column.name }
      : extreme === undefined
        ? measureOf(functions, free)
        : undefined;
  return measure && { where, measure, ...(by && { by: by.name }) };
}

/** The arguments of `query_table`. Of the highest and lowest several, since they may be equal. */
export function inputOf({ by, extreme, measure, of, target, where }: TableQuestion, table: Table): Row {
  const start = { name: table.name, ...(where.length > 0 && { where }) };
  const order = (column: string): Row => ({
    order_by: column,
    descending: extreme === 'highest',
    limit: mostEqual,
  });
  if (measure !== undefined) {
    const groups = extreme === undefined ? { limit: mostGroups } : order(measureColumn(measure));
    return { ...start, ...(by !== undefined && { group_by: [by], ...groups }), aggregate: [measure] };
  }
  if (of === undefined) return { ...start, columns: [target], limit: mostRows };
  return { ...start, columns: [target, of], ...order(of) };
}
