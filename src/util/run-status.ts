import type { WorkflowExecutionStatusName } from '@temporalio/client';

/** Whether a run of this status goes on. One that somebody has paused does, when it is let go on. */
export const isOpenStatus = (name: WorkflowExecutionStatusName): boolean => name === 'RUNNING' || name === 'PAUSED';

/** The same for Temporal's lists of workflows. Earlier servers refuse a list that names paused ones. */
export const openOnly =
  "ExecutionStatus NOT IN ('Completed', 'Failed', 'Canceled', 'Terminated', 'ContinuedAsNew', 'TimedOut')";

export const ofTypes = (types: readonly string[]): string =>
  `WorkflowType IN (${types.map((type) => `'${type}'`).join(', ')})`;

export const paused = 'the run is paused';
