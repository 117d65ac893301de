import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { WorkflowHandle } from '@temporalio/client';
import proto from '@temporalio/proto';
import { signed } from '../src/trust/signature.ts';
import type { Script } from '../test/support/model-server.ts';
import { quickModule, type Case } from './cases.ts';
import { median, openStage, type Stage } from './stage.ts';

/** A stage for cases, whose model says what the case that is measured wants it to. */
export interface CaseStage extends Stage {
  /** Starts a run of a case. */
  start(measured: Case): Promise<WorkflowHandle>;
  /** Runs a case once. @returns the run's id, when it has ended */
  run(measured: Case): Promise<string>;
  /** Runs its bare workflow once. */
  runFloor(measured: Case): Promise<void>;
  /** How many events the history of a run has, and how many bytes. */
  historyOf(id: string): Promise<HistorySize>;
}

export interface HistorySize {
  events: number;
  bytes: number;
}

export async function openCaseStage(): Promise<CaseStage> {
  let script: Script = () => ({ text: 'Nothing is measured.' });
  const stage = await openStage((seen) => script(seen));
  writeFileSync(join(stage.home, quickModule.file), quickModule.code);
  const { workflow } = stage.reprise.client;
  let count = 0;
  const start = ({ type, input, ...measured }: Case): Promise<WorkflowHandle> => {
    ({ script } = measured);
    const run = { namespace: 'default', workflowType: type, workflowId: `case-${++count}` };
    // What the input asks for goes beyond the worker's own configuration, so that the worker must know who asks.
    const args = [signed(input, run, stage.home)];
    return workflow.start(type, { taskQueue: 'reprise', workflowId: run.workflowId, args });
  };
  return {
    ...stage,
    start,
    async run(measured) {
      const run = await start(measured);
      await run.result();
      return run.workflowId;
    },
    async runFloor({ floor: { type, args } }) {
      await stage.bare(type, args);
    },
    async historyOf(id) {
      const history = await workflow.getHandle(id).fetchHistory();
      const bytes = proto.temporal.api.history.v1.History.encode(history).finish().length;
      return { events: history.events?.length ?? 0, bytes };
    },
  };
}

/** How long some work takes, in milliseconds. */
export async function timed(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
}

/** Measures a case beside its bare workflow, in pairs, and prints the medians. */
export async function compareWithFloor(stage: CaseStage, measured: Case, rounds: number): Promise<void> {
  const { name, ideal } = measured;
  const pairs: Array<{ bare: number; own: number }> = [];
  let last = '';
  for (let round = 0; round <= rounds; round++) {
    const bare = await timed(() => stage.runFloor(measured));
    const own = await timed(async () => (last = await stage.run(measured)));
    // The first round warms both up.
    if (round > 0) pairs.push({ bare, own });
  }
  const over = (pick: (pair: { bare: number; own: number }) => number): string => median(pairs.map(pick)).toFixed(3);
  const { bytes, events } = await stage.historyOf(last);
  console.log(
    `${name}: wall over model time ${over(({ own }) => own / ideal)}, bare workflow ${over(({ bare }) => bare / ideal)}, ` +
      `ratio ${over(({ bare, own }) => own / bare)} (medians of ${rounds} pairs); history ${events} events, ${bytes} bytes`,
  );
}
