import { z } from 'zod';
import { tableOf } from '../../../files/content.ts';
import type { Store } from '../../../store/store.ts';
import type { ToolDefinition } from '../../definition.ts';
import { ToolError } from '../../tool.ts';
import { aggregateFunctions } from '../table/aggregates.ts';
import { comparisons } from '../table/conditions.ts';
import { queryTable, type QueryResult } from '../table/query.ts';
import { fileNamed, textOf } from './named.ts';

/** Models give a single name as it is as well. */
const names = z.union([z.string(), z.array(z.string())]).transform((given) => [given].flat());

const parameters = z.object({
  name: z.string().min(1).describe('The file: a table (CSV, TSV), or JSON that is a list of records'),
  columns: names.optional().describe('The columns to show; absent: all'),
  where: z
    .array(
      z.object({
        column: z.string(),
        is: z.enum(comparisons),
        value: z.union([z.string(), z.number(), z.boolean()]),
      }),
    )
    .optional()
    .describe('Conditions, all of which a row must meet; texts compare whatever their letter case'),
  group_by: names.optional().describe('One row for each combination of the values of these columns'),
  aggregate: z
    .array(z.object({ function: z.enum(aggregateFunctions), column: z.string().optional() }))
    .optional()
    .describe('What to compute over the rows, or over each group; only count goes without a column'),
  order_by: z.string().optional().describe('A column, or something computed: sum(amount)'),
  descending: z.boolean().default(false),
  limit: z.int().min(1).max(1000).default(50).describe('The most rows to show'),
});

export const queryTool = (store: Store): ToolDefinition => ({
  name: 'query_table',
  description:
    'Filters, groups, computes and sorts the rows of a table, exactly and over all of them; with a name alone it ' +
    'shows the first rows. Cells such as "1,234.50", "€ 3" and "12%" count as the numbers 1234.5, 3 and 12. ' +
    'The result is JSON: looked_at (rows of the table), matched (rows that meet the conditions), rows, and where it ' +
    'applies more (rows beyond those) and not_numbers (cells of a column that were left out of what is computed).',
  parameters,
  sideEffects: false,
  async execute({ name, ...query }: z.output<typeof parameters>, { workflowId }): Promise<QueryResult> {
    const file = await fileNamed(store, workflowId, name);
    const table = tableOf(file, await textOf(store, file));
    if (table !== undefined) return queryTable(table, query);
    const what = file.kind === 'json' ? 'is not a list of records' : 'is not a table';
    throw new ToolError(`${file.name} ${what}; read_attachment reads it`);
  },
});
