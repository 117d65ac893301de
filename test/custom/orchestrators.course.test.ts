import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { WorkflowUpdateFailedError, type WorkflowHandle } from '@temporalio/client';
import { Worker } from '@temporalio/worker';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import type { RunEvent } from '../../src/protocol/events.ts';
import type { SessionResult, TurnResult } from '../../src/protocol/session.ts';
import { configOf, folderOf, orchestrator } from '../support/extensions.ts';
import type { Script } from '../support/model-server.ts';
import { running, type Running } from '../support/running.ts';

/** Orchestrator files by name. */
const files = {
  'echo.ts': orchestrator('const { content } = await llm.generate([{ role: "user", content: text }]); return content;'),
  'typed.mts': orchestrator('const said: string = text as string; return said.length > 0 ? "typed" : "";'),
  'plain.js': orchestrator('return `plain ${text}`;'),
  'sub/helped.ts': orchestrator('return help(text);', "import { help } from './help.ts';\n"),
  'sub/help.ts': 'export const help = (text: string): string => `helped ${text}`;\n',
  'chain.ts': orchestrator(`
    const messages = [{ role: 'system', content: 'You go on. ' + 'x'.repeat(9000) }, { role: 'user', content: text }];
    for (let n = 1; n <= 3; n++) {
      messages.push(await llm.generate(messages), { role: 'user', content: 'Go on ' + n });
    }
    const other = await llm.generate([messages[0], { role: 'user', content: 'Something else' }]);
    return other.content;`),
  'warm.ts': orchestrator(
    'return (await llm.generate([{ role: "user", content: text }], { temperature: 1.5 })).content;',
  ),
  'says.ts': orchestrator('respond("One."); respond("Two.");'),
  'silent.ts': orchestrator(''),
  'number.ts': orchestrator('return 42;'),
  'returns-much.ts': orchestrator('return "x".repeat(3_000_000);'),
  'says-much.ts': orchestrator('respond("x".repeat(3_000_000)); return "Done.";'),
  'asks-much.ts': orchestrator(
    'await llm.generate([{ role: "user", content: "x".repeat(3_000_000) }]); return "Done.";',
  ),
  'calls-much.ts': orchestrator('await tools.execute("any", { text: "x".repeat(3_000_000) }); return "Done.";'),
  'throws.ts': orchestrator('throw new RangeError("too far");'),
  // A model's text may be part of a message, and stands in the stack too.
  'long.ts': orchestrator('throw new Error(`at last\\n    at ${"x".repeat(500_000)}`);'),
  'helper.ts': orchestrator('return helpless(text);', "import { helpless } from './sub/helpless.ts';\n"),
  'sub/helpless.ts': 'export const helpless = (text: string): never => (text as never as { no(): never }).no();\n',
  'later.ts': orchestrator(
    'interface Gone { with: string }\nawait new Promise((resolve) => setTimeout(resolve, 5));\nthrow new Error("too late");',
  ),
  'broken-at-once.ts': orchestrator('return "x";', 'throw new Error("at the top");\n'),
  'wrong-message.ts': orchestrator('return (await llm.generate([{ role: "usr", content: text }])).content;'),
  'never.ts': orchestrator('respond("I think."); await new Promise(() => {});'),
  'remembers.ts': orchestrator('return JSON.stringify({ history, config });'),
  'sandbox.ts': orchestrator(`
    const begun = Date.now();
    await new Promise((resolve) => setTimeout(resolve, 20));
    return String(Math.random() < 1 && Date.now() >= begun);`),
  'careless.ts': orchestrator(`
    const fail = async () => { await llm.generate([{ role: 'user', content: 'x' }]); throw new Error('nobody waits'); };
    void fail();
    await new Promise((resolve) => setTimeout(resolve, 60000));`),
  'two-calls.ts': orchestrator(`
    const ask = () => llm.generate([{ role: 'user', content: text }]);
    const calls = [ask(), ask()];
    return (await Promise.allSettled(calls)).map(({ status }) => status).join();`),
  'lax.ts': orchestrator(
    'await llm.generate([{ role: "user", content: text }]); respond("First."); return (await llm.generate([{ role: "user", content: text + "!" }])).content;',
  ),
  'loop.ts': orchestrator('if (text === "loop") for (;;) {} return "fine";'),
  'loop-later.ts': orchestrator('await llm.generate([{ role: "user", content: text }]); for (;;) await null;'),
  'not-one.ts': 'export const handle = 1;\n',
};

