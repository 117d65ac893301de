import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isRight } from '../../examples/solve/matching.ts';
import { questionsOf } from '../../examples/solve/scoring.ts';
import { everydayTools } from '../../src/config/tools/everyday-tools.ts';
import { readContent } from '../../src/tools/attachments/content.ts';
import { recognise } from '../../src/tools/attachments/recognise.ts';
import { call, toolResults } from '../support/agent-script.ts';
import { running, type Running } from '../support/running.ts';
import type { Seen } from '../support/scripted.ts';
import { completed, solveScript } from '../support/solve-script.ts';

const folder = new URL('../../examples/gaia-like/', import.meta.url);
const file = (name: string): string => fileURLToPath(new URL(`files/${name}`, folder));
const questions = questionsOf([new URL('questions-of-files.yaml', folder)], []);

type Call = [tool: string, input: object];

/** How a model that knows what it does solves a question: by these calls, and from what they have given. */
interface Solution {
  calls: Call[];
  answer(results: string[], request: Seen): string;
}

/** What a pattern finds in a text. @throws `Error` if it finds nothing: then the tool has not given it */
function found(text: string | undefined, pattern: RegExp): string {
  const match = pattern.exec(text ?? '');
  if (match === null) throw new Error(`${String(pattern)} is not in: ${text}`);
  return match[1] ?? match[0];
}

/** By one query, whose first cell is the answer. */
const query = (name: string, sql: string): Solution => ({
  calls: [['query_table', { name, sql }]],
  answer: ([result]) => found(result, /"rows":\[\["?([^"\],]*)/),
});

/** By reading one file, in which a pattern finds the answer. */
const reading = (name: string, pattern: RegExp): Solution => ({
  calls: [['read_attachment', { name }]],
  answer: ([text]) => found(text, pattern),
});

/** The cell of a table with bars, by the beginnings of its row and its column. */
function cellOf(text: string | undefined, row: string, column: string): string {
  const rows = (text ?? '').split('\n').map((line) => line.split('|').map((cell) => cell.trim()));
  const at = rows.find((cells) => cells.includes(column))?.indexOf(column) ?? -1;
  return rows.find((cells) => cells.includes(row))?.[at] ?? '';
}

/** By looking at the picture that came with the task. */
const seeing = (picture: RegExp): Solution => ({
  calls: [],
  answer: (_, { raw }) => (picture.test(raw) ? '12' : 'I see nothing.'),
});

const table = (name: string, row: string, column: string): Solution => ({
  calls: [['read_attachment', { name }]],
  answer: ([text]) => cellOf(text, row, column),
});

