import type { PlannedSubtask, StateSummary, SubtaskReport, SubtaskStatus } from '../../../protocol/plan-and-execute.ts';
import { cutToBytes } from '../../runtime/size.ts';
import { readySubtasks } from './subtask-graph.ts';

export type Subtask = SubtaskReport & Pick<PlannedSubtask, 'attachments'>;

/** In bytes. */
const longestError = 4000;

export interface FailedSubtask {
  id: string;
  description: string;
  error: string;
}

/**
 * The state of all subtasks of a run (the document "Retry Optimization", section State Manager, from which the names in
 * snake case come). A completed subtask stays completed and depends only on completed ones. A pending subtask never
 * depends on a failed one, so there is always a subtask to run, or one running, or all have ended. A failed one that others
 * have replaced stays failed, is not retried, and nothing depends on it.
 */
export class Subtasks {
  readonly #subtasks = new Map<string, Subtask>();
  readonly #retried = new Set<string>();
  readonly #deadEnds = new Map<string, FailedSubtask>();

  /** Adds the subtasks of a plan. @param plan one in which `planProblems` finds nothing wrong */
  add(plan: PlannedSubtask[]): void {
    for (const { replaces: _, ...subtask } of plan) this.#set({ ...subtask, status: 'pending', executions: 0 });
    for (const { id } of this.#of('failed')) this.#failDependents(id);
  }

  /**
   * Adds subtasks that take the place of failed ones; what depended on those then depends on these. If none says what it replaces,
   * those on which no other depends replace all dead ends. Such a plan depends on completed subtasks at most.
   */
  addAround(plan: PlannedSubtask[]): void {
    const isNamed = plan.some(({ replaces = [] }) => replaces.length > 0);
    const ends = plan.filter(({ id }) => !plan.some(({ dependsOn }) => dependsOn.includes(id)));
    for (const subtask of this.#needed()) {
      const isReplaced = ({ replaces = [] }: PlannedSubtask): boolean => replaces.includes(subtask.id);
      const others = isNamed ? plan.filter(isReplaced) : this.#deadEnds.has(subtask.id) ? ends : [];
      if (others.length > 0) this.#set({ ...subtask, replacedBy: others.map(({ id }) => id) });
    }
    for (const subtask of this.#needed()) {
      const dependsOn = [...new Set(subtask.dependsOn.flatMap((id) => this.#inPlaceOf(id)))];
      this.#set({ ...subtask, dependsOn });
    }
    this.add(plan);
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

  /** Does nothing if the subtask is not running. @param round the number of the round, from 1 */
  complete(id: string, result: string, round: number): void {
    const subtask = this.#in(id, 'running');
    if (subtask === undefined) return;
    const { error: _, ...rest } = subtask;
    this.#set({ ...rest, status: 'completed', result, completedIn: round });
  }

  /** Fails a subtask and all that depend on it. Does nothing if it is not running. */
  fail(id: string, error: string): void {
    const subtask = this.#in(id, 'running');
    if (subtask === undefined) return;
    const kept = cutToBytes(error, longestError);
    this.#set({ ...subtask, status: 'failed', error: kept });
    if (this.#retried.has(id)) this.#deadEnds.set(id, { id, description: subtask.description, error: kept });
    this.#failDependents(id);
  }

  get_failed_subtasks(): SubtaskReport[] {
    return this.#of('failed').map(reportOf);
  }

  /** The failed subtasks that no others have replaced: without them the plan is not carried out. */
  get neededFailures(): FailedSubtask[] {
    return this.#needed().map(({ description, error = '', id }) => ({ id, description, error }));
  }

  /** Those of them that failed when they were tried again. */
  get neededDeadEnds(): FailedSubtask[] {
    return this.neededFailures.filter(({ id }) => this.#deadEnds.has(id));
  }

  /**
   * Resets a failed subtask, and the failed ones that it depends on, to pending. The error of one that has run is kept until it
   * completes: the agent that runs it again is told why it failed.
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

  /** Resets all failed subtasks that are still needed to pending. @returns their ids, in the plan's order */
  beginRound(): string[] {
    const failed = this.#needed().map(({ id }) => id);
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

  /** Each with its last error. Those that completed later are among them: it helps other agents to know what did not work. */
  get deadEnds(): FailedSubtask[] {
    return [...this.#deadEnds.values()];
  }

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

  #needed(): Subtask[] {
    return this.#of('failed').filter(({ replacedBy }) => replacedBy === undefined);
  }

  /** The subtask itself, or those that have replaced it, or have replaced these. */
  #inPlaceOf(id: string): string[] {
    return this.get(id)?.replacedBy?.flatMap((each) => this.#inPlaceOf(each)) ?? [id];
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
