import { rmSync } from 'node:fs';
import type { WorkflowHandle } from '@temporalio/client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { PendingQuestion } from '../../src/protocol/questions.ts';
import type { RunEvent } from '../../src/protocol/events.ts';
import type { SessionResult, TurnResult } from '../../src/protocol/session.ts';
import { configOf, folderOf, orchestrator } from '../support/extensions.ts';
import type { Script } from '../support/model-server.ts';
import { toolResults } from '../support/reading.ts';
import { running, type Running } from '../support/running.ts';

const long = 'word '.repeat(4000);

const files = {
  'tools/sample.ts': `
    const text = { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] };
    export const tools = [
      { name: 'shout', description: 'Says it louder.', parameters: text, execute: ({ text }) => text.toUpperCase() },
      { name: 'fail', description: 'Fails.', parameters: text, execute: () => { throw new Error('no luck'); } },
      { name: 'read', description: 'Reads.', parameters: text, execute: () => ${JSON.stringify(long)} },
    ];`,
  'list.ts': orchestrator(
    'return (await tools.list()).map(({ name, description }) => name + ": " + description).join(" ");',
  ),
  'by-name.ts': orchestrator(`
    const results = [await tools.execute('shout', { text }), await tools.execute('fail', { text }), await tools.execute('nope')];
    return JSON.stringify(results);`),
  'loop.ts': orchestrator(`
    const messages = [{ role: 'user', content: text }];
    for (;;) {
      const reply = await llm.generate(messages, { tools: true });
      messages.push(reply);
      if (reply.toolCalls.length === 0) return reply.content;
      for (const call of reply.toolCalls) {
        const result = await tools.execute(call);
        messages.push({ role: 'tool', callId: call.id, content: result.text });
      }
    }`),
  'no-tools.ts': orchestrator('return (await llm.generate([{ role: "user", content: text }])).content;'),
  'remembers.ts': orchestrator('return history.length + " " + (history.at(-1)?.content ?? "").slice(0, 3);'),
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

function withTools(module: string, rest: object = {}): object {
  const config = configOf(module, {}, rest) as { modules: object[]; exchange: object[] };
  return {
    ...config,
    modules: [
      ...config.modules,
      { id: 'sample', module: 'reprise.PythonToolProvider', config: { tool_packages: ['tools.sample'] } },
    ],
    exchange: [...config.exchange, { module: 'mine', protocol: 'ToolProviderProtocol', provider: 'sample' }],
  };
}

async function turn(file: string, text = 'Hi.'): Promise<SessionResult> {
  const session = await run.startSession({ config: withTools(`./${file}`), text });
  return (await session.result()) as SessionResult;
}

test('tools are listed by their names and descriptions', async () => {
  expect(await turn('list.ts')).toMatchObject({ answer: 'shout: Says it louder. fail: Fails. read: Reads.' });
});

test('tools run by their names; what goes wrong is in the result', async () => {
  const { answer } = await turn('by-name.ts');
  expect(JSON.parse(answer)).toEqual([
    { status: 'ok', text: 'HI.' },
    { status: 'exception', text: expect.stringContaining('no luck') as string },
    { status: 'error', text: expect.stringContaining('No such tool available: nope') as string },
  ]);
});

test('the calls of a reply run as they stand, and their results are for the next call', async () => {
  script = ({ index, tools }) => {
    expect(tools).toEqual(['shout', 'fail', 'read']);
    if (index === 0)
      return {
        calls: [
          { name: 'shout', arguments: { text: 'loud' } },
          { name: 'shout', arguments: { txt: 'wrong' } },
          { name: 'read', arguments: { text: 'all' } },
        ],
      };
    return { text: 'Done.' };
  };
  run.model.requests.length = 0;
  const session = await run.startSession({ config: withTools('./loop.ts'), text: 'Work.' });
  expect(await session.result()).toMatchObject({ answer: 'Done.', usage: { calls: 2 } });
  expect(toolResults(run.model.requests[1]!)).toEqual(['LOUD', expect.stringContaining('do not fit') as string, long]);
  const events = await session.query<RunEvent[]>('events');
  const types = events.map(({ type }) => type).join(' ');
  expect(types).toBe('turn thinking tool tool_ended tool tool_ended thinking says final');
});

test('a model is offered tools only on request', async () => {
  run.model.requests.length = 0;
  script = () => ({ text: 'Hello.' });
  await turn('no-tools.ts');
  expect(run.model.requests.map(({ tools }) => tools)).toEqual([[]]);
});

test('it may ask a person if there is one', async () => {
  script = ({ prompt }) =>
    prompt.includes('"request_id"')
      ? { text: 'Thanks.' }
      : { calls: [{ name: 'ask_others', arguments: { question: 'Which colour?' } }] };
  const config = withTools('./loop.ts', { coordination: { broadcast: 'human' } });
  const session = await run.startSession({ config, text: 'Paint.' });
  await expect
    .poll(async () => session.query<PendingQuestion[]>('pendingQuestions'))
    .toMatchObject([{ question: 'Which colour?' }]);
  await session.signal('answer', { answer: 'Blue' });
  expect(await session.result()).toMatchObject({
    answer: 'Thanks.',
    humanQa: [{ question: 'Which colour?', answer: 'Blue' }],
  });
});

test('its history goes on when the session goes on in a new run', async () => {
  const say = (session: WorkflowHandle, text: string): Promise<TurnResult> =>
    session.executeUpdate<TurnResult, [string]>('handleText', { args: [text] });
  const session = await run.startSession({ config: configOf('./remembers.ts') });
  const firstRun = (await session.describe()).runId;
  let turns = 0;
  while ((await session.describe()).runId === firstRun) {
    expect((await say(session, `Turn ${turns}.`)).answer.split(' ')[0]).toBe(String(turns * 2));
    expect(++turns).toBeLessThan(1500);
  }
  expect((await say(session, 'Last.')).answer.split(' ')[0]).toBe(String(turns * 2));
  await session.signal('close');
  expect(await session.result()).toMatchObject({ turns: turns + 1 });
});
