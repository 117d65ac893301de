import type { SolveState } from '../../protocol/plan-and-execute.ts';
import type { View } from '../runtime/run-handlers.ts';
import type { Job } from './context.ts';

/** Before its input is checked. */
export const unbegun: SolveState = {
  phase: 'preparing',
  get_failed_subtasks: [],
  subtasks_total: 0,
  subtasks_completed: 0,
  subtasks_failed: 0,
  subtasks_pending: 0,
  dead_ends: 0,
  retries: 0,
  max_retries: 0,
  subtasks: [],
  attachments: [],
  agents: [],
  usage: null,
};

/** The execution of a plan at a glance. */
export function viewOfJob(job: Job): View {
  return {
    state: () => stateOf(job),
    transcript: (agent) => job.conversations.get(agent)?.transcript ?? null,
  };
}

function stateOf({ attachments, ledger, phase, retries, settings, subtasks, working }: Job): SolveState {
  return {
    phase,
    get_failed_subtasks: subtasks.get_failed_subtasks().map(({ id }) => id),
    ...subtasks.get_state_summary(),
    retries,
    max_retries: settings.max_retries,
    subtasks: subtasks.report(),
    attachments: attachments.map(({ bytes, kind, name, note }) => ({
      name,
      kind,
      bytes,
      ...(note !== undefined && { note }),
    })),
    agents: [...working].map(([id, state]) => ({ id, state })),
    usage: ledger.usage,
  };
}
