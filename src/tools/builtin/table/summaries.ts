import { ToolError } from '../../tool.ts';
import { notNumbers, type AggregateFunction } from './aggregates.ts';
import type { Column } from './columns.ts';

/** Something to compute, as a query asks for it. */
export interface WantedSummary {
  function: AggregateFunction;
  column?: string | undefined;
}

/** The same with its column found. `name`: that of its column in the result, as `sum(amount)`. */
export interface Summary {
  name: string;
  function: AggregateFunction;
  column?: Column;
}

/** @throws `ToolError` for a column that there is not, and where one is needed */
export function summariesOf(wanted: WantedSummary[], find: (name: string) => Column): Summary[] {
  return wanted.map(({ function: name, column }) => {
    if (column !== undefined) {
      const found = find(column);
      return { name: `${name}(${found.name})`, function: name, column: found };
    }
    if (name !== 'count') throw new ToolError(`${name} needs a column`);
    return { name, function: name };
  });
}

/** Of the columns that are computed with, how many cells are no numbers; undefined where all are. */
export function leftOut(rows: string[][], summaries: Summary[]): Record<string, number> | undefined {
  const computed = summaries.flatMap(({ function: name, column }) =>
    column === undefined || name.startsWith('count') ? [] : [column],
  );
  const counts = computed
    .map((column) => [column.name, notNumbers(rows, column)] as const)
    .filter(([, count]) => count > 0);
  return counts.length > 0 ? Object.fromEntries(counts) : undefined;
}
