import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ListedRun, Reprise, RunRecord } from '../../src/client.ts';
import { browserPath } from '../support/browser.ts';
import { hasTerminals, Home } from '../support/cli.ts';
import { startModelServer, type ModelServer, type Seen } from '../support/model-server.ts';
import { ownDocs } from '../../src/config/search-services.ts';
import { criticism, researchScript } from '../support/research-script.ts';
import { completed, failed, invalid, solveScript, subtasks, valid } from '../support/solve-script.ts';
import { answer, ask, restart, submit, teamScript, vote } from '../support/team-script.ts';
import { pictureOf, plainText } from '../support/terminal-picture.ts';

/** Where the pictures for the documentation go: `REPRISE_PICTURES=docs/pictures npm run test:all -- test/cli/list-show`. */
const pictures = process.env['REPRISE_PICTURES'];

/** Longer than what a history has of a tool's result. */
const book = `A book of colors.\n${'Blue is a color. '.repeat(600)}\nThe end of the book.`;

const kit = `
const parameters = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] };
export const tools = [
  { name: 'read_guide', description: 'Read a guide.', parameters, sideEffects: true, execute: () => 'SQLite is a file. PostgreSQL is a server.' },
  { name: 'read_book', description: 'Read a book.', parameters, sideEffects: true, execute: () => ${JSON.stringify(book)} },
];
`;

const answers: Record<string, string> = {
  agent_a: 'SQLite: one file, no server, and enough for five people.',
  agent_b: 'PostgreSQL: it grows with the team.',
};

const scripts = {
  team: teamScript({
    answer: ({ agent, attempt, messages }) => {
      if (agent === 'agent_a' && attempt === 1 && !messages.some(({ role }) => role === 'tool'))
        return { calls: [{ name: 'read_guide', arguments: { name: 'databases' } }] };
      return answer(attempt === 1 ? (answers[agent] ?? '') : `${answers[agent]} Back it up each night.`);
    },
    vote: ({ agent }) => vote('agent1', agent === 'agent_a' ? 'It is the simplest.' : 'Five people need no server.'),
    decide: ({ attempt }) =>
      attempt === 1 ? restart('Nothing is said of backups.', 'Say how the data is kept safe.') : submit(),
    present: () => ({ text: 'Take SQLite: one file, no server. Copy the file each night.' }),
  }),
  asking: teamScript({
    answer: ({ messages }) =>
      messages.some(({ role }) => role === 'tool') ? answer('Dark it is.') : ask('Dark mode or light mode?'),
  }),
  research: researchScript({ criticise: ({ idea }) => criticism(idea === 'idea 1' ? 40 : 72) }),
  solve: solveScript({
    plan: () => subtasks('step_1', 'step_2', { id: 'step_3', depends_on: ['step_2'] }),
    work: ({ id, time }) =>
      id === 'step_2' && time === 1 ? failed('The table is empty.') : completed(`Result of ${id}.`),
    validate: ({ time }) => (time === 1 ? invalid('The growth of each town') : valid),
  }),
  chat: ({ messages, prompt }: Seen) =>
    prompt.includes('Read') && !messages.some(({ role }) => role === 'tool')
      ? { calls: [{ name: 'read_book', arguments: { name: 'colors' } }] }
      : { text: 'Blue.' },
};

const price = { input: 2, cachedInput: 0.5, output: 8 };
const backendOf = (model: keyof typeof scripts) => ({ backend: { type: 'openai', model } });
const configs = {
  team: {
    agents: ['agent_a', 'agent_b'].map((id) => ({
      id,
      system_message: `I am ${id}.`,
      ...(id === 'agent_a' && { tool_packages: ['kit'] }),
      ...backendOf('team'),
    })),
  },
  asking: {
    agents: [{ id: 'agent_a', system_message: 'I am agent_a.', ...backendOf('asking') }],
    orchestrator: { coordination: { broadcast: 'human' } },
  },
  research: { research: { ...backendOf('research'), search: { folder: ownDocs } } },
  solve: { plan: backendOf('solve') },
  chat: {
    modules: [
      { module: 'OpenAIProvider', id: 'llm', config: { model: 'chat' } },
      { module: 'PythonToolProvider', id: 'tools', config: { tool_packages: ['kit'] } },
      { module: 'SimpleToolOrchestrator', id: 'agent' },
    ],
    exchange: [
      { module: 'agent', protocol: 'LLMProtocol', provider: 'llm' },
      { module: 'agent', protocol: 'ToolProviderProtocol', provider: 'tools' },
      { module: '__entry__', protocol: 'TextMessageHandlerProtocol', provider: 'agent' },
    ],
  },
};

