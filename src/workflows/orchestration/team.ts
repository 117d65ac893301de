import { storeTexts, storeToolSets } from '../agent/text-refs.ts';
import { Toolbox } from '../agent/tool-executor.ts';
import type { Team, TeamAgent } from '../../config/team.ts';
import type { RunEventBody } from '../../protocol/events.ts';
import type { PreparedTeam } from '../../protocol/orchestration.ts';
import type { ToolSources } from '../../protocol/tool.ts';
import { coordinationText } from './prompts.ts';
import { finalText } from './final-prompts.ts';
import { askingTools, coordinationTools, decisionTools } from './tools.ts';
import { anonymousName } from './rules/ballot.ts';
import { loadOrInvalid } from '../session/custom-turns.ts';
import { askingOf, openOffice, type OfficeRecord } from '../runtime/run-context.ts';
import type { Crew } from './context.ts';
import type { Surface } from '../runtime/run-handlers.ts';
import type { Seat } from './participant.ts';

/** Puts the tools and duties that every prompt repeats into the store. */
export async function storeDuties({
  agents,
  orchestrator,
}: Team): Promise<Pick<Crew, 'toolSets' | 'duties'>> {
  const asking = askingOf(orchestrator.coordination, agents.length);
  const names = agents.map((_, index) => anonymousName(index));
  const duty = coordinationText(asking);
  const [coordination = '', decision = '', coordinationDuty, finalDuty] = await storeToolSets(
    [coordinationTools(names, asking?.mode), decisionTools],
    [duty, finalText],
  );
  return {
    toolSets: { coordination, decision },
    duties: {
      // Runs that were recorded before duties were stored have none there.
      coordination: coordinationDuty === undefined ? duty : { blob: coordinationDuty },
      final: finalDuty === undefined ? finalText : { blob: finalDuty },
    },
  };
}

/**
 * Gives every agent its place: its persona in the store where that is long, its tools loaded.
 *
 * @throws `ActivityFailure` where a tool cannot be used, `ApplicationFailure` where a file of the user's own cannot
 */
export async function seatsOf(team: Team, emit: (event: RunEventBody) => void): Promise<Seat[]> {
  for (const { orchestrator } of team.agents)
    if (orchestrator?.kind === 'custom') await loadOrInvalid(orchestrator.module);
  const personas = await storeTexts(team.agents.map((agent) => agent.system_message ?? ''));
  return Promise.all(
    team.agents.map(async (agent, index) => ({
      id: agent.id,
      name: anonymousName(index),
      persona: agent.system_message === undefined ? undefined : personas[index],
      backend: agent.backend,
      orchestrator: agent.orchestrator,
      tools: agent.tools,
      toolbox: await toolboxOf(team, agent, emit),
      timedOut: false,
    })),
  );
}

/** While a team plans (`enable_planning_mode`), tools with side effects are withheld: the final agent has them. */
async function toolboxOf(
  { agents, orchestrator: { coordination } }: Team,
  { id, orchestrator: loop, tools }: TeamAgent,
  emit: (event: RunEventBody) => void,
): Promise<Toolbox | undefined> {
  const names = agents.map((_, index) => anonymousName(index));
  const asking = askingOf(coordination, agents.length)?.mode;
  // A file of the user's own answers by what it returns.
  const isCustom = loop?.kind === 'custom';
  if (!hasTools(tools) && !(isCustom && asking !== undefined)) return undefined;
  const own = !isCustom ? coordinationTools(names, asking) : asking === undefined ? [] : askingTools(asking);
  return Toolbox.open(id, tools, own, emit, coordination.enable_planning_mode);
}

/** Teams that were recorded before agents had tools have none. */
export const hasTools = (tools: ToolSources | undefined): tools is ToolSources =>
  tools !== undefined && tools.packages.length + tools.mcpServers.length > 0;

/** Makes a team ready for tasks. */
export function newCrew(
  { team, prices }: PreparedTeam,
  stored: Pick<Crew, 'toolSets' | 'duties'>,
  surface: Surface,
  record: Partial<OfficeRecord>,
): Crew {
  const { agents, budget, orchestrator } = team;
  const { coordination } = orchestrator;
  return {
    ...openOffice({ budget, prices, coordination, agents: agents.length }, surface, record),
    ...stored,
    team,
    coordination,
    maxAttempts: coordination.max_orchestration_restarts + 1,
  };
}
