import { setTimeout as pause } from 'node:timers/promises';
import type { WorkflowHandle } from '@temporalio/client';
import { expect, test } from 'vitest';
import type { RunEvent } from '../../src/protocol/events.ts';
import type { PendingQuestion } from '../../src/protocol/questions.ts';
import { asks, askingTeam } from '../support/asking.ts';
import { patiently } from '../support/courses/looks.ts';
import { running, sharedRunning, type SharedRunning } from '../support/running.ts';
import { answer, teamOf, teamScript, vote } from '../support/team-script.ts';

const shared = sharedRunning();
const minutes = 60_000;
const team = ['a', 'b', 'c', 'd', 'e', 'f'];

/** What its sender is told of an update. */
const told = async (handle: WorkflowHandle, name: string, payload?: unknown): Promise<string> =>
  handle.executeUpdate<unknown, [unknown]>(name, { args: [payload] }).then(
    () => 'taken',
    (error: Error) => (error.cause as Error).message,
  );

/** How many updates the history says were accepted. */
async function acceptedIn(handle: WorkflowHandle): Promise<number> {
  const { events } = await handle.fetchHistory();
  return (events ?? []).filter((event) => event.workflowExecutionUpdateAcceptedEventAttributes).length;
}

async function waitingFor(handle: WorkflowHandle): Promise<PendingQuestion> {
  let found: PendingQuestion | undefined;
  await expect
    .poll(async () => ([found] = await handle.query<PendingQuestion[]>('pendingQuestions')), { timeout: minutes })
    .toHaveLength(1);
  return found!;
}

/** Sends an update whose payload nobody can read. */
async function sendUnreadable({ client }: SharedRunning, workflowId: string, name: string): Promise<string> {
  const { outcome } = await client.workflowService.updateWorkflowExecution({
    namespace: 'default',
    workflowExecution: { workflowId },
    waitPolicy: { lifecycleStage: 3 },
    request: {
      meta: { updateId: `unreadable-${name}` },
      input: {
        name,
        args: { payloads: [{ metadata: { encoding: Buffer.from('json/plain') }, data: Buffer.from('no json') }] },
      },
    },
  });
  return outcome?.failure?.message ?? 'taken';
}

test(
  'an update without effect fails, whatever it is, and the history says that it has come',
  { timeout: 2 * minutes },
  async () => {
    const run = shared(asks('Which color?'));
    const handle = await run.start({ task: 'T', config: askingTeam(3000) });
    const { questionId } = await waitingFor(handle);
    expect(await told(handle, 'answer', { questionId: 'q9', answer: 'x' })).toBe('no question q9 waits for an answer');
    expect(await told(handle, 'answer', { answer: 5 })).toBe('answer: 5 is not a text');
    expect(await told(handle, 'approve', { id: 't1', action: 'alow' })).toBe(
      'action: "alow" is not one of allow | deny | edit',
    );
    expect(await told(handle, 'approve', { id: 't1', action: 'allow' })).toBe('no tool call t1 waits for approval');
    expect(await told(handle, 'requestRestart', { reason: 'x' })).toBe(
      'instructions is missing: it is an object {reason, instructions}',
    );
    expect(await told(handle, 'requestRestart', { reason: ' ', instructions: 'x' })).toBe(
      'reason: it must not be empty',
    );
    expect(await told(handle, 'nosuch', 1)).toBe('No registered handler for update: nosuch');
    expect(await told(handle, '__temporal_nosuch', 1)).toBe('No registered handler for update: temporal_nosuch');
    expect(await sendUnreadable(run, handle.workflowId, 'answer')).toContain('is not an object {questionId?, answer}');
    expect(await sendUnreadable(run, handle.workflowId, 'nosuch')).toContain('No registered handler');
    expect(await acceptedIn(handle)).toBe(10);
    expect(await told(handle, 'answer', { questionId, answer: 'Dark' })).toBe('taken');
    expect(await handle.result()).toMatchObject({ answer: 'Told: Dark.' });
  },
);

