import { setTimeout as pause } from 'node:timers/promises';
import type { Client, WorkflowHandle } from '@temporalio/client';
import { closeSignal, handleTextUpdate } from '../../../src/protocol/definitions.ts';
import { courseOf, type Course } from './course.ts';
import { disturb } from './disturb.ts';
import { endIfAny, patiently, type Pace } from './looks.ts';

/** What has become of a course. */
export interface Ride {
  course: Course;
  workflowId: string;
  runId: string;
  /**
   * What the query `events` has said while a worker was at work, as JSON of each event: only the last, from after the end,
   * unless it has once said something that was no beginning of what it said later.
   */
  looks: string[][];
  /** Whether it could be asked after its end too, so that its last look is all that it has said. */
  isTold: boolean;
  /** What the run has ended with: its result as JSON, or its failure. Undefined where it never ended. */
  end: string | undefined;
}

interface Track {
  client: Client;
  taskQueue: string;
  pace: Pace;
}

/** Has a course run with everything that comes to it, until it ends or has hung. */
export async function ride({ client, pace, taskQueue }: Track, seed: number, number: number): Promise<Ride> {
  const course = courseOf(seed, number);
  const workflowId = `${taskQueue}-${seed}-${number}`;
  const workflowIdConflictPolicy = 'USE_EXISTING';
  const options = { taskQueue, workflowId, args: [course.input], workflowIdConflictPolicy } as const;
  const handle = await patiently(() => client.workflow.start(course.type, options));
  const over = new AbortController();
  const looks: string[][] = [];
  const company = [
    disturb(client, handle, course, pace, over.signal),
    converse(client, handle, course, over.signal),
    cancelled(handle, course, over.signal),
  ];
  // A session may go on in a new run, which has events of its own.
  const first = client.workflow.getHandle(workflowId, handle.firstExecutionRunId);
  const { end, isTold } = await endIfAny(client, handle, first, looks, pace);
  over.abort();
  await Promise.all(company);
  return { course, workflowId, runId: handle.firstExecutionRunId, looks, isTold, end };
}

async function converse(client: Client, handle: WorkflowHandle, course: Course, over: AbortSignal): Promise<void> {
  if (course.type !== 'session') return;
  const turns: Array<Promise<unknown>> = [];
  for (const text of course.turns) {
    // A turn may fail, or come after the end of a session that was cancelled.
    const turn = client
      .withAbortSignal(over, () => handle.executeUpdate(handleTextUpdate, { args: [text] }))
      .catch(() => {});
    turns.push(turn);
    if (course.inTurn) await turn;
    // Updates that are sent at the same moment arrive in any order.
    else await pause(20);
  }
  await Promise.all(turns);
  if (!over.aborted) await handle.signal(closeSignal).catch(() => {});
}

async function cancelled(handle: WorkflowHandle, { cancelAfter }: Course, over: AbortSignal): Promise<void> {
  if (cancelAfter === undefined) return;
  await pause(cancelAfter, undefined, { signal: over }).catch(() => {});
  if (!over.aborted) await handle.cancel().catch(() => {});
}