const solutions: Record<string, Solution> = {
  'seen-stock': query('warehouse.xlsx', 'SELECT sum("Value") FROM data WHERE "_hidden" IS NULL'),
  'seen-stock-ods': query('warehouse.ods', `SELECT sum("Value") FROM data WHERE "_hidden" IS NULL AND "Place" = 'A'`),
  yellow: query(
    'budget.xlsx',
    `SELECT sum(CASE WHEN "Spring_color" = 'yellow' THEN "Spring" ELSE 0 END +
                CASE WHEN "Autumn_color" = 'yellow' THEN "Autumn" ELSE 0 END) FROM data`,
  ),
  'green-ods': query(
    'budget.ods',
    `SELECT sum(CASE WHEN "Spring_color" LIKE 'green%' THEN "Spring" ELSE 0 END +
                CASE WHEN "Autumn_color" LIKE 'green%' THEN "Autumn" ELSE 0 END) FROM data`,
  ),
  'paid-twice': query('budget.xlsx', `SELECT "Spring" FROM data WHERE "_comment" LIKE 'B5: Paid twice%'`),
  'shown-tickets': query('tickets.xlsx', 'SELECT sum("Sold") FROM data WHERE "_hidden" IS NULL'),
  'filtered-tickets': query('tickets.xls', `SELECT sum("Sold") FROM data WHERE "_hidden" = 'filtered'`),
  refunded: query('tickets.xlsx', 'SELECT sum("Refunded") FROM data'),
  'hidden-prices': query(
    'tickets.xlsx',
    `SELECT sum("Sold" * "Price") FROM data JOIN "Prices" USING ("Ferry") WHERE "Ferry" = 'Bris'`,
  ),
  'north-coast': query('catches.xlsx', `SELECT 100 * sum("2023 Cod") FROM data WHERE "Coast" = 'North'`),
  'catches-on-paper': reading('catches.pdf', /\| Sund \| \d+ \| (\d+) \|/),
  'last-delivery': query('deliveries.xlsx', 'SELECT max("Day") FROM data'),
  'other-tax': {
    calls: [['read_attachment', { name: 'invoice.xlsx' }]],
    answer: ([text]) => (found(text, /C3 = B3\*1\.07/) === '' ? '' : found(text, /(\w+),200,214/)),
  },
  ships: {
    calls: [['read_attachment', { name: 'port.pptx' }]],
    answer: ([text]) => String(Number(cellOf(text, '2021', 'Motor')) - Number(cellOf(text, '2021', 'Sailing'))),
  },
  'ships-odp': {
    calls: [['read_attachment', { name: 'port.odp' }]],
    answer: ([text]) =>
      String(['2019', '2020', '2021', '2022'].reduce((sum, year) => sum + Number(cellOf(text, year, 'Sailing')), 0)),
  },
  'quay-closes': reading('port.pptx', /the quay closes on (\d+ \w+)/),
  tuesday: table('tides.docx', '2', 'Tue'),
  wednesday: table('tides.odt', '3', 'Wed'),
  'bode-2022': table('arrivals.pdf', 'Bode', '2022'),
  'july-rescues': {
    calls: [['read_attachment', { name: 'rescues.pdf' }]],
    answer: ([text]) => ['Holm', 'Skjer', 'Utvik'].filter((station) => cellOf(text, station, 'July') !== '').join(', '),
  },
  timber: table('quays.pdf', 'West', 'Timber'),
  berth: reading('berth.pdf', /\[field length: ([\d.]+)\]/),
  receipt: {
    calls: [['read_attachment', { name: 'scan.pdf' }]],
    answer: (_, { raw }) => (sizesOf(raw).includes('620 × 877') ? '152' : 'I see nothing.'),
  },
  lighthouse: {
    calls: [
      ['search_files', { text: 'lighthouse' }],
      ['read_attachment', { name: 'attachments/minutes.pdf', from: 33, length: 1 }],
    ],
    answer: ([hits, page]) =>
      found(hits, /minutes\.pdf:\d+: \[page 33\]/) === '' ? '' : found(page, /to (Wilma Torp)/),
  },
  mast: {
    calls: [['search_files', { text: 'mast' }]],
    answer: ([hits]) => found(hits, /letters\.zip\/letters\/june\.docx:\d+: .*boat (\w+) has lost/),
  },
  'deepest-buoy': reading('buoys.log.gz/buoys.log', /depth=(42)\b/),
  pilot: reading('logbook.tar.gz/log/april.txt', /The pilot was ([\w ]+)\./),
  scale: query('charts.tar/charts/list.csv', `SELECT "scale" FROM data WHERE "chart" = 'South'`),
  salt: query('nested.zip/inner/papers.zip/cargo.csv', `SELECT "tons" FROM data WHERE "goods" = 'salt'`),
  passengers: query(
    'fleet.sqlite',
    'SELECT sum(passengers) FROM trips JOIN ferries ON ferry = name WHERE built < 1990',
  ),
  'longest-ferry': query('fleet.parquet', 'SELECT "name" FROM data ORDER BY "length" DESC'),
  oilskins: query('prices.csv', `SELECT "Preis" FROM data WHERE "Ware" = 'Ölzeug'`),
  pilots: reading('pilots.txt', /(\w+) Öst/),
  owner: query('register.csv', `SELECT "ägare" FROM data WHERE "båt" = 'Tärnan'`),
  windiest: query('wind.jsonl', 'SELECT "day" FROM data ORDER BY "wind" DESC'),
  calmest: query('wind.ndjson.gz/wind.ndjson', 'SELECT "day" FROM data ORDER BY "wind"'),
  'pier-tiff': seeing(/iVBORw0KGgo/),
  'pier-bmp': seeing(/iVBORw0KGgo/),
  'pier-webp': seeing(/UklGR/),
  boathouse: {
    calls: [['read_attachment', { name: 'locked.pdf', password: 'pier7' }]],
    answer: ([text]) => found(text, /boathouse is (\d+)/),
  },
};

