import { WorkflowUpdateFailedError, type WorkflowHandle } from '@temporalio/client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { SessionRun } from '../../src/client/run.ts';
import { TemporalRun } from '../../src/client/temporal/run.ts';
import type { PendingQuestion } from '../../src/protocol/questions.ts';
import type { RunEvent } from '../../src/protocol/events.ts';
import type { SessionResult, TurnResult } from '../../src/protocol/session.ts';
import type { SessionRecord } from '../../src/workflows/session/turn-handler.ts';
import { hasAsked, resultsIn } from '../support/asking.ts';
import type { Script } from '../support/model-server.ts';
import { running, type Running } from '../support/running.ts';
import { answer, ask, restart, teamOf, teamScript } from '../support/team-script.ts';

let script: Script = teamScript();
let run: Running;
beforeAll(async () => {
  run = await running((seen) => script(seen));
});
afterAll(() => run[Symbol.asyncDispose]());

const alone = (coordination: object = {}) =>
  teamOf(['agent_a'], { type: 'openai' }, { max_orchestration_restarts: 0, ...coordination });
const say = (session: WorkflowHandle, text: string): Promise<TurnResult> =>
  session.executeUpdate<TurnResult, [string]>('handleText', { args: [text] });

/** The tasks that a request's conversation speaks of, with what was answered between them. */
const taskIn = (prompt: string): string => /## Task\n\n(.*)/.exec(prompt)?.[1] ?? '';

test('a later turn knows the earlier ones', async () => {
  script = teamScript({
    answer: ({ prompt }) => answer(`On "${taskIn(prompt)}"`),
    present: ({ prompt }) => ({ text: `Presented: ${taskIn(prompt)}` }),
  });
  run.model.requests.length = 0;
  const session = await run.startSession({
    config: alone(),
    history: [
      { role: 'user', content: 'My name is Ada.' },
      { role: 'assistant', content: 'Hello Ada.' },
    ],
  });
  expect(await say(session, 'First?')).toMatchObject({
    answer: 'Presented: First?',
    messages: ['Presented: First?'],
    turn: 1,
  });
  expect(await say(session, 'Second?')).toMatchObject({ answer: 'Presented: Second?', turn: 2 });
  await session.signal('close');
  expect(await session.result()).toMatchObject({
    answer: 'Presented: Second?',
    outcome: 'answered',
    turns: 2,
    usage: { calls: 6 },
  });
  const second = run.model.requests.find(
    ({ prompt, tools }) => prompt.includes('Second?') && tools.includes('new_answer'),
  );
  expect(second?.messages.map(({ text }) => text).slice(1)).toEqual([
    'My name is Ada.',
    'Hello Ada.',
    'First?',
    'Presented: First?',
    '## Task\n\nSecond?',
  ]);
});

test('turns are taken one at a time, in order, and each has exactly one final event', async () => {
  script = teamScript({ present: ({ prompt }) => ({ text: taskIn(prompt), delay: 100 }) });
  const session = await run.startSession({ config: alone() });
  const texts = ['one', 'two', 'three', 'four'];
  const results = await Promise.all(texts.map((text) => say(session, text)));
  expect(results.map(({ answer: said }) => said)).toEqual(texts);
  expect(new Set(results.map(({ turn }) => turn))).toEqual(new Set([1, 2, 3, 4]));
  await session.signal('close');
  await session.result();
  const events = await session.query<RunEvent[]>('events');
  expect(events.map(({ type }) => type).filter((type) => type === 'turn' || type === 'final')).toEqual(
    texts.flatMap(() => ['turn', 'final']),
  );
  const taken = events.flatMap((event) => (event.type === 'turn' ? [event.text] : []));
  expect(results.toSorted((one, other) => one.turn - other.turn).map(({ answer: said }) => said)).toEqual(taken);
  expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1));
});

test('turns that a program sends at once are taken in the order in which it sends them', async () => {
  script = teamScript({ present: ({ prompt }) => ({ text: taskIn(prompt) }) });
  const { workflowId } = await run.startSession({ config: alone() });
  const session = new SessionRun(new TemporalRun(run.client.workflow.getHandle(workflowId)));
  const texts = ['one', 'two', 'three', 'four', 'five', 'six'];
  const turns = await Promise.all(texts.map((text) => session.send(text)));
  expect(turns.map(({ turn }) => turn)).toEqual(texts.map((_, index) => index + 1));
  expect(turns.map(({ answer: said }) => said)).toEqual(texts);
  await session.close();
  await session.result();
});

test('with a text a session takes that one turn and completes', async () => {
  script = teamScript();
  const session = await run.startSession({ config: alone(), text: 'Just this.' });
  expect(await session.result()).toMatchObject({
    answer: 'The final answer, by agent_a.',
    messages: ['The final answer, by agent_a.'],
    outcome: 'answered',
    turns: 1,
  });
});

test('a turn at its limit says so', async () => {
  script = teamScript({ decide: () => restart('Again.', 'Better.') });
  const session = await run.startSession({ config: alone({ max_orchestration_restarts: 1 }), text: 'Hard.' });
  expect(await session.result()).toMatchObject({ outcome: 'limit' });
});