/** Where one cannot be bundled, all are bundled one by one: the good ones are few here. */
const withBad = {
  'echo.ts': files['echo.ts'],
  'node.ts': orchestrator('return readFileSync(text, "utf8");', "import { readFileSync } from 'node:fs';\n"),
  'bare.ts': orchestrator('return readFileSync(text, "utf8");', "import { readFileSync } from 'fs';\n"),
  'syntax.ts': orchestrator('return {;'),
  'lost.ts': orchestrator('return help;', "import { help } from './nowhere.ts';\n"),
  'node_modules/pkg/index.js': orchestrator('return "x";'),
};

let script: Script = () => ({ text: 'Hello.' });
let run: Running;
let folder: string;
beforeAll(async () => {
  folder = folderOf(files);
  run = await running((seen) => script(seen), {}, folder);
});
afterAll(async () => {
  await run[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true, force: true });
});

const say = (session: WorkflowHandle, text: string): Promise<TurnResult> =>
  session.executeUpdate<TurnResult, [string]>('handleText', { args: [text] });

async function turn(file: string, text = 'Hi.', config = {}, rest = {}, on = run): Promise<SessionResult> {
  const session = await on.startSession({ config: configOf(`./${file}`, config, rest), text });
  return (await session.result()) as SessionResult;
}

const failureOf = async (
  result: Promise<unknown>,
): Promise<{ type?: string; message: string; nonRetryable?: boolean }> => {
  const error = (await result.then(
    () => undefined,
    (reason: unknown) => reason,
  )) as Error & { cause: Error };
  return error.cause;
};

test.each([
  ['echo.ts', 'Hello.'],
  ['typed.mts', 'typed'],
  ['plain.js', 'plain Hi.'],
  ['sub/helped.ts', 'helped Hi.'],
  ['sandbox.ts', 'true'],
])('%s takes a turn', async (file, answer) => {
  expect(await turn(file)).toMatchObject({ answer, messages: [answer], outcome: 'answered', turns: 1 });
});

test('a call that continues a conversation names it, and sends only what is new', async () => {
  let count = 0;
  script = () => ({ text: `Reply ${++count}.` });
  run.model.requests.length = 0;
  const session = await run.startSession({ config: configOf('./chain.ts'), text: 'Begin.' });
  expect(await session.result()).toMatchObject({ answer: 'Reply 4.' });
  const said = run.model.requests.map(({ messages }) => messages.map(({ text }) => text).slice(1));
  expect(said).toEqual([
    ['Begin.'],
    ['Begin.', 'Reply 1.', 'Go on 1'],
    ['Begin.', 'Reply 1.', 'Go on 1', 'Reply 2.', 'Go on 2'],
    ['Something else'],
  ]);
  const { events } = await session.fetchHistory();
  const inputs = (events ?? []).flatMap((event) => {
    const { input, activityType } = event.activityTaskScheduledEventAttributes ?? {};
    if (activityType?.name !== 'callModel') return [];
    const data = input?.payloads?.[0]?.data;
    return [JSON.parse(Buffer.from(data ?? []).toString()) as { transcript: unknown; append: unknown[] }];
  });
  expect(inputs.map(({ append }) => append.length)).toEqual([2, 1, 1, 2]);
  expect(inputs.map(({ transcript }) => transcript === null)).toEqual([true, false, false, true]);
  expect(inputs[3]?.append[0]).toEqual({
    role: 'system',
    content: { blob: expect.any(String) as string, preview: expect.stringMatching(/^You go on\. x+$/) as string },
  });
});

test('a temperature applies to one call alone', async () => {
  script = () => ({ text: 'Warm.' });
  run.model.requests.length = 0;
  await turn('warm.ts');
  expect(run.model.requests.map(({ temperature }) => temperature)).toEqual([1.5]);
});

