import { following } from './following.ts';
import type { Filter } from './filters.ts';
import { inputOf, understand, type Understood } from './query.ts';
import type { Shown } from './reading.ts';
import { namedIn, openingOn, statementOf } from './statement.ts';
import type { Step } from './step.ts';
import {
  columnOf,
  columnsIn,
  isNaming,
  isSame,
  queryTool,
  resultIn,
  tableIn,
  valuesCall,
  withValues,
  type Row,
  type Table,
} from './tables.ts';
import type { Use } from '../uses.ts';

/** A question is about a table if it understands so much of its words. */
const enough = 0.5;

/** How many columns are asked for their values, where a word may be one of them. */
const mostColumns = 4;

/** Another try is worth it once: with the columns that the tool has named. */
const mostFailures = 2;

/** What the tables say on a part; undefined where it is about none of them. */
export function tableStep(part: string, shown: Shown[], results: string[], calls: Use[]): Step | undefined {
  const tables = shown.flatMap((each) => tableIn(each) ?? []).map((table) => mended(table, calls));
  const read = tables.map((table) => ({ table, ...understand(part, table, referred(part, results, table)) }));
  const understood = read.find(({ question }) => question !== undefined);
  if (understood?.question !== undefined) {
    const { question, table } = understood;
    const input = inputOf(question, table);
    const use = calls.find((each) => isSame(each, input));
    if (use === undefined) return ask(input, table, calls) ?? { missing: failureOn(table, calls) };
    const result = resultIn(use.result);
    if (result === undefined) return { missing: `${queryTool} says: ${use.result}` };
    const statement = statementOf(question, result, table);
    if (statement !== undefined) return { line: `${openingOn(part)}${statement}` };
    return { missing: `no row of ${table.name} fits` };
  }
  const near = read.filter(({ share }) => share >= enough).sort((one, other) => other.share - one.share);
  return lookUp(near, calls) ?? notUnderstood(near);
}

/** How well a question fits a table, 0 to 1. */
export function fitOf(part: string, shown: Shown): number {
  const table = tableIn(shown);
  if (table === undefined) return 0;
  const { question, share } = understand(part, table);
  return question !== undefined ? 1 : share >= enough ? share : 0;
}

function ask(input: Row, table: Table, calls: Use[]): Step | undefined {
  return failuresOn(table, calls).length < mostFailures ? { call: { tool: queryTool, input } } : undefined;
}

/** The words that were not understood may be values that the preview does not show. */
function lookUp(near: Array<Understood & { table: Table }>, calls: Use[]): Step | undefined {
  for (const { leftOver, table } of near) {
    if (leftOver.length === 0) continue;
    const inputs = table.columns
      .filter(isNaming)
      .slice(0, mostColumns)
      .map((each) => valuesCall(table, each));
    const input = inputs.find((each) => !calls.some((call) => isSame(call, each)));
    const step = input === undefined ? undefined : ask(input, table, calls);
    if (step !== undefined) return step;
  }
  return undefined;
}

function notUnderstood([best]: Array<Understood & { table: Table }>): Step | undefined {
  if (best === undefined) return undefined;
  const { leftOver, table } = best;
  const words = leftOver.length === 0 ? 'how it is meant' : leftOver.map((word) => `"${word}"`).join(', ');
  return { missing: `of what is asked of ${table.name} this is not understood: ${words}` };
}

const failuresOn = ({ name }: Table, calls: Use[]): Use[] =>
  calls.filter(
    ({ input, result, tool }) =>
      tool === queryTool && input['name'] === name && resultIn(result) === undefined,
  );

const failureOn = (table: Table, calls: Use[]): string =>
  `${queryTool} says: ${failuresOn(table, calls).at(-1)?.result}`;

/** The table with what the tool has told of it since. */
function mended(table: Table, calls: Use[]): Table {
  const names = failuresOn(table, calls).flatMap(({ result }) => columnsIn(result));
  const known = new Map(table.columns.map((column) => [column.name, column.values]));
  const columns = names.map((name) => columnOf(name, known.get(name) ?? []));
  return withValues(columns.length === 0 ? table : { ...table, columns }, calls);
}

/** What a question refers to by `there` or `its`: values that the results it depends on have named. */
function referred(part: string, results: string[], { columns }: Table): Filter[] {
  if (!following.test(part)) return [];
  const named = results.flatMap((result) => result.split('\n').flatMap((line) => namedIn(line) ?? []));
  return named
    .filter(({ column }) => columns.some(({ name }) => name === column))
    .map(({ column, value }) => ({ column, is: '=', value }));
}