test('who was out of a turn is named by that turn alone', async () => {
  script = teamScript({
    answer: ({ agent, prompt }) =>
      agent === 'agent_b' && taskIn(prompt) === 'First?' ? { status: 400 } : answer('Good.'),
  });
  const session = await run.startSession({
    config: teamOf(['agent_a', 'agent_b'], { type: 'openai' }, { max_orchestration_restarts: 0 }),
  });
  expect(await say(session, 'First?')).toMatchObject({ warnings: [expect.stringMatching(/^agent_b was out/)] });
  expect(await say(session, 'Second?')).toMatchObject({ warnings: [] });
  await session.signal('close');
  await session.result();
});

test('a turn without an answer fails, and the session goes on', async () => {
  script = teamScript({ answer: ({ prompt }) => (taskIn(prompt) === 'Bad.' ? { status: 400 } : answer('Good.')) });
  const session = await run.startSession({ config: alone() });
  const failure = await say(session, 'Bad.').catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(WorkflowUpdateFailedError);
  expect((failure as Error & { cause: Error }).cause.message).toContain('No agent has answered');
  expect(await say(session, 'Good?')).toMatchObject({ turn: 2, warnings: [] });
  await say(session, 'Bad.').catch(() => {});
  await session.signal('close');
  const { answer: last, warnings } = (await session.result()) as SessionResult;
  expect([last, warnings.at(-1)]).toEqual([
    'The final answer, by agent_a.',
    expect.stringMatching(/^Turn 3 failed: No agent has answered/),
  ]);
});

test('what a turn that failed has cost is in the session’s result', async () => {
  script = teamScript({ answer: () => ({ text: 'Half of it. '.repeat(50), finish: 'content_filter' }) });
  const session = await run.startSession({ config: alone() });
  await say(session, 'Bad.').catch(() => {});
  await session.signal('close');
  const { usage } = (await session.result()) as SessionResult;
  expect(usage.inputTokens).toBeGreaterThan(0);
});

test.each([[''], ['  '], [42 as unknown as string]])('the text %j is refused, and takes no turn', async (text) => {
  script = teamScript();
  const session = await run.startSession({ config: alone() });
  await expect(say(session, text)).rejects.toThrow(WorkflowUpdateFailedError);
  await session.signal('close');
  expect(await session.result()).toMatchObject({ turns: 0, answer: '' });
});

test('a wrong configuration ends the session before anything is spent, with every problem', async () => {
  const session = await run.startSession({ config: { agents: [{ id: 'a', backend: { type: 'opnai' } }] } });
  await expect(session.result()).rejects.toMatchObject({
    cause: { message: expect.stringContaining('did you mean openai?') as string },
  });
});

test('what the person has answered goes from turn to turn, also when the session goes on in a new run', async () => {
  script = teamScript({
    answer: (request) => {
      const asking = /ask/.test(taskIn(request.prompt.slice(request.prompt.lastIndexOf('## Task'))));
      return asking && !hasAsked(request) ? ask('What color theme?') : answer('Mine.');
    },
    present: ({ prompt }) => ({ text: `Turn of ${taskIn(prompt)}` }),
  });
  run.model.requests.length = 0;
  const session = await run.startSession({ config: alone({ broadcast: 'human' }) });
  const firstRun = (await session.describe()).runId;
  const first = say(session, 'Please ask at first.');
  await expect.poll(async () => session.query<PendingQuestion[]>('pendingQuestions')).toHaveLength(1);
  await session.signal('answer', { answer: 'Dark mode' });
  await first;
  let turns = 1;
  while ((await session.describe()).runId === firstRun) {
    await say(session, `Turn ${++turns}.`);
    expect(turns).toBeLessThan(400);
  }
  const { events } = await run.client.workflow.getHandle(session.workflowId, firstRun).fetchHistory();
  const [payload] = events?.at(-1)?.workflowExecutionContinuedAsNewEventAttributes?.input?.payloads ?? [];
  // Which of its answers conversations have been shown that are over is of no use.
  const { earlier } = JSON.parse(Buffer.from(payload?.data ?? []).toString()) as { earlier: SessionRecord };
  expect(earlier.run.questions.shown).toEqual({});
  const { turn } = await say(session, 'Please ask at last.');
  expect(turn).toBe(turns + 1);
  const last = run.model.requests.findLast(hasAsked)!;
  expect(resultsIn(last)).toMatchObject([
    { status: 'deferred', human_qa_history: [{ question: 'What color theme?', answer: 'Dark mode' }] },
  ]);
  expect(last.prompt).toContain('Please ask at first.');
  const [newest] = await session.query<RunEvent[], [number]>('events', 1);
  expect(newest?.seq).toBeGreaterThan(turns);
  await session.signal('close');
  const { usage, humanQa } = (await session.result()) as SessionResult;
  expect(humanQa).toHaveLength(1);
  expect(usage.calls).toBe(run.model.requests.length);
});
