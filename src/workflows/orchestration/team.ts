import type { AgentSettings, Team } from '../../config/team.ts';
import type { EarlierMessage, PreparedTeam } from '../../protocol/orchestration.ts';
import { storeTexts, storeToolSets } from '../agent/text-refs.ts';
import { hasTools, ToolExecutor } from '../agent/tool-executor.ts';
import { askingTools } from '../ask-others/prompts.ts';
import { loadHandleText } from '../custom-code/run.ts';
import type { EventLog } from '../runtime/event-log.ts';
import { askingOf, openRunContext, type RunRecord } from '../runtime/run-context.ts';
import type { RunHandlers } from '../runtime/run-handlers.ts';
import type { Task, TeamAgent, TeamContext } from './context.ts';
import { coordinationText, coordinationTools, decisionTools, finalText } from './prompts.ts';
import { anonymousName } from './rules/ballot.ts';

/**
 * Makes a team ready for tasks: it stores the texts that every prompt repeats, and loads the agents' tools and custom
 * orchestrators.
 *
 * @param record what earlier runs of the same session have left
 * @throws `ActivityFailure` when a tool cannot be used, `ApplicationFailure` when a custom orchestrator cannot
 */
export async function openTeam(
  prepared: PreparedTeam,
  handlers: RunHandlers,
  record: Partial<RunRecord>,
): Promise<TeamContext> {
  const { team } = prepared;
  const { budget, orchestrator, timeout_settings } = team;
  const { coordination } = orchestrator;
  const stored = await storeInstructions(team);
  const agents = await openAgents(team, handlers.events);
  return {
    ...openRunContext({ prepared, budget, coordination, agents: agents.length }, handlers, record),
    ...stored,
    agents,
    team,
    coordination,
    maxAttempts: coordination.max_orchestration_restarts + 1,
    attemptTimeout: timeout_settings.orchestrator_timeout_seconds * 1000,
  };
}

/** Makes a task with its long texts in the store. It has no session. */
export async function newTask(task: string, history: EarlierMessage[]): Promise<Task> {
  const [stored = task, ...said] = await storeTexts([task, ...history.map(({ content }) => content)]);
  return {
    task: stored,
    history: history.map(({ role, content }, index) => ({ role, content: said[index] ?? content })),
    conversation: null,
    plain: { task, history: () => Promise.resolve(history) },
    turn: 0,
  };
}

async function storeInstructions(team: Team): Promise<Pick<TeamContext, 'toolSets' | 'instructions'>> {
  const asking = askingOf(team.orchestrator.coordination, team.agents.length);
  const [coordination = '', decision = '', told = '', toldLast = ''] = await storeToolSets(
    [coordinationTools(namesOf(team), asking?.mode), decisionTools],
    [coordinationText(asking), finalText],
  );
  return {
    toolSets: { coordination, decision },
    instructions: { coordination: { blob: told }, final: { blob: toldLast } },
  };
}

const namesOf = ({ agents }: Team): string[] => agents.map((_, index) => anonymousName(index));

async function openAgents(team: Team, events: EventLog): Promise<TeamAgent[]> {
  const names = namesOf(team);
  for (const { orchestrator } of team.agents)
    if (orchestrator.kind === 'custom') await loadHandleText(orchestrator.module);
  const personas = await storeTexts(team.agents.map((agent) => agent.system_message ?? ''));
  return Promise.all(
    team.agents.map(async (agent, index) => ({
      id: agent.id,
      name: names[index] ?? '',
      persona: agent.system_message === undefined ? undefined : personas[index],
      backend: agent.backend,
      orchestrator: agent.orchestrator,
      sources: agent.tools,
      tools: await openTools(team, agent, events),
      timedOut: false,
    })),
  );
}

/** With `enable_planning_mode`, tools that declare side effects are left to the final agent. */
async function openTools(
  team: Team,
  { id, orchestrator, tools }: AgentSettings,
  { emit }: EventLog,
): Promise<ToolExecutor | undefined> {
  const { coordination } = team.orchestrator;
  const asking = askingOf(coordination, team.agents.length)?.mode;
  // A custom orchestrator returns its answer, and therefore has no tool to answer with.
  const own =
    orchestrator.kind !== 'custom'
      ? coordinationTools(namesOf(team), asking)
      : asking === undefined
        ? []
        : askingTools(asking);
  if (!hasTools(tools) && (orchestrator.kind !== 'custom' || own.length === 0)) return undefined;
  return ToolExecutor.open(id, tools, own, emit, coordination.enable_planning_mode);
}