test('an answer that its model has not come to the end of says so', async () => {
  script = () => ({ text: 'Half of', finish: 'length' });
  expect(await turn('echo.ts')).toMatchObject({
    answer: 'Half of',
    outcome: 'limit',
    warnings: ['the answer was cut off at its limit of tokens'],
  });
  script = () => ({ text: 'Hello.' });
});

test('without a returned text, the answer is the last text that it responded with', async () => {
  const session = await run.startSession({ config: configOf('./says.ts'), text: 'Hi.' });
  expect(await session.result()).toMatchObject({ answer: 'Two.', messages: ['One.', 'Two.'] });
  const events = await session.query<RunEvent[]>('events');
  expect(events.map(({ type }) => type)).toEqual(['turn', 'says', 'says', 'final']);
});

test('it knows what was said before the session and in earlier turns, and its config', async () => {
  const session = await run.startSession({
    config: configOf('./remembers.ts', { style: 'dry' }),
    history: [
      { role: 'user', content: 'Before.' },
      { role: 'assistant', content: 'Yes?' },
    ],
  });
  const { answer: first } = await say(session, 'One.');
  const { answer: second } = await say(session, 'Two.');
  await session.signal('close');
  await session.result();
  const before = [
    { role: 'user', content: 'Before.' },
    { role: 'assistant', content: 'Yes?' },
  ];
  expect(JSON.parse(first)).toEqual({ history: before, config: { style: 'dry' } });
  expect(JSON.parse(second)).toEqual({
    history: [...before, { role: 'user', content: 'One.' }, { role: 'assistant', content: first }],
    config: { style: 'dry' },
  });
});

test.each([
  ['silent.ts', 'OrchestratorFailed', 'returned without a text'],
  ['number.ts', 'OrchestratorFailed', 'no text (number)'],
  ['returns-much.ts', 'OrchestratorFailed', 'a text of 3000000 characters'],
  ['says-much.ts', 'OrchestratorFailed', 'a text of 3000000 characters'],
  ['asks-much.ts', 'OrchestratorFailed', 'a text of 30000'],
  ['calls-much.ts', 'OrchestratorFailed', 'a text of 30000'],
  ['throws.ts', 'OrchestratorFailed', './throws.ts:2: RangeError: too far'],
  ['long.ts', 'OrchestratorFailed', './long.ts:2: Error: at last'],
  ['broken-at-once.ts', 'OrchestratorFailed', './broken-at-once.ts:1: Error: at the top'],
  ['helper.ts', 'OrchestratorFailed', './helper.ts:3: TypeError: '],
  ['later.ts', 'OrchestratorFailed', './later.ts:4: Error: too late'],
  ['wrong-message.ts', 'OrchestratorFailed', 'messages[0].role must be'],
  ['not-one.ts', 'InvalidInput', 'exports no function handleText'],
  ['missing.ts', 'InvalidInput', 'is not there'],
])('%s ends the run with %s, which names the file', async (file, type, message) => {
  const failure = await failureOf(turn(file));
  expect(failure).toMatchObject({ type, nonRetryable: true });
  expect(failure.message).toContain(`./${file}`);
  expect(failure.message).toContain(message);
});

describe('beside files that cannot be bundled', () => {
  let other: Running;
  let otherFolder: string;
  beforeAll(async () => {
    otherFolder = folderOf(withBad);
    other = await running((seen) => script(seen), {}, otherFolder);
  });
  afterAll(async () => {
    await other[Symbol.asyncDispose]();
    rmSync(otherFolder, { recursive: true, force: true });
  });
  const turnThere = (file: string): Promise<SessionResult> => turn(file, 'Hi.', {}, {}, other);

  test('a good one takes a turn', async () => {
    script = () => ({ text: 'Hello.' });
    expect(await turnThere('echo.ts')).toMatchObject({ answer: 'Hello.', outcome: 'answered' });
  });

  test.each([
    ['node.ts', 'left out when this worker started: it imports node:fs'],
    ['bare.ts', 'left out when this worker started: it imports fs'],
    ['syntax.ts', 'left out when this worker started'],
    ['lost.ts', './nowhere.ts'],
  ])('%s ends the run with InvalidInput, which names the file', async (file, message) => {
    const failure = await failureOf(turnThere(file));
    expect(failure).toMatchObject({ type: 'InvalidInput', nonRetryable: true });
    expect(failure.message).toContain(`./${file}`);
    expect(failure.message).toContain(message);
  });

  test('a file that cannot be run is answered with those that can', async () => {
    const { message } = await failureOf(turnThere('missing.ts'));
    expect(message).toContain('./echo.ts');
    expect(message).not.toContain('./syntax.ts');
    expect(message).not.toContain('node_modules');
  });
});

