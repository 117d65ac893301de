import type { ShownSubtask, SolveState, SubtaskReport } from '../../protocol/plan-and-execute.ts';
import { inline, inWords } from '../runtime/details.ts';
import type { RunView } from '../runtime/run-handlers.ts';
import { shortened } from '../runtime/size.ts';
import type { PlanContext } from './context.ts';
import { Subtasks } from './rules/subtasks.ts';

const unbegun: SolveState = {
  workflow: 'planAndExecute',
  phase: 'preparing',
  get_failed_subtasks: [],
  ...new Subtasks().get_state_summary(),
  retries: 0,
  max_retries: 0,
  subtasks: [],
  attachments: [],
  agents: [],
  usage: null,
};

/** What a run shows before its input is checked. */
export const emptyView: RunView = { state: () => unbegun, details: () => detailsOf(unbegun), transcript: () => null };

export function viewOf(context: PlanContext): RunView {
  return {
    state: () => stateOf(context),
    details: () => detailsOf(stateOf(context)),
    transcript: (agent) => context.conversations.get(agent)?.transcript ?? null,
  };
}

function stateOf({ attachments, phase, retries, settings, subtasks, usage, working }: PlanContext): SolveState {
  return {
    workflow: 'planAndExecute',
    phase,
    get_failed_subtasks: subtasks.get_failed_subtasks().map(({ id }) => id),
    ...subtasks.get_state_summary(),
    retries,
    max_retries: settings.max_retries,
    subtasks: subtasks.report().map(withoutResult),
    attachments: attachments.map(({ bytes, kind, name, note }) => ({
      name,
      kind,
      bytes,
      ...(note !== undefined && { note }),
    })),
    agents: [...working].map(([id, state]) => ({ id, state })),
    usage: usage.total,
    limits: usage.limits,
  };
}

function withoutResult(report: SubtaskReport): ShownSubtask {
  const { result: _, ...shown } = report;
  return shown;
}

function detailsOf({ attachments, max_retries, phase, retries, subtasks }: SolveState): string[] {
  return [
    `### ${inWords(phase)}${retries === 0 ? '' : `, retry ${retries} of ${max_retries}`}`,
    ...subtasks.map(subtaskLine),
    ...(attachments.length === 0
      ? []
      : ['', '### Attachments', ...attachments.map(({ kind, name }) => `- ${inline(name)} (${kind})`)]),
  ];
}

function subtaskLine({ description, error, executions, id, replacedBy, status }: ShownSubtask): string {
  const runs = executions > 1 ? `, ${executions} executions` : '';
  const others = replacedBy === undefined ? '' : `, replaced by ${replacedBy.join(', ')}`;
  const why = error === undefined ? '' : ` (${start(error)})`;
  return `- **${id}**: ${status}${runs}${others}: ${start(description)}${why}`;
}

const start = (text: string): string => inline(shortened(text, 300));
