import { describe, expect, test } from 'vitest';
import type { Message, ToolSpec } from '../../src/protocol/message.ts';
import { offlineModel } from '../../src/models/offline/index.ts';
import { inputOf, understand } from '../../src/models/offline/solve/query.ts';
import { tableIn, type Table } from '../../src/models/offline/solve/tables.ts';
import {
  answerMessage,
  carryOut,
  improveMessage,
  problemMessage,
  subtaskMessage,
  validationMessage,
} from '../../src/workflows/plan-and-execute/prompts.ts';
import {
  analysisTool,
  finishTool,
  subtasksTool,
  validationTool,
} from '../../src/workflows/plan-and-execute/prompts.ts';

const preview = [
  'Columns: order_id, date, region, salesperson, product, units, revenue, returned',
  '4 rows:',
  '1001 | 2025-01-01 | West | Dev Patel | Kettle | 7 | 273.00 | no',
  '1002 | 2025-01-04 | North | Ada Lind | Rope | 10 | 87.50 | yes',
  '1003 | 2025-02-07 | South | Carla Ruiz | Lantern | 2 | 49.00 | no',
  '1004 | 2025-02-10 | North | Ada Lind | Tent | 3 | 447.00 | no',
].join('\n');
const table = tableIn({ kind: 'table', name: 'sales.csv', preview }) as Table;
const attachment = { name: 'sales.csv', kind: 'table', mediaType: 'text/csv', bytes: 300, preview } as const;

const sum = (column: string) => [{ function: 'sum', column }];

describe('a query is made of a question', () => {
  test.each<[question: string, input: object]>([
    ['What is the total revenue?', { aggregate: sum('revenue') }],
    [
      'What is the total revenue of the region North?',
      { where: [{ column: 'region', is: '=', value: 'North' }], aggregate: sum('revenue') },
    ],
    [
      'How many units did Ada Lind sell?',
      { where: [{ column: 'salesperson', value: 'Ada Lind' }], aggregate: sum('units') },
    ],
    [
      'How many orders were returned?',
      { where: [{ column: 'returned', value: 'yes' }], aggregate: [{ function: 'count' }] },
    ],
    [
      'How many different products are there?',
      { aggregate: [{ function: 'count_distinct', column: 'product' }] },
    ],
    ['What is the highest revenue?', { aggregate: [{ function: 'max', column: 'revenue' }] }],
    [
      'What is the average revenue per region?',
      { group_by: ['region'], aggregate: [{ function: 'mean', column: 'revenue' }] },
    ],
    [
      'Who sold the most units?',
      { group_by: ['salesperson'], aggregate: sum('units'), order_by: 'sum(units)', descending: true },
    ],
    [
      'How many orders have a revenue above 100?',
      { where: [{ column: 'revenue', is: '>', value: 100 }], aggregate: [{ function: 'count' }] },
    ],
    [
      'What was the total revenue in January 2025?',
      { where: [{ column: 'date', is: 'contains', value: '2025-01-' }], aggregate: sum('revenue') },
    ],
  ])('%s', (part, input) => {
    const { question } = understand(part, table);
    expect(question && inputOf(question, table)).toMatchObject({ name: 'sales.csv', ...input });
  });

  test.each([
    'What is the total revenue of Atlantis?',
    'What is the revenue and the number of units by weather?',
    'Is the boss content?',
  ])('but not where a word of it has no place there: %s', (part) => {
    expect(understand(part, table).question).toBeUndefined();
  });
});

const specs = (...names: string[]): ToolSpec[] =>
  names.map((name) => ({ name, description: name, parameters: { type: 'object', properties: {} } }));

async function reply(messages: Message[], tools: ToolSpec[]) {
  const { message } = await offlineModel({ type: 'offline' }).complete({
    messages,
    tools,
    signal: AbortSignal.timeout(20_000),
    onDelta: () => {},
  });
  const [call] = message.toolCalls ?? [];
  const input = call === undefined ? undefined : (JSON.parse(call.arguments) as Record<string, unknown>);
  return { text: message.content, tool: call?.name, input, message };
}