test('a model that fails for good fails the turn, and the session goes on', async () => {
  script = ({ prompt }) => (prompt.includes('Bad.') ? { status: 400 } : { text: 'Good.' });
  const session = await run.startSession({ config: configOf('./echo.ts') });
  const failed = await say(session, 'Bad.').catch((error: unknown) => error);
  expect(failed).toBeInstanceOf(WorkflowUpdateFailedError);
  expect((failed as { cause: unknown }).cause).toMatchObject({ type: 'TurnFailed' });
  expect(await say(session, 'Good?')).toMatchObject({ answer: 'Good.', turn: 2 });
  await session.signal('close');
  await session.result();
});

test('calls that fail while nobody waits for them fail nothing else', async () => {
  script = () => ({ status: 400 });
  expect(await turn('two-calls.ts')).toMatchObject({ answer: 'rejected,rejected' });
});

test('a spent budget delivers the last text that was shown', async () => {
  script = () => ({ text: 'A reply.' });
  expect(await turn('lax.ts', 'Hi.', {}, { budget: { calls: 1 } })).toMatchObject({
    answer: 'First.',
    outcome: 'budget',
  });
});

test('a turn that never ends is ended when its time is up', async () => {
  const failure = await failureOf(turn('never.ts', 'Hi.', {}, { budget: { seconds: 1 } }));
  expect(failure).toMatchObject({ type: 'OrchestratorFailed' });
  expect(failure.message).toBe('./never.ts: handleText was not done within 1 seconds');
});

describe('an endless loop', () => {
  let brisk: Running;
  beforeAll(async () => {
    const create = Worker.create.bind(Worker);
    // A loop is interrupted twice, each time after five seconds of a whole processor by the SDK's own limit. Its types lack it.
    const limit = { isolateExecutionTimeout: '2 seconds' };
    const limited = vi.spyOn(Worker, 'create');
    limited.mockImplementation((options) => create({ ...options, ...limit }));
    brisk = await running(() => ({ text: 'Hello.' }), {}, folder);
    limited.mockRestore();
  });
  afterAll(() => brisk[Symbol.asyncDispose]());

  test.each([['loop.ts'], ['loop-later.ts']])('in %s ends its run, and only that one', async (file) => {
    const other = await brisk.startSession({ config: configOf('./loop.ts') });
    const failure = await failureOf(turn(file, 'loop', {}, {}, brisk));
    expect(failure.message).toContain(`./${file} ran for seconds without coming to rest`);
    expect(await say(other, 'Hi.')).toMatchObject({ answer: 'fine' });
    await other.signal('close');
    await other.result();
  });
});

test('a failure that nobody waits for ends the run', async () => {
  script = () => ({ text: 'Hello.' });
  const failure = await failureOf(turn('careless.ts'));
  expect(failure.message).toContain('./careless.ts failed outside of what handleText waits for');
  expect(failure.message).toContain('nobody waits');
});

// At the end, since a worker that starts after it has its bundle made anew.
test('a file that was added since the worker started says so', async () => {
  writeFileSync(join(folder, 'late.ts'), orchestrator('return "late";'));
  const failure = await failureOf(turn('late.ts'));
  expect(failure).toMatchObject({ type: 'InvalidInput' });
  expect(failure.message).toContain('./late.ts was added or changed after this worker started');
});
