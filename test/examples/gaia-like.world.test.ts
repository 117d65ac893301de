import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { serveSite, type Site } from '../../examples/gaia-like/site.ts';
import { isRight } from '../../examples/solve/matching.ts';
import { questionsOf } from '../../examples/solve/scoring.ts';
import { everydayTools } from '../../src/config/tools/everyday-tools.ts';
import { call, toolResults } from '../support/agent-script.ts';
import { running, type Running } from '../support/running.ts';
import type { Seen } from '../support/scripted.ts';
import { completed, solveScript } from '../support/solve-script.ts';

const folder = new URL('../../examples/gaia-like/', import.meta.url);
const file = (name: string): string => fileURLToPath(new URL(`files/${name}`, folder));
const questions = questionsOf([new URL('questions.yaml', folder)], []);

/** What is said in the recordings, as a transcribing model writes it down. */
const said: Record<string, string> = {
  'message.mp3':
    'This is a message for the harbour office. The supply boat does not come on Tuesday. It comes on Thursday at half past ' +
    'six in the morning. Please have seventeen crates ready, and four of them must be marked fragile.',
  'homework.mp3':
    'Homework for the navigation class. Read chapter five, pages eighty-two to ninety-seven. Leave out page ninety. Then do ' +
    'exercises three, eight and eleven.',
};

type Call = [tool: string, input: object];

/** How a model that knows what it does solves a question: by these calls, and from what they have given. */
interface Solution {
  calls: Call[];
  answer(results: string[], request: Seen): string;
}

const sql = (name: string, query: string): Call => ['query_table', { name, sql: query }];
const page = (path: string, more: object = {}): Call => ['fetch_page', { url: `${site.url}/${path}`, ...more }];
const python = (code: string): Call => ['run_python', { code }];
const words: Record<string, number> = {
  two: 2,
  three: 3,
  four: 4,
  seventeen: 17,
  'eighty-two': 82,
  ninety: 90,
  'ninety-seven': 97,
};

/** What a pattern finds in a text. @throws `Error` if it finds nothing: then the tool has not given it */
function found(text: string | undefined, pattern: RegExp): string {
  const match = pattern.exec(text ?? '');
  if (match === null) throw new Error(`${String(pattern)} is not in: ${text}`);
  return match[1] ?? match[0];
}