const system: Message = { role: 'system', content: 'You work.' };
const said = (content: unknown): Message => ({ role: 'user', content: [content].flat().join('') });
const problem = 'What is the total revenue, and who sold the most units?';

describe('solving a problem', () => {
  const opening = [system, said(problemMessage(problem, [attachment]))];

  test('it is analysed by its parts, and planned with a subtask for each', async () => {
    const { input } = await reply(opening, [analysisTool]);
    expect(input).toMatchObject({ requirements: ['What is the total revenue', 'who sold the most units'] });
    const plan = await reply([...opening, said('Now give the plan with `submit_plan`.')], [subtasksTool]);
    expect(plan.input).toMatchObject({
      subtasks: [
        { id: 'step_1', attachments: ['sales.csv'] },
        { id: 'step_2', attachments: ['sales.csv'] },
      ],
    });
  });

  test('what is missing gets subtasks under new ids', async () => {
    const messages = [...opening, said(improveMessage(['the weather'], ['step_1', 'step_2'], []))];
    const { input } = await reply(messages, [subtasksTool]);
    expect(input).toMatchObject({ subtasks: [{ id: 'step_3' }] });
  });

  const brief = {
    id: 'step_1',
    description: 'What is the total revenue',
    problem,
    attachments: [attachment],
    results: [],
    failure: undefined,
    deadEnds: [],
  };
  const tools = [finishTool, ...specs('query_table', 'read_attachment', 'list_attachments')];

  test('a subtask asks the table, and ends with what it has said and of how many rows', async () => {
    const messages = [system, said(subtaskMessage(brief)), said(carryOut('step_1'))];
    const asked = await reply(messages, tools);
    expect(asked).toMatchObject({ tool: 'query_table', input: { aggregate: sum('revenue') } });
    const callId = asked.message.toolCalls?.[0]?.id ?? '';
    const result = JSON.stringify({ looked_at: 4, matched: 4, rows: [{ 'sum(revenue)': 856.5 }] });
    const end = await reply([...messages, asked.message, { role: 'tool', callId, content: result }], tools);
    expect(end).toMatchObject({ tool: 'finish_subtask', input: { status: 'completed' } });
    expect(end.input?.['result']).toMatch(/856\.5 \(sales\.csv, 4 rows\)$/);
  });

  test('one that finds nothing has failed', async () => {
    const description = 'How tall are the penguins of Atlantis';
    const none = { ...brief, description, problem: description, attachments: [] };
    const messages = [system, said(subtaskMessage(none)), said(carryOut('step_1'))];
    const { input } = await reply(messages, [finishTool]);
    expect(input).toMatchObject({
      status: 'failed',
      reason: expect.stringContaining('nothing was found') as string,
    });
  });

  const analysis = { requirements: ['What is the total revenue'], answerFormat: 'a number' };
  const result = {
    id: 'step_1',
    description: 'What is the total revenue',
    result: 'The total revenue is 856.5.',
  };

  test('the answer is made of the results, and valid where it covers what is asked', async () => {
    const answer = { problem, analysis, results: [result], failures: [] };
    const { text } = await reply([system, said(answerMessage(answer))], []);
    expect(text).toContain('856.5');
    const valid = await reply([system, said(validationMessage(answer, text))], [validationTool]);
    expect(valid.input).toMatchObject({ is_complete: true, missing_requirements: [] });
  });

  test('it is not valid where a part is left out', async () => {
    const failures = [{ id: 'step_1', description: 'What is the total revenue', error: 'nothing was found' }];
    const answer = { problem, analysis, results: [], failures };
    const { text } = await reply([system, said(answerMessage(answer))], []);
    const { input } = await reply([system, said(validationMessage(answer, text))], [validationTool]);
    expect(input).toMatchObject({ is_complete: false, missing_requirements: ['What is the total revenue'] });
  });
});
