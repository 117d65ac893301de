import { ofTrees } from '../runtime/store-activities.ts';
import type { RunFiles } from '../../protocol/workspace.ts';
import { AgentWorkspace } from '../agent/workspace.ts';
import type { EventLog } from '../runtime/event-log.ts';
import { runFiles, tellChanges } from '../runtime/run-files.ts';

/**
 * The files that the subtasks of a plan share. What a completed one has changed is taken over, in the order of completion; what a
 * failed one has changed is dropped.
 */
export class SharedFiles {
  readonly #start: string | null;
  readonly #events: EventLog;
  #tree: string | null;
  #last: Promise<void> = Promise.resolve();

  constructor(start: string | null, events: EventLog) {
    this.#start = start;
    this.#tree = start;
    this.#events = events;
  }

  open(): AgentWorkspace {
    return new AgentWorkspace(this.#tree);
  }

  take(subtask: string, workspace: AgentWorkspace): Promise<void> {
    const turn = async (): Promise<void> => {
      // Calls beside the one that has ended the subtask may be under way still.
      await workspace.settled();
      const { start, tree } = workspace;
      if (tree === start) return;
      tellChanges(this.#events, subtask, await runFiles(start, tree));
      if (this.#tree === start) {
        this.#tree = tree;
        return;
      }
      const merged = await ofTrees.mergeFiles(start, this.#tree, tree);
      this.#tree = merged.tree;
      if (merged.conflicts.length === 0) return;
      const paths = merged.conflicts.join(', ');
      this.#events.emit({ type: 'notice', text: `${subtask} has replaced what another subtask had changed: ${paths}` });
    };
    const taken = this.#last.then(turn);
    this.#last = taken.catch(() => {});
    return taken;
  }

  result(): Promise<RunFiles> {
    return runFiles(this.#start, this.#tree);
  }
}
