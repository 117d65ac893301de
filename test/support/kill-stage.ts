import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, type TestContext } from 'vitest';
import { connect, type Reprise } from '../../src/client.ts';
import { startModelServer, type ModelServer, type Script, type Seen } from './model-server.ts';
import { runningMachine, type Machine } from './processes.ts';
import { assertReplay } from './replaying.ts';

/** A course of so many model calls. Its task must say `Survive K.`, K being the number of the run. */
export interface Disturbed {
  calls: number;
  /** What the model says; one for each run. */
  script: () => Script;
  /** Prepares the worker's home. */
  prepare?: (home: string) => void;
  start: (reprise: Reprise, task: string, workflowId: string) => Promise<unknown>;
  /** What every run comes to. */
  result: object;
}

export interface Stage {
  course: Disturbed;
  machine: Machine;
  model: ModelServer;
  reprise: Reprise;
  /** Resolves when every run has a call under way that the model does not answer yet, and all others are committed. */
  allHeld: Promise<unknown>;
  /** Lets the model answer. */
  release: () => void;
}

const runOf = ({ prompt }: Seen): number => Number(/Survive (\d+)\./.exec(prompt)?.[1]);

/**
 * Starts as many runs as the course has calls: run k is disturbed while its call k is under way, all at the same
 * moment. The model keeps that call waiting until it is released.
 */
export async function killStage({ onTestFinished }: TestContext, course: Disturbed): Promise<Stage> {
  const runs = Array.from({ length: course.calls }, (_, index) => index);
  const held = runs.map(() => Promise.withResolvers<void>());
  const released = Promise.withResolvers<void>();
  const counts = runs.map(() => 0);
  const scripts = runs.map(() => course.script());
  const model = await startModelServer(async (seen) => {
    const run = runOf(seen);
    const call = counts[run] ?? 0;
    counts[run] = call + 1;
    if (call === run) {
      held[run]?.resolve();
      await released.promise;
    }
    return scripts[run]?.(seen) ?? { status: 404 };
  });
  const machine = await runningMachine({ onTestFinished }, model, course.prepare);
  const reprise = await connect({ address: machine.address });
  onTestFinished(() => reprise.close());
  for (const run of runs) await course.start(reprise, `Survive ${run}.`, `run-${run}`);
  return {
    course,
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
  await expect.poll(() => repliesIn(home) === answered()).toBe(true);
}

/** Kills worker and server while every run has a call under way, and starts both again. */
export async function killAll({ allHeld, machine, release }: Stage): Promise<void> {
  await allHeld;
  await Promise.all([machine.killWorker(), machine.killServer()]);
  release();
  await machine.startServer();
  await machine.startWorker();
}

/** Kills the worker when every reply is committed and the server has been told of none, and starts it again. */
export async function killUnacknowledged(set: Stage): Promise<void> {
  const { machine } = set;
  await set.allHeld;
  const wanted = repliesIn(machine.home) + pendingReplies(set);
  // The server is stopped, so that no reply can be acknowledged; each is committed all the same.
  machine.pauseServer();
  set.release();
  await expect.poll(() => repliesIn(machine.home)).toBe(wanted);
  await machine.killWorker();
  machine.resumeServer();
  await machine.startWorker();
}

/** All runs end by themselves as if nothing had happened, and can be replayed. */
export async function allComplete({ course, machine, model, reprise }: Stage): Promise<void> {
  for (let run = 0; run < course.calls; run++) {
    const result: unknown = await ended(reprise, `run-${run}`);
    expect(result).toMatchObject(course.result);
    const requests = model.requests.filter((seen) => runOf(seen) === run).map(({ raw }) => raw);
    expect(new Set(requests).size).toBe(course.calls);
  }
  const ids = Array.from({ length: course.calls }, (_, run) => ({ workflowId: `run-${run}` }));
  await assertReplay(reprise.client, { workflowBundle: { codePath: machine.bundle } }, ids);
}

/** The result of a run; where it does not end, an error that says what it waits for. */
async function ended({ client }: Reprise, id: string): Promise<unknown> {
  const handle = client.workflow.getHandle(id);
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => {
    const said = handle.describe().then(({ raw }) => JSON.stringify([raw.pendingActivities, raw.pendingWorkflowTask]));
    said.then((waits) => late.reject(new Error(`${id} does not end: ${waits}`)), late.reject);
  }, 300_000);
  return Promise.race([handle.result(), late.promise]).finally(() => clearTimeout(timer));
}

/** How often requests were made again whose reply had been sent whole before: each was paid for twice. */
export function repetitions({ requests }: Pick<ModelServer, 'requests'>): number {
  const answered = new Set<string>();
  return requests.filter(({ raw, aborted }) => {
    const again = answered.has(raw);
    if (!aborted) answered.add(raw);
    return again;
  }).length;
}

/** Calls that the kill interrupted. */
export const inFlight = ({ model }: Stage): number => model.requests.filter(({ aborted }) => aborted).length;

const pendingReplies = ({ model }: Stage): number => model.requests.filter(({ answered }) => !answered).length;

/** How many replies the store of a home has. */
export function repliesIn(home: string): number {
  const database = new DatabaseSync(join(home, 'store.sqlite'), { readOnly: true, timeout: 5000 });
  const row = database.prepare('SELECT count(*) AS replies FROM replies').get();
  database.close();
  return Number(row?.['replies']);
}
