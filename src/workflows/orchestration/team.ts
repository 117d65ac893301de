import type { AgentSettings, Team } from '../../config/team.ts';
import type { ToolSpec } from '../../protocol/message.ts';
import type { EarlierMessage, PreparedOrchestration, PreparedTeam } from '../../protocol/orchestration.ts';
import type { ToolVariant } from '../../protocol/tool.ts';
import { worksOnFiles } from '../../protocol/workspace.ts';
import { storeTexts, storeRepeated } from '../agent/text-refs.ts';
import { hasTools, ToolExecutor } from '../agent/tool-executor.ts';
import { askingTools } from '../ask-others/prompts.ts';
import { loadHandleText } from '../custom-code/run.ts';
import { askingOf, openRunContext, type RunContext, type RunRecord } from '../runtime/run-context.ts';
import { announce } from '../runtime/run-ends.ts';
import { startTrees, type AgentTrees } from '../runtime/run-files.ts';
import type { RunHandlers } from '../runtime/run-handlers.ts';
import type { AttemptTools, Task, TeamAgent, TeamContext } from './context.ts';
import { temporaryWorkspace } from './files.ts';
import { coordinationText, finalText } from './prompts.ts';
import { coordinationTools, decisionToolsWith } from './tools.ts';
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
  record: Partial<RunRecord> & { files?: AgentTrees },
): Promise<TeamContext> {
  const { team } = prepared;
  const { budget, orchestrator, timeout_settings } = team;
  const { coordination } = orchestrator;
  const run = openRunContext({ prepared, budget, coordination, agents: team.agents.length }, handlers, record);
  const stored = await storeInstructions(team);
  const starts = record.files ?? (await startTrees(prepared, handlers.events));
  const agents = await openAgents(team, run, starts);
  const isWithFiles = agents.some(({ start }) => start !== undefined);
  return {
    ...run,
    ...stored,
    filesInstructions: isWithFiles ? await storeFilesInstructions(team) : undefined,
    agents,
    team,
    coordination,
    maxAttempts: coordination.max_orchestration_restarts + 1,
    attemptTimeout: timeout_settings.orchestrator_timeout_seconds * 1000,
  };
}

/** Announces an orchestration, and makes its team and its task ready. @throws what `openTeam` throws */
export async function openOrchestration(
  prepared: PreparedOrchestration,
  handlers: RunHandlers,
): Promise<[TeamContext, Task]> {
  const { history, humanQa, task, team } = prepared;
  const ids = team.agents.map(({ id }) => id);
  announce(handlers, task, ids, prepared);
  const context = await openTeam(prepared, handlers, { humanInput: { history: humanQa } });
  return [context, await newTask(task, history)];
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
  const { coordination: settings } = team.orchestrator;
  const asking = askingOf(settings, team.agents.length);
  const { enable_planning_mode: plans, enable_post_presentation_evaluation: compares } = settings;
  const forLater = mayRestart(team)
    ? [coordinationTools(namesOf(team, true), asking?.mode), decisionToolsWith({ plans, compares })]
    : [];
  const forAlone =
    asking !== undefined && team.agents.some(cannotAsk)
      ? [
          coordinationText(undefined),
          coordinationText(undefined, true),
          coordinationTools(namesOf(team)),
          coordinationTools(namesOf(team, true)),
        ]
      : [];
  const none = { blob: '' };
  const [coordination = none, decision = none, told = none, toldLast = none, planning, ...more] = await storeRepeated([
    coordinationTools(namesOf(team), asking?.mode),
    decisionToolsWith({ plans, compares: false }),
    coordinationText(asking),
    finalText(),
    coordinationText(asking, true),
    ...forLater,
    ...forAlone,
  ]);
  const [laterCoordination, laterDecision] = more.slice(0, forLater.length);
  const [aloneTold, alonePlanning, alone, aloneLater] = more.slice(forLater.length);
  return {
    toolSets: {
      coordination,
      decision,
      ...(alone !== undefined && { alone }),
      // The worker of an earlier version has stored none.
      later:
        laterCoordination === undefined || laterDecision === undefined
          ? undefined
          : {
              coordination: laterCoordination,
              decision: laterDecision,
              ...(aloneLater !== undefined && { alone: aloneLater }),
            },
    },
    instructions: {
      coordination: told,
      planning: planning ?? told,
      final: toldLast,
      ...(aloneTold && alonePlanning && { alone: { coordination: aloneTold, planning: alonePlanning } }),
    },
  };
}