let model: ModelServer;
let home: Home;
let reprise: Reprise;

beforeAll(async () => {
  model = await startModelServer((seen) => scripts[seen.model as keyof typeof scripts](seen));
  home = await Home.make({ OPENAI_API_KEY: 'test-key-openai', OPENAI_BASE_URL: model.openai });
  writeFileSync(join(home.folder, 'kit.ts'), kit);
  const permissions = [{ tool: 'read_*', action: 'allow' }];
  for (const [name, config] of Object.entries(configs)) {
    const prices = Object.fromEntries(Object.keys(configs).map((each) => [each, price]));
    writeFileSync(join(home.folder, `${name}.json`), JSON.stringify({ ...config, prices, permissions }));
  }
  await home.upHere();
  reprise = await home.client();
  const begun: string[][] = [
    ['ask', 'Which database suits a team of five?', '--id', 'database', '--config', 'team.json'],
    ['research', 'A heat map of the town', '--id', 'heat-map', '--config', 'research.json'],
    ['solve', 'Which town has grown most?', '--id', 'towns', '--config', 'solve.json'],
    ['chat', 'Which color?', '--id', 'color', '--config', 'chat.json'],
    ['chat', 'Read about colors.', '--config', 'chat.json', '--id', 'book'],
    ['ask', 'What should our site look like?', '--id', 'site', '--config', 'asking.json', '--detach'],
  ];
  for (const words of begun) {
    const { status, stderr } = await home.run(words);
    if (status !== 0) throw new Error(`${words.join(' ')}\n${stderr}`);
  }
});
afterAll(async () => {
  await reprise.close();
  await home.remove();
  await model.close();
});

const siteWaits = () => expect.poll(() => reprise.getRun('site').pendingQuestions()).toHaveLength(1);

/** What a command prints. */
async function printed(...words: string[]): Promise<string> {
  const { status, stdout, stderr } = await home.run(words);
  if (status !== 0) throw new Error(stderr);
  return stdout;
}

/** Visibility tells of a run's end some time after it. */
const listed = async (id: string, ...words: string[]): Promise<ListedRun | undefined> =>
  (JSON.parse(await printed('list', '--json', ...words)) as ListedRun[]).find((run) => run.id === id);

test('a list has for each run its kind, question, state, age and cost, and what it waits for', async () => {
  await siteWaits();
  let text = '';
  const lineOf = (id: string): string[] => {
    const lines = text.split('\n');
    const at = lines.findIndex((line) => line.endsWith(`  ${id}`));
    return [lines[at]?.replace(/ {2,}/g, '  ') ?? '', lines[at + 1] ?? '', lines[at + 2] ?? ''];
  };
  const age = '\\d+ (s|min)';
  const cost = '\\$\\d\\.\\d{4}';
  const states = [
    ['ask  submitted', 'database'],
    ['research  viable', 'heat-map'],
    ['solve  complete', 'towns'],
    ['chat  waits for a turn', 'color'],
    ['ask  waits for an answer', 'site'],
  ] as const;
  // An open run whose worker is slow has no state in it.
  await expect
    .poll(async () => {
      text = await printed('list');
      return states.map(([, id]) => lineOf(id)[0]);
    })
    .toEqual(states.map(([what, id]) => expect.stringMatching(`^${what}  ${age}  ${cost}  ${id}$`) as string));
  expect(text.split('\n')[0]?.trim()).toMatch(/^KIND {2,}STATE {2,}AGE {2,}COST {2}ID$/);
  expect(lineOf('database')[1]).toBe('  Which database suits a team of five?');
  expect(lineOf('color')[1]).toBe('  Which color?');
  expect(lineOf('site').slice(1)).toEqual([
    '  What should our site look like?',
    '  waits for an answer: agent_a (q1): Dark mode or light mode?',
  ]);
});

