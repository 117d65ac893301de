import type { Table } from '../../../files/table.ts';
import { didYouMean } from '../../../config/did-you-mean.ts';
import { ToolError } from '../../tool.ts';
import { aggregate, type Aggregated } from './aggregates.ts';
import { amountOf } from './amount.ts';
import { columnFinder, type Column } from './columns.ts';
import { condition, type Comparison } from './conditions.ts';
import { inOrder } from './order.ts';
import { leftOut, summariesOf, type WantedSummary } from './summaries.ts';

export interface TableQuery {
  columns?: string[] | undefined;
  where?: Array<{ column: string; is: Comparison; value: string | number | boolean }> | undefined;
  group_by?: string[] | undefined;
  aggregate?: WantedSummary[] | undefined;
  order_by?: string | undefined;
  descending?: boolean | undefined;
  limit: number;
}

/** A row of a result, by column; cells are as they stand in the table. */
type ResultRow = Record<string, Aggregated>;

export interface QueryResult {
  looked_at: number;
  /** Rows that meet all conditions. */
  matched: number;
  rows: ResultRow[];
  /** Rows of the result beyond these. */
  more?: number;
  /** Of the columns that were computed with, how many cells are no numbers and were left out. */
  not_numbers?: Record<string, number>;
}

/** Longest JSON of the rows, in characters. */
const longest = 20_000;

/** Filters, groups, computes and sorts. @throws `ToolError` for a column that there is not, and for what does not go together */
export function queryTable(table: Table, query: TableQuery): QueryResult {
  const find = columnFinder(table);
  const tests = (query.where ?? []).map(({ column, is, value }) => condition(find(column), is, value));
  const matched = table.rows.filter((row) => tests.every((test) => test(row)));
  const counts = { looked_at: table.rows.length, matched: matched.length };
  if (query.group_by === undefined && query.aggregate === undefined) {
    const shown = (query.columns ?? table.columns).map(find);
    const order = query.order_by === undefined ? undefined : find(query.order_by);
    const sorted =
      order === undefined ? matched : inOrder(matched, query.descending, order.cell, order.amount);
    return { ...counts, ...shortened(sorted, query.limit, (row) => rowOf(shown, row)) };
  }
  const groups = (query.group_by ?? []).map(find);
  checkColumns(query.columns ?? [], groups, find);
  const summaries = summariesOf(query.aggregate ?? [{ function: 'count' }], find);
  const notNumbers = leftOut(matched, summaries);
  const made = grouped(matched, groups).map((rows) => ({
    ...rowOf(groups, rows[0] ?? []),
    ...Object.fromEntries(summaries.map((each) => [each.name, aggregate(rows, each.function, each.column)])),
  }));
  return {
    ...counts,
    ...shortened(sortedRows(made, query, [...groups, ...summaries]), query.limit, (row) => row),
    ...(notNumbers !== undefined && { not_numbers: notNumbers }),
  };
}

const rowOf = (columns: Column[], row: string[]): ResultRow =>
  Object.fromEntries(columns.map(({ name, cell }) => [name, cell(row)]));

function checkColumns(columns: string[], groups: Column[], find: (name: string) => Column): void {
  const other = columns.map(find).find((column) => !groups.includes(column));
  if (other === undefined) return;
  throw new ToolError(
    `the rows of a result that is computed have the columns of group_by: name ${other.name} there, or leave it out`,
  );
}

/** Without columns to group by all rows are one group, also where there is none. */
function grouped(rows: string[][], by: Column[]): string[][][] {
  if (by.length === 0) return [rows];
  return [...Map.groupBy(rows, (row) => JSON.stringify(by.map(({ cell }) => cell(row)))).values()];
}

function sortedRows(
  rows: ResultRow[],
  query: TableQuery,
  made: Array<{ name: string; mark?: Column['mark'] }>,
) {
  if (query.order_by === undefined) return rows;
  const wanted = query.order_by.trim().toLowerCase();
  const order = made.find(({ name }) => name.toLowerCase() === wanted);
  const names = made.map(({ name }) => name);
  if (order === undefined) {
    throw new ToolError(
      `order_by: there is no ${query.order_by} in the result;${didYouMean(query.order_by, names)} it has ${names.join(', ')}`,
    );
  }
  const cell = (row: ResultRow): string => String(row[order.name] ?? '');
  return inOrder(rows, query.descending, cell, (row) => amountOf(cell(row), order.mark));
}

function shortened<T>(
  rows: T[],
  limit: number,
  made: (row: T) => ResultRow,
): Pick<QueryResult, 'rows' | 'more'> {
  const shown: ResultRow[] = [];
  let length = 0;
  for (const row of rows.slice(0, limit).map(made)) {
    length += JSON.stringify(row).length;
    if (length > longest) break;
    shown.push(row);
  }
  const more = rows.length - shown.length;
  return { rows: shown, ...(more > 0 && { more }) };
}
