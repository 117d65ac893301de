import { describeBroadcast } from './broadcast.ts';
import type { Team } from './team.ts';

/** A team's configuration with all defaults filled in, in a few lines for a person. */
export function describeTeam({ agents, final_agent, orchestrator, timeout_settings, budget }: Team): string {
  const { coordination } = orchestrator;
  const restarts = coordination.max_orchestration_restarts;
  const mode = coordination.enable_post_presentation_evaluation ? 'after' : 'before';
  const backendText = ({ type, model }: { type: string; model?: string | undefined }): string =>
    model === undefined ? type : `${type} ${model}`;
  return [
    `A team of ${agents.length}:`,
    ...agents.map(({ id, backend }) => `  ${id}: ${backendText(backend)}`),
    ...(final_agent === undefined ? [] : [`  final agent: ${backendText(final_agent.backend)}`]),
    restarts === 0
      ? 'No restarts: nobody judges the result.'
      : `Up to ${restarts} restarts (${restarts + 1} attempts), decided ${mode} presenting.`,
    `Up to ${coordination.max_new_answers_per_agent} answers an agent, novelty ${coordination.answer_novelty_requirement}.`,
    `Timeouts: ${timeout_settings.agent_timeout_seconds} s an agent, ${timeout_settings.orchestrator_timeout_seconds} s an attempt.`,
    ...describeBroadcast(coordination),
    ...(budget === undefined ? [] : [`Budget: ${JSON.stringify(budget)}.`]),
  ].join('\n');
}
