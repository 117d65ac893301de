import type { PlannedSubtask, StateSummary, SubtaskReport, SubtaskStatus } from '../../../protocol/plan-and-execute.ts';
import { readySubtasks } from './subtask-graph.ts';

export type Subtask = SubtaskReport & Pick<PlannedSubtask, 'attachments'>;

/** A subtask and the error of its last execution. */
export interface FailedSubtask {
  id: string;
  description: string;
  error: string;
}

/**
 * The state of all subtasks of a run (the document "Retry Optimization", section State Manager, from which the names in
 * snake case come). A completed subtask stays completed and depends only on completed ones. A pending subtask never
 * depends on a failed one, so there is always a subtask to run, or one running, or all have ended.
 */
export class Subtasks {
  readonly #subtasks = new Map<string, Subtask>();
  readonly #retried = new Set<string>();
  readonly #deadEnds = new Map<string, FailedSubtask>();

  /** Adds the subtasks of a plan. @param plan one in which `planProblems` finds nothing wrong */
  add(plan: PlannedSubtask[]): void {
    for (const subtask of plan) this.#set({ ...subtask, status: 'pending', executions: 0 });
    for (const { id } of this.#of('failed')) this.#failDependents(id);
  }

  get(id: string): Subtask | undefined {
    return this.#subtasks.get(id);
  }

  /** The ids of the subtasks to start now, in the plan's order. @param running how many run at this moment */
  next(running: number, maxParallel: number): string[] {
    const completed = new Set(this.#of('completed').map(({ id }) => id));
    return readySubtasks(this.#of('pending'), completed)
      .slice(0, Math.max(0, maxParallel - running))
      .map(({ id }) => id);
  }

  /** Does nothing if the subtask is not pending. */
  start(id: string): void {
    const subtask = this.#in(id, 'pending');
    if (subtask === undefined) return;
    this.#set({ ...subtask, status: 'running', executions: subtask.executions + 1 });
  }

  /** Does nothing if the subtask is not running. */
  complete(id: string, result: string): void {
    const subtask = this.#in(id, 'running');
    if (subtask === undefined) return;
    const { error: _, ...rest } = subtask;
    this.#set({ ...rest, status: 'completed', result });
  }

  /** Fails a subtask and all that depend on it. Does nothing if it is not running. */
  fail(id: string, error: string): void {
    const subtask = this.#in(id, 'running');
    if (subtask === undefined) return;
    this.#set({ ...subtask, status: 'failed', error });
    if (this.#retried.has(id)) this.#deadEnds.set(id, { id, description: subtask.description, error });
    this.#failDependents(id);
  }

  get_failed_subtasks(): SubtaskReport[] {
    return this.#of('failed').map(reportOf);
  }

  /**
   * Resets a failed subtask, and the failed ones that it depends on, to pending. The error of a subtask that has run is
   * kept until it completes, since the agent that runs it again is told why it failed.
   */
  retry_subtask(id: string): void {
    const subtask = this.#in(id, 'failed');
    if (subtask === undefined) return;
    const { error, ...rest } = subtask;
    const hasRun = subtask.executions > 0 && error !== undefined;
    this.#set({ ...rest, status: 'pending', ...(hasRun && { error }) });
    this.#retried.add(id);
    for (const each of subtask.dependsOn) this.retry_subtask(each);
  }

  /** Resets all failed subtasks to pending. @returns their ids, in the plan's order */
  beginRound(): string[] {
    const failed = this.#of('failed').map(({ id }) => id);
    for (const id of failed) this.retry_subtask(id);
    return failed;
  }

  get_state_summary(): StateSummary {
    return {
      subtasks_total: this.#subtasks.size,
      subtasks_completed: this.#of('completed').length,
      subtasks_failed: this.#of('failed').length,
      subtasks_pending: this.#of('pending').length,
      dead_ends: this.#deadEnds.size,
    };
  }

  /**
   * The subtasks that failed when they were tried again, each with its last error. Those that completed later are among
   * them, since it helps other agents to know what did not work.
   */
  get deadEnds(): FailedSubtask[] {
    return [...this.#deadEnds.values()];
  }

  /** The number of executions of all subtasks together. */
  get executions(): number {
    return this.report().reduce((sum, { executions }) => sum + executions, 0);
  }

  report(): SubtaskReport[] {
    return [...this.#subtasks.values()].map(reportOf);
  }

  /** Fails all that depend on a subtask, directly or not. The error of each names the nearest cause. */
  #failDependents(id: string): void {
    const failed = [id];
    for (const cause of failed) {
      for (const each of this.#of('pending').filter(({ dependsOn }) => dependsOn.includes(cause))) {
        this.#set({ ...each, status: 'failed', error: `Depends on ${cause}` });
        failed.push(each.id);
      }
    }
  }

  #of(status: SubtaskStatus): Subtask[] {
    return [...this.#subtasks.values()].filter((each) => each.status === status);
  }

  #in(id: string, status: SubtaskStatus): Subtask | undefined {
    const subtask = this.get(id);
    return subtask?.status === status ? subtask : undefined;
  }

  #set(subtask: Subtask): void {
    this.#subtasks.set(subtask.id, subtask);
  }
}

function reportOf(subtask: Subtask): SubtaskReport {
  const { attachments: _, ...report } = subtask;
  return report;
}