const columns = 80;

test.skipIf(browserPath === undefined || !hasTerminals)(
  'what is pictured is what is printed on a terminal of 80 columns, in which no line is longer',
  async () => {
    await siteWaits();
    for (const [name, words] of [
      ['list', ['list']],
      ['show', ['show', 'database']],
    ] as const) {
      const { stderr: shown } = await home.startOnTerminal([...words], { WHOLE_TERMINAL: String(columns) }).finished;
      const lines = plainText(shown).trimEnd().split('\n');
      expect(lines.filter((line) => line.length > columns)).toEqual([]);
      const file = pictures === undefined ? undefined : join(pictures, `${name}.png`);
      expect((await pictureOf(shown, columns, file)).trimEnd()).toBe(plainText(shown).trimEnd());
    }
  },
);

test('--json gives an array with the questions that wait and the state of open runs; --open leaves the others out', async () => {
  await siteWaits();
  const open = async () => JSON.parse(await printed('list', '--open', '--json')) as ListedRun[];
  await expect.poll(async () => (await open()).map(({ id }) => id).toSorted()).toEqual(['book', 'color', 'site']);
  await expect
    .poll(async () => (await open()).find(({ id }) => id === 'site'))
    .toMatchObject({
      workflow: 'orchestration',
      question: 'What should our site look like?',
      status: 'running',
      outcome: null,
      endedAt: null,
      spent: { calls: 1 },
      isWaiting: true,
      waiting: [{ questionId: 'q1', from: 'agent_a', question: 'Dark mode or light mode?' }],
      state: { workflow: 'orchestration', attempt: 1 },
    });
});

test('--limit lists the newest, and says that there are more', async () => {
  const { stderr, stdout } = await home.run(['list', '--json', '--limit', '2']);
  expect(JSON.parse(stdout)).toHaveLength(2);
  expect(stderr).toContain('These are the newest 2; --all lists all');
  expect(await home.run(['list', '--limit', 'few'])).toMatchObject({ status: 2 });
});

test('a run without a worker is listed and shown with what is known', async () => {
  await reprise.client.workflow.start('research', {
    taskQueue: 'nobody',
    workflowId: 'alone',
    args: [{ idea: 'Alone' }],
  });
  await expect
    .poll(() => listed('alone', '--all'))
    .toMatchObject({ question: 'Alone', status: 'running', spent: null, state: null, waiting: [] });
  expect((await home.run(['list'])).stderr).toContain('No worker has told in time how far 1 of the open runs');
  const shown = await printed('show', 'alone');
  expect(shown).toContain('No worker has told what the run is doing');
  await reprise.getRun('alone').terminate();
  await expect.poll(() => listed('alone', '--all').then((run) => run?.status)).toBe('terminated');
});

test("a team's run has each answer, vote, judgement and tool call with its text", async () => {
  const text = await printed('show', 'database', '--plain');
  for (const part of [
    'Which database suits a team of five?\n',
    '  database: ask, submitted, ',
    '── Attempt 1 ─',
    'agent_a calls read_guide\n  {"name":"databases"}\n  → SQLite is a file. PostgreSQL is a server.\n',
    'agent_a answers\n  SQLite: one file, no server, and enough for five people.',
    'agent_b answers\n  PostgreSQL: it grows with the team.',
    'agent_b votes for agent_a\n  Five people need no server.',
    'agent_a wants a restart\n  Reason: Nothing is said of backups.\n  Instructions: Say how the data is kept safe.',
    '── Attempt 2 ─',
    'agent_b answers\n  PostgreSQL: it grows with the team. Back it up each night.',
    'agent_a submits',
    '── Answer, by agent_a ─',
    '  Take SQLite: one file, no server. Copy the file each night.',
    '── Cost ─',
  ])
    expect(text).toContain(part);
  expect(text).toMatch(/\n {2}agent_b {2}4 calls, [\d,]+ tokens, \$/);
  expect(text).not.toMatch(/\p{Extended_Pictographic}/u);
});

