import { describeBroadcast } from './broadcast.ts';
import { describeBackend, describeLimits, describeOrchestrator, describeTools } from './describe-agent.ts';
import type { Team, TeamAgent } from './team.ts';

/** A team's configuration with all defaults filled in, in a few lines for a person. */
export function describeTeam(team: Team): string {
  const { agents, final_agent, orchestrator, timeout_settings, budget, idle_timeout } = team;
  const { coordination } = orchestrator;
  const restarts = coordination.max_orchestration_restarts;
  const mode = coordination.enable_post_presentation_evaluation ? 'after' : 'before';
  return [
    `A team of ${agents.length}:`,
    ...agents.map(describeMember),
    ...(final_agent === undefined ? [] : [`  final agent: ${describeBackend(final_agent.backend)}`]),
    restarts === 0
      ? 'No restarts: nobody judges the result.'
      : `Up to ${restarts} restarts (${restarts + 1} attempts), decided ${mode} presenting.`,
    `Up to ${coordination.max_new_answers_per_agent} answers an agent, novelty ${coordination.answer_novelty_requirement}.`,
    `Timeouts: ${timeout_settings.agent_timeout_seconds} s an agent, ${timeout_settings.orchestrator_timeout_seconds} s an attempt.`,
    ...describeBroadcast(coordination),
    ...describeLimits(budget, idle_timeout),
  ].join('\n');
}

/** What goes without saying is left out: the loop of agents that name none, and no tools. */
function describeMember({ id, backend, orchestrator, tools }: TeamAgent): string {
  const sources = describeTools(tools);
  return [
    `  ${id}: ${describeBackend(backend)}`,
    ...(orchestrator.kind === 'simple_tool' ? [] : [describeOrchestrator(orchestrator)]),
    ...(sources === '' ? [] : [`tools: ${sources}`]),
  ].join('; ');
}