/** The sizes of the PNG images in a request. */
const sizesOf = (raw: string): string[] =>
  [...raw.matchAll(/iVBORw0KGgo[\w+/]+/g)].map(([data]) => {
    const png = Buffer.from(data, 'base64');
    return `${png.readUInt32BE(16)} × ${png.readUInt32BE(20)}`;
  });

/** What a task may take. A picture counts as its text. */
const mostCalls = 6;
const mostBytes = 60_000;

let run: Running;
let solution: Solution = { calls: [], answer: () => '' };
let given = '';
let requests = 0;
let bytes = 0;

beforeAll(async () => {
  const script = solveScript({
    work(request) {
      requests += 1;
      bytes += request.raw.replaceAll(/iVBORw0KGgo[\w+/=]+/g, '').length;
      const results = toolResults(request);
      const next = solution.calls[results.length];
      if (next !== undefined) return call(...next);
      given = solution.answer(results, request);
      return completed(given);
    },
    synthesise: () => ({ text: given }),
  });
  run = await running(script);
});
afterAll(() => run[Symbol.asyncDispose]());

test('each question has a solution', () => {
  expect(questions.map(({ id }) => id)).toEqual(Object.keys(solutions));
});

describe('files of other programs: a fact is reached in six calls and 60 KB of requests', () => {
  test.each(questions.map((each) => [each.id, each] as const))('%s', async (id, question) => {
    solution = solutions[id] ?? solution;
    [given, requests, bytes] = ['', 0, 0];
    const { answer, outcome } = await run.solve({
      problem: question.question,
      attachments: question.files.map(file),
      config: { plan: { backend: { type: 'openai' }, executor: { tool_packages: everydayTools } } },
    });
    expect({ outcome, answer, isRight: isRight(answer, question.expected) }).toEqual({
      outcome: 'complete',
      answer,
      isRight: true,
    });
    expect(requests).toBeLessThanOrEqual(mostCalls);
    expect(bytes).toBeLessThanOrEqual(mostBytes);
  });
});

describe('what is left out or changed is said', () => {
  test.each([
    ['warehouse.xlsx', 'Stock: 2 of its 5 rows are hidden, see _hidden'],
    ['warehouse.ods', 'Stock: 2 of its 5 rows are hidden, see _hidden'],
    ['tickets.xlsx', 'Tickets: these columns are hidden, and read all the same: Refunded'],
    ['tickets.xlsx', 'the sheet Prices is hidden'],
    ['tickets.xlsx', 'colours that come from rules (conditional formatting) are not read'],
    ['tickets.xls', 'Tickets: 2 of its 5 rows are hidden, see _hidden'],
    ['tickets.xls', 'the sheet Prices is hidden'],
    ['budget.xlsx', 'Budget: 5 cells are coloured (yellow, green, red), see Spring_color, Autumn_color'],
    ['budget.xlsx', 'Budget: cells in 1 of its rows have comments, see _comment'],
    ['budget.xlsx', 'colours of text are not read, only those of cells'],
    ['budget.ods', 'Budget: 5 cells are coloured (yellow, green, red), see Spring_color, Autumn_color'],
    ['catches.xlsx', 'Catches: 2 ranges of cells are merged'],
    ['offer.xlsx', '1 formulas of Offer have no value'],
    ['port.pptx', 'hidden slides, which are read like the others: 2'],
    ['port.odp', 'it has hidden slides, which are read like the others'],
    ['tides.docx', 'pictures in it: 1, of which only the descriptions are read'],
    ['tides.docx', 'its tables have merged cells'],
    ['tides.odt', 'its tables have merged cells'],
    ['contract.docx', 'what tracked changes have deleted is left out'],
    ['contract.docx', 'it has hidden text, which is read like the rest'],
    ['scan.pdf', 'pages that are pictures, and not read as text: 1; view_image shows them by page'],
    ['poster.pdf', 'there are pictures in it, which are not read as text; view_image shows them by page'],
    ['locked.pdf', 'the PDF needs a password: read_attachment takes it as "password"; nothing of it can be read'],
  ])('%s: %s', async (name, said) => {
    const content = readFileSync(file(name));
    const { note } = await readContent(name, content, await recognise(name, content));
    expect(note).toContain(said);
  });
});
