import { rmSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { RunEvent } from '../../src/protocol/events.ts';
import type { SessionResult, TurnResult } from '../../src/protocol/session.ts';
import { configOf, folderOf, orchestrator } from '../support/extensions.ts';
import type { Seen } from '../support/model-server.ts';
import { running, type Running } from '../support/running.ts';
import { solveScript } from '../support/solve-script.ts';

/** Sessions, teams and plans run custom orchestrators by the same code, so that each rule is tested in one of them. */
const files = {
  'slow-or-quick.ts': orchestrator(`
    if (text === 'quick') return 'Quick.';
    return (await llm.generate([{ role: 'user', content: 'Hang on: ' + text }])).content;`),
  'leaves.ts': orchestrator(`
    void llm.generate([{ role: 'user', content: 'Hang on: ' + text }]);
    await tools.execute('nothing');
    await llm.generate([{ role: 'user', content: 'Meanwhile.' }]);
    return 'Done.';`),
  'says-and-hangs.ts': orchestrator(`
    respond('So far.');
    return (await llm.generate([{ role: 'user', content: 'Hang on.' }])).content;`),
  'hangs.ts': orchestrator("return (await llm.generate([{ role: 'user', content: 'Hang on.' }])).content;"),
};

let hangs: PromiseWithResolvers<void>;
let run: Running;
let folder: string;

const solving = solveScript();
const script = async (seen: Seen) => {
  if (seen.prompt.includes('Hang on')) {
    hangs.resolve();
    return { text: 'A few words, and then nothing more for a long time.', pace: 600_000 };
  }
  if (seen.prompt.includes('Meanwhile')) await hangs.promise;
  return seen.tools.length > 0 || seen.prompt.includes('## Results') ? solving(seen) : { text: 'Well.' };
};

beforeAll(async () => {
  hangs = Promise.withResolvers<void>();
  folder = folderOf(files);
  run = await running(script, {}, folder);
});
afterAll(async () => {
  await run[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true, force: true });
});

test('a turn whose budget of time is up ends with what there is, and its calls are counted', async () => {
  hangs = Promise.withResolvers<void>();
  const session = await run.startSession({ config: configOf('./slow-or-quick.ts', {}, { budget: { seconds: 8 } }) });
  const say = (text: string): Promise<TurnResult> =>
    session.executeUpdate<TurnResult, [string]>('handleText', { args: [text] });
  expect(await say('slow')).toMatchObject({ answer: '(No answer yet. The budget of 8 seconds is spent.)' });
  expect(await say('quick')).toMatchObject({ answer: 'Quick.' });
  await session.signal('close');
  const { usage } = (await session.result()) as SessionResult;
  expect(usage.calls).toBe(1);
  expect(usage.inputTokens).toBeGreaterThan(0);
});

test('calls that are still under way when handleText returns are cancelled and counted', async () => {
  hangs = Promise.withResolvers<void>();
  const session = await run.startSession({ config: configOf('./leaves.ts'), text: 'Go.' });
  const { answer, usage } = (await session.result()) as SessionResult;
  expect(answer).toBe('Done.');
  expect(usage.calls).toBe(2);
  const left = run.model.requests.find(({ prompt }) => prompt.includes('Hang on: Go.'));
  await expect.poll(() => left?.aborted).toBe(true);
});

test('a session that is cancelled ends its turn with what the file has said', async () => {
  hangs = Promise.withResolvers<void>();
  const session = await run.startSession({ config: configOf('./says-and-hangs.ts'), text: 'Go.' });
  await hangs.promise;
  await session.cancel();
  expect(await session.result()).toMatchObject({
    outcome: 'cancelled',
    answer: 'So far.',
    messages: ['So far.', '(The session was cancelled.)'],
  });
});

test('a plan that is cancelled ends as cancelled: its custom subtask has not failed', async () => {
  hangs = Promise.withResolvers<void>();
  const executor = { orchestrator: './hangs.ts' };
  const handle = await run.startSolve({
    problem: 'Solve it.',
    config: { plan: { backend: { type: 'openai' }, executor } },
  });
  await hangs.promise;
  await handle.cancel();
  expect(await handle.result()).toMatchObject({ outcome: 'cancelled', subtasks: [{ status: 'running' }] });
  const events = await handle.query<RunEvent[]>('events');
  expect(events.filter(({ type }) => type === 'subtask_failed')).toEqual([]);
});
