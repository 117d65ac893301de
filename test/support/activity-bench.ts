import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MockActivityEnvironment } from '@temporalio/testing';
import { DefaultLogger } from '@temporalio/worker';
import { openSqliteStore } from '../../src/store/sqlite.ts';
import type { Store } from '../../src/store/store.ts';

/** A store of its own, and a place for activities to run in. */
export interface ActivityBench {
  store: Store;
  /** The store's file. */
  file: string;
  /** Runs an activity as one of this run, which is `r` unless it is named. */
  run<I, O>(activity: (input: I) => Promise<O>, input: I, runId?: string): Promise<O>;
  close(): Promise<void>;
}

/** Who makes the calls of a test. */
export const testCaller = { agent: 'agent_a', attempt: 1, round: 1, purpose: 'reply' };

/** Failures that a test expects are none to report. */
const logger = new DefaultLogger('ERROR');

export function activityBench(): ActivityBench {
  const home = mkdtempSync(join(tmpdir(), 'reprise-activities-'));
  const file = join(home, 'store.sqlite');
  const store = openSqliteStore(file);
  return {
    store,
    file,
    run: (activity, input, runId = 'r') =>
      new MockActivityEnvironment({ workflowExecution: { workflowId: 'w', runId } }, { logger }).run(activity, input),
    async close() {
      await store.close();
      rmSync(home, { recursive: true, force: true });
    },
  };
}
