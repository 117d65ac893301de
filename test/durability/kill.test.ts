import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, test, type TestContext } from 'vitest';
import { connect, type Reprise } from '../../src/client.ts';
import { startModelServer, type ModelServer, type Seen } from '../support/model-server.ts';
import { Machine } from '../support/processes.ts';
import { restart, submit, teamOf, teamScript } from '../support/team-script.ts';

/** One restart, so that judge and presenter are among those that are disturbed. */
const course = teamScript({
  decide: ({ attempt }) => (attempt === 1 ? restart('Again.', 'Better.') : submit()),
});
const config = teamOf(['agent_a', 'agent_b'], { type: 'openai' });
const undisturbed = { answer: 'The final answer, by agent_a.', calls: 11 };

/** As many runs as a run has calls: run k is disturbed while its call k is under way, all at the same moment. */
const runs = Array.from({ length: undisturbed.calls }, (_, index) => index);
const runOf = ({ prompt }: Seen): number => Number(/Survive (\d+)\./.exec(prompt)?.[1]);

interface Stage {
  machine: Machine;
  model: ModelServer;
  reprise: Reprise;
  /** Resolves when every run has a call under way that the model does not answer yet, and all others are committed. */
  allHeld: Promise<unknown>;
  /** Lets the model answer. */
  release(): void;
}

/** Starts all runs; the model keeps call k of run k waiting until it is released. */
async function stage({ onTestFinished }: TestContext): Promise<Stage> {
  const held = runs.map(() => Promise.withResolvers<void>());
  const released = Promise.withResolvers<void>();
  const counts = runs.map(() => 0);
  const model = await startModelServer(async (seen) => {
    const run = runOf(seen);
    const call = counts[run] ?? 0;
    counts[run] = call + 1;
    if (call === run) {
      held[run]?.resolve();
      await released.promise;
    }
    return course(seen);
  });
  const machine = new Machine({ OPENAI_API_KEY: 'test-key', OPENAI_BASE_URL: model.openai });
  onTestFinished(async () => {
    await Promise.all([machine.killWorker(), machine.killServer(), model.close()]);
    rmSync(machine.home, { recursive: true, force: true });
  });
  await machine.startServer();
  await machine.startWorker();
  const reprise = await connect({ address: machine.address });
  onTestFinished(() => reprise.close());
  for (const run of runs) {
    await reprise.startOrchestration({ task: `Survive ${run}.`, config }, { id: `run-${run}` });
  }
  return {
    machine,
    model,
    reprise,
    allHeld: Promise.all(held.map(({ promise }) => promise)).then(() => allCommitted(machine, model)),
    release: released.resolve,
  };
}

/** A reply that is sent but not committed yet is not finished: a call made again for it is none too many. */
async function allCommitted({ home }: Machine, { requests }: ModelServer): Promise<void> {
  const answered = (): number => requests.filter((seen) => seen.answered).length;
  await expect.poll(() => repliesIn(home) === answered(), { timeout: 20_000 }).toBe(true);
}

/** All runs end by themselves as if nothing had happened. */
async function allComplete({ model, reprise }: Stage): Promise<void> {
  const results = await Promise.all(runs.map((run) => reprise.orchestration(`run-${run}`).result()));
  for (const { answer, attempts } of results)
    expect({ answer, attempts }).toEqual({ answer: undisturbed.answer, attempts: 2 });
  for (const run of runs) {
    const requests = model.requests.filter((seen) => runOf(seen) === run).map(({ raw }) => raw);
    expect(new Set(requests).size).toBe(undisturbed.calls);
  }
}

/** How often requests were made again whose reply had been sent whole before: each was paid for twice. */
function repetitions({ model }: Stage): number {
  const answered = new Set<string>();
  return model.requests.filter(({ raw, aborted }) => {
    const again = answered.has(raw);
    if (!aborted) answered.add(raw);
    return again;
  }).length;
}

// Side by side, since most of their time is the wait for the heartbeat timeout of a dead worker's calls.
describe.concurrent('kill -9 at every model call of a run', { timeout: 120_000 }, () => {
  test('of the worker: calls under way are made again, finished ones never', async (context) => {
    const set = await stage(context);
    await set.allHeld;
    await set.machine.killWorker();
    set.release();
    await set.machine.startWorker();
    await allComplete(set);
    expect(repetitions(set)).toBe(0);
    expect(set.model.requests).toHaveLength(runs.length * undisturbed.calls + inFlight(set));
  });

  test('of worker and server together', async (context) => {
    const set = await stage(context);
    await set.allHeld;
    await Promise.all([set.machine.killWorker(), set.machine.killServer()]);
    set.release();
    await set.machine.startServer();
    await set.machine.startWorker();
    await allComplete(set);
    expect(repetitions(set)).toBe(0);
  });

  test('of the worker between the commit of a reply and its acknowledgement: nothing is called again', async (context) => {
    const set = await stage(context);
    await set.allHeld;
    const committed = repliesIn(set.machine.home);
    const waiting = pendingReplies(set);
    // The server is stopped, so that no reply can be acknowledged; each is committed all the same.
    set.machine.pauseServer();
    set.release();
    await expect.poll(() => repliesIn(set.machine.home), { timeout: 20_000 }).toBe(committed + waiting);
    await set.machine.killWorker();
    set.machine.resumeServer();
    await set.machine.startWorker();
    await allComplete(set);
    expect(set.model.requests).toHaveLength(runs.length * undisturbed.calls);
  });
});

/** Calls that the kill interrupted. */
const inFlight = ({ model }: Stage): number => model.requests.filter(({ aborted }) => aborted).length;

const pendingReplies = ({ model }: Stage): number =>
  model.requests.filter(({ answered }) => !answered).length;

function repliesIn(home: string): number {
  const database = new DatabaseSync(join(home, 'store.sqlite'), { readOnly: true, timeout: 5000 });
  const row = database.prepare('SELECT count(*) AS replies FROM replies').get();
  database.close();
  return Number(row?.['replies']);
}
