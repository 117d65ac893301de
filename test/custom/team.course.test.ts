import { rmSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { RunEvent } from '../../src/protocol/events.ts';
import type { OrchestrationResult } from '../../src/protocol/orchestration.ts';
import type { PendingQuestion } from '../../src/protocol/questions.ts';
import { folderOf, orchestrator } from '../support/extensions.ts';
import { running, type Running } from '../support/running.ts';
import { restart, submit, teamOf, teamScript } from '../support/team-script.ts';

const script = teamScript({
  decide: ({ attempt, prompt }) =>
    prompt.includes('Twice.') && attempt === 1 ? restart('Too short.', 'Say more.') : submit(),
});
const folder = folderOf({
  'mine.ts': orchestrator(
    `const { content } = await llm.generate([{ role: 'user', content: 'Draft: ' + text }]);
     return (text.includes('Say more.') ? 'Longer: ' : 'Mine: ') + content;`,
  ),
  'asks.ts': orchestrator(
    `const { text: said } = await tools.execute('ask_others', { question: 'Which one? ' + 'Really. '.repeat(60) });
     return JSON.parse(said).responses.map(({ responder_id, content }) => responder_id + ': ' + content).join();`,
  ),
  'twice.ts': orchestrator(
    `await llm.generate([{ role: 'user', content: 'Draft: first' }]);
     const { content } = await llm.generate([{ role: 'user', content: 'Draft: ' + text }]);
     return 'Done: ' + content;`,
  ),
  'throws.ts': orchestrator('throw new RangeError("too far");'),
});
let run: Running;
/** Is awaited before each reply. */
let held = async (): Promise<void> => {};

/** Holds the first reply until it is released. */
function holdingFirst() {
  const reached = Promise.withResolvers<void>();
  const released = Promise.withResolvers<void>();
  const script = async (): Promise<void> => {
    reached.resolve();
    await released.promise;
  };
  return { reached: reached.promise, release: released.resolve, script };
}
beforeAll(async () => {
  run = await running(
    async (seen) => {
      await held();
      return seen.prompt.includes('Draft: ') ? { text: 'drafted' } : script(seen);
    },
    {},
    folder,
  );
});
afterAll(async () => {
  await run[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true, force: true });
});

async function play(
  file: string,
  task: string,
  coordination: object = {},
): Promise<{ result: OrchestrationResult; events: RunEvent[] }> {
  const team = teamOf(['agent_a', 'agent_b'], { type: 'openai' }, coordination);
  const [first, ...others] = team.agents;
  const handle = await run.start({ task, config: { ...team, agents: [{ ...first, orchestrator: file }, ...others] } });
  const result = (await handle.result()) as OrchestrationResult;
  return { result, events: await handle.query<RunEvent[]>('events') };
}

const answersOf = (events: RunEvent[], agent: string): string[] =>
  events.flatMap((event) => (event.type === 'answer' && event.agent === agent ? [event.content] : []));

test('an agent of a team answers by a custom orchestrator, votes like the others, and is told why the team starts over', async () => {
  const { events, result } = await play('./mine.ts', 'Twice.');
  expect(answersOf(events, 'agent_a')).toEqual(['Mine: drafted', 'Longer: drafted']);
  expect(events.filter((event) => event.type === 'vote' && event.agent === 'agent_a')).toHaveLength(2);
  expect(result).toMatchObject({ attempts: 2, finalAgent: 'agent_a' });
});

test('it may ask the others, whose shadows respond', async () => {
  const { events } = await play('./asks.ts', 'Once.', { broadcast: 'agents' });
  expect(answersOf(events, 'agent_a')).toEqual(['agent_b: Response of agent_b.']);
});

test('its time stands still while it waits for a key', async () => {
  // More than a busy machine needs beside the wait.
  const limit = 30;
  const { reached, release, script: holding } = holdingFirst();
  held = holding;
  const team = teamOf(['agent_a'], { type: 'openai' }, {}, { timeout_settings: { agent_timeout_seconds: limit } });
  const config = { ...team, agents: [{ ...team.agents[0], orchestrator: './twice.ts' }] };
  const handle = await run.start({ task: 'Wait.', config });
  await reached;
  const replaced = run.replaceWorker({ OPENAI_API_KEY: undefined });
  release();
  await replaced;
  const pending = () => handle.query<PendingQuestion[]>('pendingQuestions');
  await expect.poll(async () => (await pending()).map(({ kind }) => kind)).toEqual(['key']);
  const [key] = await pending();
  await expect.poll(() => Date.now() - Date.parse(key!.askedAt)).toBeGreaterThan(limit * 1000);
  await run.replaceWorker({});
  expect(await handle.result()).toMatchObject({ outcome: 'submitted' });
  expect(answersOf(await handle.query<RunEvent[]>('events'), 'agent_a')).toEqual(['Done: drafted']);
});

test('a file that throws puts its agent out, named, and the team goes on', async () => {
  const { events, result } = await play('./throws.ts', 'Once.');
  expect(events).toContainEqual(
    expect.objectContaining({
      type: 'out',
      agent: 'agent_a',
      reason: expect.stringContaining('./throws.ts:2: RangeError: too far') as string,
    }),
  );
  expect(result.finalAgent).toBe('agent_b');
});

test('a file that this worker does not have fails the run before any model is called, and is named', async () => {
  run.model.requests.length = 0;
  await expect(play('./nowhere.ts', 'Never.')).rejects.toMatchObject({
    cause: { message: expect.stringContaining('./nowhere.ts') as string },
  });
  expect(run.model.requests).toEqual([]);
});