async function storeFilesInstructions(team: Team): Promise<TeamContext['filesInstructions']> {
  const asking = askingOf(team.orchestrator.coordination, team.agents.length);
  const folder = temporaryWorkspace(team);
  const textsFor = (rules: typeof asking): string[] =>
    [false, true].map((isPlanning) => coordinationText(rules, isPlanning, folder));
  const isAlone = asking !== undefined && team.agents.some(cannotAsk);
  const texts = [...textsFor(asking), ...(isAlone ? textsFor(undefined) : [])];
  const [coordination, planning, told, toldPlanning] = await storeRepeated(texts);
  const alone = told && toldPlanning && { coordination: told, planning: toldPlanning };
  return coordination && planning && { coordination, planning, ...(alone && { alone }) };
}

/** Claude Code takes no questions while it works, and asks none (MassGen's documentation "Agent Communication"). */
const cannotAsk = ({ backend }: Pick<AgentSettings, 'backend'>): boolean => backend.type === 'claude_code';

const mayRestart = ({ orchestrator }: Team): boolean => orchestrator.coordination.max_orchestration_restarts > 0;

/** The anonymous names of the agents. @param withEarlier whether there may be an earlier answer to name */
const namesOf = ({ agents }: Team, withEarlier = false): string[] =>
  Array.from({ length: agents.length + (withEarlier ? 1 : 0) }, (_, index) => anonymousName(index));

async function openAgents(team: Team, run: RunContext, starts: AgentTrees): Promise<TeamAgent[]> {
  const names = namesOf(team);
  for (const { orchestrator } of team.agents)
    if (orchestrator.kind === 'custom') await loadHandleText(orchestrator.module);
  const personas = await storeTexts(team.agents.map((agent) => agent.system_message ?? ''));
  return Promise.all(
    team.agents.map(async (agent, index) => {
      const tools = await openTools(team, agent, run);
      const hasWorkspace = worksOnFiles(agent.tools.packages) || tools?.acting.usesFiles || cannotAsk(agent);
      return {
        id: agent.id,
        name: names[index] ?? '',
        persona: agent.system_message === undefined ? undefined : personas[index],
        backend: agent.backend,
        orchestrator: agent.orchestrator,
        sources: agent.tools,
        tools,
        start: hasWorkspace ? (starts[agent.id] ?? null) : undefined,
        timedOut: false,
      };
    }),
  );
}

/**
 * The tools of an agent for all attempts. With `enable_planning_mode`, those that are not known to be harmless are left to
 * the final agent until a restart asks the team to act.
 */
async function openTools(
  team: Team,
  { backend, id, orchestrator, tools }: AgentSettings,
  run: RunContext,
): Promise<AttemptTools | undefined> {
  const { coordination } = team.orchestrator;
  const asking = cannotAsk({ backend }) ? undefined : askingOf(coordination, team.agents.length)?.mode;
  // A custom orchestrator returns its answer, and therefore has no tool to answer with.
  const ownWith = (withEarlier: boolean): ToolSpec[] =>
    orchestrator.kind !== 'custom'
      ? coordinationTools(namesOf(team, withEarlier), asking)
      : asking === undefined
        ? []
        : askingTools(asking);
  const own = ownWith(false);
  if (!hasTools(tools) && (orchestrator.kind !== 'custom' || own.length === 0)) return undefined;
  const harmlessOnly = coordination.enable_planning_mode;
  const variants: [ToolVariant, ...ToolVariant[]] = [
    { own, harmlessOnly },
    ...(mayRestart(team) ? [{ own: ownWith(true), harmlessOnly }] : []),
    ...(mayRestart(team) && harmlessOnly ? [{ own: ownWith(true), harmlessOnly: false }] : []),
  ];
  const [first, planning = first, acting = planning] = await ToolExecutor.openVariants(id, tools, variants, run);
  return { first, planning, acting };
}
