import type { TestContext } from 'vitest';
import { connect, type Reprise } from '../../src/client.ts';
import { startModelServer, type ModelServer, type Script, type Seen } from './model-server.ts';
import { runningMachine, type Machine } from './processes.ts';
import { assertReplay, recordedOf } from './replaying.ts';
import { rowsIn } from './rows.ts';

/** A course of so many model calls. Its task must say `Survive ID.`, ID being that of the run. */
export interface Disturbed {
  calls: number;
  /** What the model says; one for each run. */
  script: () => Script;
  start: (reprise: Reprise, task: string, workflowId: string) => Promise<unknown>;
  /** What every run comes to. */
  result: object;
}

interface Killed {
  machine: Machine;
  model: ModelServer;
  reprise: Reprise;
}

const runOf = ({ prompt }: Seen): string => /Survive (\w+-\d+)\./.exec(prompt)?.[1] ?? '';

/** The ids of a course's runs. */
const idsOf = (name: string, { calls }: Disturbed): string[] =>
  Array.from({ length: calls }, (_, call) => `${name}-${call}`);

/**
 * Starts as many runs of each course as it has calls: run k is disturbed in its call k, all at the same moment. Worker and
 * server are killed while those calls are under way. They are made again, and when every reply of these is committed, and the
 * server has been told of none, the worker is killed once more.
 *
 * @param prepare its home, before its worker starts
 */
export async function killTwice(
  { expect, onTestFinished }: Pick<TestContext, 'expect' | 'onTestFinished'>,
  courses: Record<string, Disturbed>,
  prepare: (home: string) => void,
): Promise<Killed> {
  const scripts = new Map<string, Script>();
  /** The requests that are disturbed: of each run the one whose number it has. */
  const disturbed = new Map<string, string>();
  const made = new Map<string, number>();
  /** What is under way now, and waits until it is released. */
  let held = new Set<string>();
  let released = Promise.withResolvers<void>();
  const model = await startModelServer(async (seen) => {
    const run = runOf(seen);
    const call = made.get(run) ?? 0;
    made.set(run, call + 1);
    if (run.endsWith(`-${call}`) && !disturbed.has(run)) disturbed.set(run, seen.raw);
    if (disturbed.get(run) === seen.raw) {
      held.add(run);
      await released.promise;
    }
    return scripts.get(run)?.(seen) ?? { status: 404 };
  });
  const machine = await runningMachine({ onTestFinished }, model, prepare);
  const { home } = machine;
  const reprise = await connect({ address: machine.address });
  onTestFinished(() => reprise.close());
  for (const [name, course] of Object.entries(courses))
    for (const id of idsOf(name, course)) {
      scripts.set(id, course.script());
      await course.start(reprise, `Survive ${id}.`, id);
    }

  const underWay = (): number => model.requests.filter(({ aborted, answered }) => !aborted && !answered).length;
  // A reply that is sent but not committed yet is not finished: a call made again for it is none too many.
  const committed = (): boolean => rowsIn(home, 'replies') === model.requests.filter(({ answered }) => answered).length;
  const onlyHeld = { held: scripts.size, underWay: scripts.size, committed: true };
  const allHeld = () =>
    expect.poll(() => ({ held: held.size, underWay: underWay(), committed: committed() })).toEqual(onlyHeld);
  const release = (): void => {
    const { resolve } = released;
    [held, released] = [new Set(), Promise.withResolvers()];
    resolve();
  };

  await allHeld();
  await Promise.all([machine.killWorker(), machine.killServer()]);
  await expect.poll(underWay).toBe(0);
  release();
  await machine.startServer();
  await machine.startWorker();

  await allHeld();
  // The server is stopped, so that no reply can be acknowledged; each is committed all the same.
  machine.pauseServer();
  release();
  await expect.poll(() => [underWay(), committed()]).toEqual([0, true]);
  await machine.killWorker();
  machine.resumeServer();
  await machine.startWorker();
  return { machine, model, reprise };
}

/** All runs of a course end by themselves as if nothing had happened but for the calls made again, and can be replayed. */
export async function allComplete(
  { machine, model, reprise }: Killed,
  name: string,
  course: Disturbed,
  { expect }: Pick<TestContext, 'expect'>,
): Promise<void> {
  const ids = idsOf(name, course);
  for (const id of ids) {
    expect(await ended(reprise, id), id).toMatchObject(course.result);
    const requests = model.requests.filter((seen) => runOf(seen) === id);
    const calls = new Set(requests.map(({ raw }) => raw)).size;
    const interrupted = requests.filter(({ aborted }) => aborted).length;
    expect({ calls, answered: requests.length - interrupted, repeated: repetitions({ requests }) }, id).toEqual({
      calls: course.calls,
      answered: course.calls,
      repeated: 0,
    });
  }
  const runs = ids.map((workflowId) => ({ workflowId }));
  const recorded = await recordedOf(reprise.client, runs);
  await assertReplay({ workflowBundle: { codePath: machine.bundle } }, recorded);
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
