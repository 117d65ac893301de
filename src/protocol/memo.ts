import type { Figures } from './usage.ts';

/** What a run's memo holds, for lists of runs: unlike a query, it can be read where no worker runs. */
export interface RunMemo {
  /** The first 200 characters of the task, the idea, the problem, or a session's first text. */
  question?: string;
  /** What the run has spent; only once it has ended with a result. */
  spent?: Figures;
}
