/**
 * `npm run bench -- asking`: what asking costs. Times are medians of pairs with a bare Temporal workflow that waits as
 * long, measured in this run on this machine: quote the ratios.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { PendingQuestion } from '../src/protocol/questions.ts';
import { hasAsked } from '../test/support/asking.ts';
import { answer, ask, teamScript } from '../test/support/team-script.ts';
import { median, openStage, pairsOf } from './stage.ts';

const rounds = 9;
const shadowMs = 300;
const waits: Array<{ what: 'begin' | 'end'; at: number }> = [];
let mode: 'agents' | 'human' = 'agents';
/** Whether one of the shadows takes far longer than the question may. */
let isSlow = false;
/** When the model had written the asker's call. */
let askedAt = 0;
/** When the asker came back with the responses. */
let backAt = 0;

const stage = await openStage(
  teamScript({
    answer: (request) => {
      const isAsker = mode === 'human' || request.prompt.includes('I am a.');
      if (!isAsker) return answer('B');
      if (hasAsked(request)) {
        backAt = performance.now();
        return answer('A');
      }
      askedAt = performance.now();
      return ask('Which one?');
    },
    shadow: ({ prompt }) => ({
      text: 'This one.',
      delay: isSlow && prompt.includes('I am c.') ? 15_000 : shadowMs,
    }),
  }),
  (what) => waits.push({ what, at: performance.now() }),
);
const { model, reprise } = stage;

const config = (agents: string[], broadcast_timeout = 300) => ({
  agents: agents.map((id) => ({ id, system_message: `I am ${id}.`, backend: { type: 'openai' as const } })),
  orchestrator: { coordination: { broadcast: mode, broadcast_timeout, max_orchestration_restarts: 0 } },
});

/** From the end of the reply that asks to the arrival of the asker's next call, in milliseconds. */
async function askOnce(): Promise<number> {
  mode = 'agents';
  await (await reprise.startOrchestration({ task: 'T', config: config(['a', 'b', 'c']) })).result();
  return backAt - askedAt;
}

/** From the end of one activity to the beginning of the one after the two. */
async function bareOnce(): Promise<number> {
  waits.length = 0;
  await stage.bare('twoAtOnce', [shadowMs]);
  return (waits.at(-2)?.at ?? NaN) - (waits[1]?.at ?? NaN);
}

async function compareShadows(): Promise<void> {
  const over = await pairsOf(rounds, bareOnce, askOnce);
  console.log(
    `One ask, two shadows of ${shadowMs} ms: ${over(({ own }) => own).toFixed(0)} ms until the asker goes on, bare workflow ` +
      `with two activities ${over(({ bare }) => bare).toFixed(0)} ms, ratio ` +
      `${over(({ bare, own }) => own / bare).toFixed(3)} (medians of ${rounds} pairs)`,
  );
}

async function cutShort(): Promise<void> {
  mode = 'agents';
  isSlow = true;
  const run = await reprise.startOrchestration({ task: 'T', config: config(['a', 'b', 'c'], 3) });
  await run.result();
  isSlow = false;
  console.log(
    `One shadow of 15 s, broadcast_timeout 3: the asker goes on after ${((backAt - askedAt) / 1000).toFixed(2)} s ` +
      "with the other's response",
  );
}

async function answerAtOnce(): Promise<void> {
  mode = 'human';
  const times: number[] = [];
  for (let round = 0; round <= 20; round++) {
    const run = await reprise.startOrchestration({ task: 'T', config: config(['a']) });
    const handle = reprise.client.workflow.getHandle(run.id);
    while ((await handle.query<PendingQuestion[]>('pendingQuestions')).length === 0) await pause(20);
    const sentAt = performance.now();
    await handle.signal('answer', { answer: 'Yes.' });
    await run.result();
    if (round > 0) times.push(backAt - sentAt);
  }
  console.log(
    `A person's answer reaches the agent's next model call after ${median(times).toFixed(0)} ms ` +
      `(median of 20; the longest ${Math.max(...times).toFixed(0)} ms)`,
  );
}

/** A worker of its own, whose memory is told on request. */
async function holdWaiting(count: number): Promise<void> {
  mode = 'human';
  const taskQueue = 'held';
  const worker = fork(
    fileURLToPath(new URL('./held-worker.ts', import.meta.url)),
    [stage.address, stage.home, taskQueue],
    {
      env: { ...process.env, ...stage.variables },
      execArgv: ['--expose-gc'],
    },
  );
  await once(worker, 'message');
  const megabytes = async (): Promise<number> => {
    worker.send('memory');
    const [bytes] = (await once(worker, 'message')) as [number];
    return bytes / 2 ** 20;
  };
  const start = (workflowId: string) =>
    reprise.client.workflow.start('orchestration', {
      taskQueue,
      workflowId,
      args: [{ task: 'T', config: config(['a']) }],
    });
  const waiting = async (id: string): Promise<boolean> =>
    (await reprise.client.workflow.getHandle(id).query<PendingQuestion[]>('pendingQuestions')).length > 0;
  await start('warm-up');
  while (!(await waiting('warm-up'))) await pause(50);
  await reprise.client.workflow.getHandle('warm-up').signal('answer', { answer: 'Yes.' });
  await reprise.client.workflow.getHandle('warm-up').result();
  const idle = await megabytes();
  const ids = Array.from({ length: count }, (_, index) => `held-${index}`);
  for (const id of ids) await start(id);
  for (const id of ids) while (!(await waiting(id))) await pause(50);
  const held = await megabytes();
  const descriptions = await Promise.all(ids.map((id) => reprise.client.workflow.getHandle(id).describe()));
  const busy = descriptions.filter(({ raw }) => (raw.pendingActivities ?? []).length > 0).length;
  const startedAt = performance.now();
  const fresh = await start('fresh');
  while (!(await waiting('fresh'))) await pause(20);
  await fresh.signal('answer', { answer: 'Yes.' });
  await fresh.result();
  console.log(
    `${count} runs that wait for a person: ${(held - idle).toFixed(0)} MB beyond the idle worker's ${idle.toFixed(0)} MB, ` +
      `${busy} of them with an activity; a further run on that worker ends after ${(performance.now() - startedAt).toFixed(0)} ms`,
  );
  await Promise.all(ids.map((id) => reprise.client.workflow.getHandle(id).terminate()));
  worker.kill();
  await once(worker, 'exit');
}

await compareShadows();
await cutShort();
await answerAtOnce();
await holdWaiting(200);
model.requests.length = 0;
await stage.close();
process.exit(0);
