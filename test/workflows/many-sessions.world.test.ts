import { WithStartWorkflowOperation, type WorkflowHandle } from '@temporalio/client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { SessionRun } from '../../src/client.ts';
import { TemporalRun } from '../../src/client/temporal/run.ts';
import type { PendingQuestion } from '../../src/protocol/questions.ts';
import { agentOf } from '../support/agent-script.ts';
import { running, type Running } from '../support/running.ts';

let run: Running;
beforeAll(async () => {
  // What a person has said last, and all numbers that this conversation has ever heard of.
  run = await running(({ prompt, messages }) => {
    const last = JSON.stringify(messages.at(-1));
    if (last.includes('Ask me')) {
      return { calls: [{ name: 'ask_others', arguments: { question: `Question ${last.length}?` } }] };
    }
    const numbers = [...prompt.matchAll(/number (\d+)/g)].map(([, number]) => number);
    return { text: `I know ${[...new Set(numbers)].join(' ')}` };
  });
});
afterAll(() => run[Symbol.asyncDispose]());

/** As a program has it by the library, which sends a request again that the server has been too busy for. */
const say = async (session: WorkflowHandle, text: string): Promise<string> =>
  (await new SessionRun(new TemporalRun(session)).send(text)).answer;

test('a hundred sessions side by side know their own conversations and no others', async () => {
  const config = agentOf('openai', { simple: {} });
  const sessions = await Promise.all(Array.from({ length: 100 }, () => run.startSession({ config })));
  await Promise.all(sessions.map((session, index) => say(session, `Remember number ${1000 + index}.`)));
  const known = await Promise.all(sessions.map((session) => say(session, 'Which ones do you know?')));
  expect(known).toEqual(sessions.map((_, index) => `I know ${1000 + index}`));
  await Promise.all(sessions.map((session) => session.signal('close')));
});

test('turn 40 still knows turn 1, and what its agent was told then, after the session has gone on in a new run', async () => {
  const config = agentOf('openai', { simple: {} }, [], { coordination: { broadcast: 'human' } });
  const session = await run.startSession({ config });
  const { runId } = await session.describe();
  const answered = async (turn: Promise<string>): Promise<string> => {
    await expect.poll(() => session.query<PendingQuestion[]>('pendingQuestions')).toHaveLength(1);
    await session.signal('answer', { answer: 'Dark mode' });
    return turn;
  };
  await answered(say(session, 'Ask me. Remember number 7.'));
  for (let turn = 2; turn < 40; turn++) await say(session, 'Go on.');
  expect((await session.describe()).runId).not.toBe(runId);
  // It has been shown the first answer in this conversation, so that a new question is put to the person.
  expect(await answered(say(session, 'Ask me something else.'))).toBe('I know 7');
  await session.signal('close');
  expect(await session.result()).toMatchObject({ turns: 40, usage: { calls: 42 } });
});

test('a session ends by itself when its idle time is over', async () => {
  const config = agentOf('openai', { simple: {} }, [], { idle_timeout: 1 });
  // With its first turn, which would come too late on a machine that is busy.
  const startWorkflowOperation = new WithStartWorkflowOperation('session', {
    ...run.startOptions('session', `${run.taskQueue}-idle`, { config }),
    workflowIdConflictPolicy: 'FAIL',
  });
  const args: [string] = ['Remember number 5.'];
  await run.client.workflow.executeUpdateWithStart('handleText', { args, startWorkflowOperation });
  const session = await startWorkflowOperation.workflowHandle();
  expect(await session.result()).toMatchObject({ answer: 'I know 5', turns: 1, outcome: 'answered' });
});