test("of a long result the beginning is printed; the whole comes from the worker's home, and without it that is said", async () => {
  const text = await printed('show', 'book');
  expect(text).toMatch(/→ A book of colors\.\n[^]*…\n {2}\[[\d,]+ more characters; --json has them\]\n/);
  const resultIn = ({ steps }: RunRecord) => steps.flatMap((step) => (step.type === 'tool' ? [step] : []));
  const whole = JSON.parse(await printed('show', 'book', '--json')) as RunRecord;
  expect(resultIn(whole)).toMatchObject([{ tool: 'read_book', result: book }]);
  expect(whole.notes).toEqual([]);
  const { stdout } = await home.run(['show', 'book', '--json'], { REPRISE_HOME: join(home.folder, 'elsewhere') });
  const part = JSON.parse(stdout) as RunRecord;
  const beginning = /^A book of colors\.[^]*\[the beginning; \d+ characters in all\]$/;
  expect(resultIn(part)).toMatchObject([{ isCut: true, result: expect.stringMatching(beginning) as string }]);
  expect(part.notes.join()).toContain('Some long texts are cut or missing');
});

test('research, a plan and a session have what was found, tried and said', async () => {
  const research = await printed('show', 'heat-map');
  expect(research).toContain('1. idea 1: 40/100 (Significant concerns); planned again: Its viability score is 40/100');
  expect(research).toContain('  # On idea 2');
  expect(research).toMatch(/## Sources\n\n {2}1\. /);
  const plan = await printed('show', 'towns');
  expect(plan).toContain('❌ step_2 has failed\n  The table is empty.');
  expect(plan).toContain('step_2: Do step_2 (completed, 2 executions)');
  expect(plan).toContain('Missing: The growth of each town');
  const session = await printed('show', 'color');
  expect(session).toContain('👤 The person\n  Which color?\n\n💬 agent says\n  Blue.');
});

test('an open run is shown as far as it has come, with what waits for a person; its answer is a step afterwards', async () => {
  await siteWaits();
  const before = await printed('show', 'site');
  expect(before).toContain('site: ask, attempt 1/3, ');
  expect(before).toContain('It waits for an answer: agent_a (q1): Dark mode or light mode?');
  expect(before).toContain('📢 agent_a asks\n  Dark mode or light mode?');
  await reprise.getRun('site').answer({ questionId: 'q1', answer: 'Dark, please.' });
  await reprise.getRun('site').result();
  const after = await printed('show', 'site');
  expect(after).toContain('👤 A person answers q1\n  Dark, please.');
  expect(after).toContain('💡 agent_a answers\n  Dark it is.');
});

test('--prompts shows what each model was sent, which tools it had, and what it replied', async () => {
  const text = await printed('show', 'database', '--prompts');
  expect(text).toMatch(
    /── agent_a: answer, attempt 1, team ─+\n {2}\d+ s, [\d,]+ tokens in, \d+ out\n→ system\n {2}I am agent_a\./,
  );
  expect(text).toMatch(/→ user\n {2}## Task\n\n {2}Which database suits a team of five\?/);
  expect(text).toContain('→ tools (required): new_answer, vote, read_guide, read_book');
  expect(text).toContain('← reply\n  read_guide({"name":"databases"})');
  const { calls = [] } = JSON.parse(await printed('show', 'database', '--prompts', '--json')) as RunRecord;
  expect(calls).toHaveLength(12);
});

test('the library gives the same', async () => {
  const record = await reprise.getRun('towns').show();
  expect(record).toMatchObject({ id: 'towns', workflow: 'planAndExecute', status: 'completed', outcome: 'complete' });
  expect(record.steps).toEqual((JSON.parse(await printed('show', 'towns', '--json')) as RunRecord).steps);
  expect((await reprise.list({ open: true })).map(({ id }) => id)).toContain('color');
});

test('of an unknown id it says so', async () => {
  const { status, stderr } = await home.run(['show', 'nobody']);
  expect({ status, stderr }).toEqual({ status: 1, stderr: 'There is no run of the id nobody\n' });
});