test('what comes before the run is ready fails too, and holds nothing up', { timeout: 2 * minutes }, async () => {
  await using run = await running(asks('Which color?'));
  const taskQueue = `${run.taskQueue}-later`;
  const handle = await run.client.workflow.start('orchestration', {
    taskQueue,
    workflowId: taskQueue,
    args: [{ task: 'T', config: askingTeam(3000) }],
  });
  const early = [told(handle, 'nosuch'), told(handle, '__temporal_nosuch'), told(handle, 'answer', { answer: 'x' })];
  await handle.signal('__temporal_nosuch');
  await run.replaceWorker({}, taskQueue);
  expect(await Promise.all(early)).toEqual([
    'No registered handler for update: nosuch',
    'No registered handler for update: temporal_nosuch',
    'the run is not ready for it yet; send it again in a moment',
  ]);
  const { questionId } = await waitingFor(handle);
  await handle.signal('answer', { questionId, answer: 'Dark' });
  expect(await handle.result()).toMatchObject({ answer: 'Told: Dark.' });
});

test('a session refuses an empty turn, of which its history knows', { timeout: 2 * minutes }, async () => {
  const run = shared(() => ({ text: 'Said.' }));
  const handle = await run.startSession({ config: { agents: [{ id: 'a', backend: { type: 'openai', model: 'm' } }] } });
  expect(await told(handle, 'handleText', ' ')).toBe('handleText takes a text that is not empty, and not " "');
  expect(await acceptedIn(handle)).toBe(1);
  expect(await handle.executeUpdate('handleText', { args: ['Hi'] })).toMatchObject({ answer: 'Said.', turn: 1 });
});

test(
  'however many useless updates come, there is room for the one that is waited for',
  { timeout: 10 * minutes },
  async () => {
    const run = shared(asks('Which color?'));
    const handle = await run.start({ task: 'T', config: askingTeam(3000) });
    const { questionId } = await waitingFor(handle);
    let sent = 0;
    const send = async (): Promise<void> => {
      for (; sent < 600; sent++) {
        const name = sent % 2 === 0 ? 'answer' : 'nosuch';
        expect(await told(handle, name, { questionId: 'q9', answer: 'x' })).not.toBe('taken');
      }
    };
    await Promise.all(Array.from({ length: 8 }, send));
    expect(await told(handle, 'approve', 'x'.repeat(900_000))).toMatch(/^"x{59}… is not an object \{id, action/);
    // Those of one task may go beyond it together, of which Temporal allows ten.
    const accepted = await acceptedIn(handle);
    expect(accepted).toBeGreaterThanOrEqual(500);
    expect(accepted).toBeLessThan(510);
    expect(await told(handle, 'answer', { questionId, answer: 'Dark' })).toBe('taken');
    expect(await handle.result()).toMatchObject({ answer: 'Told: Dark.' });
  },
);

test(
  'useless updates, and signals beside them, move nothing that a replay finds',
  { timeout: 10 * minutes },
  async () => {
    await using run = await running(
      teamScript({
        // Each ends in a task without a command but the last one's: what is accepted or refused next comes behind it.
        answer: ({ agent }) => ({ ...answer(`Answer of ${agent}.`), delay: 300 * (1 + team.indexOf(agent)) }),
        vote: () => vote('agent1'),
      }),
    );
    const eventsOf = (handle: WorkflowHandle) => patiently(() => handle.query<RunEvent[]>('events'));
    const config = teamOf(team, { type: 'openai' });
    const runs = await Promise.all(Array.from({ length: 12 }, () => run.start({ task: 'T', config })));
    const live = await Promise.all(
      runs.map(async (handle, index) => {
        const over = new AbortController();
        const result = handle.result().finally(() => over.abort());
        let events: RunEvent[] = [];
        for (let seen = 0; !over.signal.aborted;) {
          // The events of a run that has ended are those of a replay.
          const present = await eventsOf(handle);
          if (!over.signal.aborted) events = present;
          const answers = events.filter(({ type }) => type === 'answer').length;
          if (answers === seen) continue;
          seen = answers;
          const name = ['answer', 'nosuch', 'approve'][seen % 3] ?? '';
          const update = told(handle, name, { id: 't9', reason: 'x'.repeat(150_000) }).catch(() => '');
          // So that it comes while the update is looked at: a little sooner or later in each run.
          await pause(index);
          await handle.signal('requestRestart', {}).catch(() => {});
          await update;
        }
        await result;
        return events;
      }),
    );
    await run.replaceWorker({});
    const replayed = await Promise.all(runs.map(eventsOf));
    expect(replayed.map((events, index) => events.slice(0, live[index]?.length))).toEqual(live);
  },
);
