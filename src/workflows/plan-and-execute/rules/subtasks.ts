import type { PlannedSubtask, StateSummary, SubtaskReport, SubtaskStatus } from '../../../protocol/plan-and-execute.ts';
import { readySubtasks } from './subtask-graph.ts';

export type Subtask = SubtaskReport & Pick<PlannedSubtask, 'attachments'>;

/** A subtask that failed when it was tried again, and what its last failure was. */
export interface DeadEnd {
  id: string;
  description: string;
  error: string;
}

/**
 * The state of all subtasks of a run (the document "Retry Optimization", section State Manager, whose names it keeps).
 * What has completed stays so and depends on completed ones only; what waits never depends on a failed one, so that
 * there is always either one to run, one running, or an end.
 */
export class Subtasks {
  readonly #subtasks = new Map<string, Subtask>();
  readonly #retried = new Set<string>();
  readonly #deadEnds = new Map<string, DeadEnd>();

  /** @param plan one without problems, see `planProblems` */
  add(plan: PlannedSubtask[]): void {
    for (const subtask of plan) this.#set({ ...subtask, status: 'pending', executions: 0 });
    for (const { id } of this.#of('failed')) this.#failDependents(id);
  }

  get(id: string): Subtask | undefined {
    return this.#subtasks.get(id);
  }

  /** Those to be started now, in the plan's order. */
  next(running: number, maxParallel: number): string[] {
    const completed = new Set(this.#of('completed').map(({ id }) => id));
    return readySubtasks(this.#of('pending'), completed)
      .slice(0, Math.max(0, maxParallel - running))
      .map(({ id }) => id);
  }

  /** Does nothing where it is not pending; likewise the others where it is not running. */
  start(id: string): void {
    const subtask = this.#in(id, 'pending');
    if (subtask === undefined) return;
    this.#set({ ...subtask, status: 'running', executions: subtask.executions + 1 });
  }

  complete(id: string, result: string): void {
    const subtask = this.#in(id, 'running');
    if (subtask === undefined) return;
    const { error: _, ...rest } = subtask;
    this.#set({ ...rest, status: 'completed', result });
  }

  /** Fails what waits for it too. */
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
   * Resets a failed subtask to pending, and the failed ones that it waits for. The error of one that has really run is
   * kept until it completes: who runs it again is told why it failed.
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

  /** Starts a round of repetition: every failed subtask is pending again. @returns their ids, in the plan's order */
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

  /** Those that completed later are among them: what did not work the first times is worth knowing. */
  get deadEnds(): DeadEnd[] {
    return [...this.#deadEnds.values()];
  }

  get isIdle(): boolean {
    return this.#of('pending').length + this.#of('running').length === 0;
  }

  /** Of all subtasks together, those that were really run. */
  get executions(): number {
    return this.report().reduce((sum, { executions }) => sum + executions, 0);
  }

  report(): SubtaskReport[] {
    return [...this.#subtasks.values()].map(reportOf);
  }

  /** Directly or not, the nearer ones first: each names the one next to it. */
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