const number = (text: string | undefined, pattern: RegExp): number => {
  const digits = found(text, pattern);
  return words[digits] ?? Number(digits.replaceAll(',', ''));
};
const cell = ([result]: string[]): string => found(result, /"rows":\[\[(?:"([^"]*)"|\d+)/).replace(/^.*\[/, '');
const output = ([result]: string[]): string => found(result, /^\S+/);

/** The answer of a model that sees, if it has been shown the very file. */
const seen = (name: string, answer: string): Solution => ({
  calls: [],
  answer: (_, { raw }) => (raw.includes(readFileSync(file(name)).toString('base64')) ? answer : 'I see nothing.'),
});

const solutions: Record<string, () => Solution> = {
  'charters-of-one-owner': () => ({
    calls: [
      sql(
        'charters.xlsx',
        `SELECT sum("Days" * "Price per day") FROM "Charters" JOIN "Boats" USING ("Boat")
         WHERE "Owner" = 'Per Aune' AND "Paid" = 'yes'`,
      ),
    ],
    answer: cell,
  }),
  'charters-in-july': () => ({
    calls: [sql('charters.xlsx', `SELECT sum("Days") FROM "Charters" WHERE "Date" LIKE '2023-07-%'`)],
    answer: cell,
  }),
  'charters-of-old-boats': () => ({
    calls: [
      sql('charters.xlsx', `SELECT sum("Days") FROM "Charters" JOIN "Boats" USING ("Boat") WHERE "Built" < 1995`),
    ],
    answer: cell,
  }),
  'entry-fees': () => ({
    calls: [['read_attachment', { name: 'regatta-rules.docx' }]],
    answer([rules]) {
      const fees = [/up to 6 m\D+(\d+)/, /up to 10 m\D+(\d+)/, /Yacht\D+10 m\D+(\d+)/];
      return String(fees.reduce((sum, fee) => sum + number(rules, fee), 0));
    },
  }),
  penalty: () => ({
    calls: [
      ['read_attachment', { name: 'regatta-rules.docx' }],
      sql('charters.xlsx', `SELECT 2023 - "Built" > 50 FROM "Boats" WHERE "Boat" = 'Old Tom'`),
    ],
    answer([rules, isOld]) {
      const [early, touch, back] = [/given (\w+) minutes/, /given (\w+) minutes for each/, /given back (\w+) minutes/];
      const age = cell([isOld ?? '']) === '1' ? number(rules, back) : 0;
      return String(number(rules, early) + 2 * number(rules, touch) - age);
    },
  }),
  'missing-money': () => ({
    calls: [
      ['read_attachment', { name: 'harbour-plan.zip/plan.pptx' }],
      sql('harbour-plan.zip/grants.csv', 'SELECT sum("amount") FROM data'),
    ],
    answer([plan, grants]) {
      const costs = [/Dredging: ([\d,]+)/, /New jetty: ([\d,]+)/, /Lights: ([\d,]+)/];
      return String(costs.reduce((sum, cost) => sum + number(plan, cost), 0) - Number(cell([grants ?? ''])));
    },
  }),
  'last-month': () => ({
    calls: [
      ['read_attachment', { name: 'harbour-plan.zip/plan.pptx' }],
      python('import datetime as d\nprint((d.date(2024, 10, 7) + d.timedelta(weeks=26)).strftime("%B"))'),
    ],
    answer: ([plan, month]) => (number(plan, /takes (\d+) weeks/) === 26 ? output([month ?? '']) : ''),
  }),
  visitors: () => seen('visitors.png', '33'),
  discs: () => seen('board.png', '2'),
  crates: () => ({
    calls: [['read_attachment', { name: 'message.mp3' }]],
    answer: ([text]) => String(number(text, /(\w+) crates/) - number(text, /(\w+) of them/)),
  }),
  pages: () => ({
    calls: [['read_attachment', { name: 'homework.mp3' }]],
    answer: ([text]) => {
      const [first, last] = [number(text, /pages ([\w-]+) to/), number(text, /to ([\w-]+)\./)];
      return String(last - first + 1 - (number(text, /page (\w+)\./) > 0 ? 1 : 0));
    },
  }),
  locker: () => ({
    calls: [
      python(
        'import runpy, sys\nsys.argv = ["locker.py", "417"]\nrunpy.run_path("attachments/locker.py", run_name="__main__")',
      ),
    ],
    answer: output,
  }),
  'warm-days': () => ({
    calls: [
      python(`import re
run = best = 0
for line in open("attachments/station.log"):
    warm = re.search(r"temp=(-?[0-9.]+)C", line)
    run = run + 1 if warm and float(warm[1]) > 15 else 0
    best = max(best, run)
print(best)`),
    ],
    answer: output,
  }),
  primes: () => ({
    calls: [python('print(sum(all(n % d for d in range(2, 45)) for n in range(1900, 2001)))')],
    answer: output,
  }),
  surplus: () => ({
    calls: [page('report-2022.pdf')],
    answer([report]) {
      const sum = (...lines: RegExp[]): number => lines.reduce((all, line) => all + number(report, line), 0);
      const taken = sum(/Tickets[\s|]+([\d,]+)/, /Shop[\s|]+([\d,]+)/, /Gifts[\s|]+([\d,]+)/);
      return String(taken - sum(/staff[\s|]+([\d,]+)/, /roof[\s|]+([\d,]+)/, /all else[\s|]+([\d,]+)/));
    },
  }),
  'visitors-without-school': () => ({
    calls: [page('report-2022.pdf')],
    answer: ([report]) => String(number(report, /had ([\d,]+) visitors/) - number(report, /whom ([\d,]+) came/)),
  }),
  teacher: () => ({
    calls: [
      ['web_search', { query: 'song of the town first sung on the opening day of a bridge' }],
      page('quill.html'),
      page('orme.html'),
      page('crane.html'),
    ],
    answer([hits, quill, orme, crane]) {
      found(hits, /quill\.html/);
      const bridge = found(quill, /opening day of the (\w+) Bridge/);
      const engineer = found(orme, new RegExp(`(Hanna Orme)[^]*planned the ${bridge} Bridge`));
      return found(crane, new RegExp(`(Edith Crane)[^]*best known was ${engineer}`));
    },
  }),
  prize: () => ({
    calls: [page('orme.html'), page('festivals.html'), page('festival-2023.html')],
    answer([orme, list, festival]) {
      const hall = found(orme, /(Corn Hall) of Harrow Bay/);
      found(list, /festival-2023\.html/);
      return found(festival, new RegExp(`in the ${hall}[^]*first prize went to the\\s+([^.]*)\\.`));
    },
  }),
  ship: () => ({
    calls: [
      page('crane.html'),
      page('ships.csv', { save_as: 'ships.csv' }),
      sql('ships.csv', `SELECT "built" FROM data WHERE "name" = 'Antigone'`),
    ],
    answer: ([crane, , built]) => (found(crane, /Antigone/) === 'Antigone' ? cell([built ?? '']) : ''),
  }),
  tide: () => ({
    calls: [
      page('tides.json', { save_as: 'tides.json' }),
      python(`import json
tides = json.load(open("attachments/tides.json"))["tides"]
print(max(tides, key=lambda day: day["high"][1] - day["low"][1])["date"])`),
    ],
    answer: ([, day]) => output([day ?? '']),
  }),
};

let site: Site;
let transcribing: Server;
let run: Running;
/** What the model does with each request of a subtask. */
let solution: Solution = { calls: [], answer: () => '' };
let given = '';

beforeAll(async () => {
  site = await serveSite();
  // The endpoint of OpenAI: https://platform.openai.com/docs/api-reference/audio/createTranscription
  transcribing = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      const body = Buffer.concat(parts);
      const name = Object.keys(said).find((each) => body.includes(readFileSync(file(each))));
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify({ text: name === undefined ? '' : said[name] }));
    });
  });
  transcribing.listen(0, '127.0.0.1');
  await once(transcribing, 'listening');
  const script = solveScript({
    work(request) {
      const results = toolResults(request);
      const next = solution.calls[results.length];
      if (next !== undefined) return call(...next);
      given = solution.answer(results, request);
      return completed(given);
    },
    synthesise: () => ({ text: given }),
  });
  run = await running(script, {
    SEARXNG_URL: site.url,
    REPRISE_FETCH_HOSTS: new URL(site.url).host,
    TRANSCRIPTION_URL: `http://127.0.0.1:${(transcribing.address() as AddressInfo).port}/v1`,
  });
});
afterAll(async () => {
  await run[Symbol.asyncDispose]();
  transcribing.close();
  await site.close();
});

test('there are twenty questions, with a solution each', () => {
  expect(questions.map(({ id }) => id)).toEqual(Object.keys(solutions));
  expect(questions).toHaveLength(20);
});

describe('by the tools that there are', () => {
  test.each(questions.map((each) => [each.id, each] as const))('%s is answered', async (id, question) => {
    const chosen = solutions[id];
    if (chosen === undefined) throw new Error(`${id} has no solution`);
    solution = chosen();
    given = '';
    const { answer, outcome } = await run.solve({
      problem: question.question.replaceAll('{site}', site.url),
      attachments: question.files.map(file),
      config: { plan: { backend: { type: 'openai' }, executor: { tool_packages: everydayTools } } },
    });
    expect({ outcome, answer, isRight: isRight(answer, question.expected) }).toEqual({
      outcome: 'complete',
      answer,
      isRight: true,
    });
  });
});
