import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { WorkflowHandle } from '@temporalio/client';
import { signed } from '../src/trust/signature.ts';
import type { Script } from '../test/support/model-server.ts';
import { quickModule, type Case } from './cases.ts';
import { openStage, pairsOf, timed, type Stage } from './stage.ts';

/** A stage for cases, whose model says what the case that is measured wants it to. */
export interface CaseStage extends Stage {
  /** Starts a run of a case. */
  start(measured: Case): Promise<WorkflowHandle>;
  /** Runs a case once. @returns the run's id, when it has ended */
  run(measured: Case): Promise<string>;
  /** Runs its bare workflow once. */
  runFloor(measured: Case): Promise<void>;
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
  };
}

/** Measures a case beside its bare workflow, in pairs, and prints the medians. */
export async function compareWithFloor(stage: CaseStage, measured: Case, rounds: number): Promise<void> {
  const { name, ideal } = measured;
  let last = '';
  const over = await pairsOf(
    rounds,
    () => timed(() => stage.runFloor(measured)),
    () => timed(async () => (last = await stage.run(measured))),
  );
  const { bytes, events } = await stage.historyOf(last);
  console.log(
    `${name}: wall over model time ${over(({ own }) => own / ideal).toFixed(3)}, bare workflow ` +
      `${over(({ bare }) => bare / ideal).toFixed(3)}, ratio ${over(({ bare, own }) => own / bare).toFixed(3)} ` +
      `(medians of ${rounds} pairs); history ${events} events, ${bytes} bytes`,
  );
}
