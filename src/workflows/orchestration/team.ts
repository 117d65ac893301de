import type { Attachment, AttachmentInput } from '../../protocol/attachment.ts';
import type { EarlierMessage } from '../../protocol/orchestration.ts';
import type { OpenedOrchestration, OpenedTeam, StoredTask } from '../../protocol/stored.ts';
import type { ToolVariant } from '../../protocol/tools/tool.ts';
import { worksOnFiles } from '../../protocol/workspace.ts';
import { attachmentMessages, openAttachments, plainAttachments } from '../agent/attachments.ts';
import { hasTools, ToolExecutor } from '../agent/tool-executor.ts';
import { askingOf, askingTools } from '../ask-others/prompts.ts';
import { loadHandleText } from '../custom-code/load.ts';
import { openRunContext, type RunContext, type RunRecord } from '../runtime/run-context.ts';
import { announce } from '../runtime/run-ends.ts';
import { startTrees, type AgentTrees } from '../runtime/run-files.ts';
import type { RunHandlers } from '../runtime/run-handlers.ts';
import type { AttemptTools, Task, TeamAgent, TeamContext } from './context.ts';
import { cannotAsk, mayRestart, namesOf } from './rules/team-settings.ts';
import { coordinationTools } from './tools.ts';
import type { AgentSettings, Team } from '../../protocol/settings.ts';

/**
 * @param record what earlier runs of the same session have left
 * @throws `ActivityFailure` when a tool cannot be used, `ApplicationFailure` when a custom orchestrator cannot
 */
export async function openTeam(
  prepared: OpenedTeam,
  handlers: RunHandlers,
  record: Partial<RunRecord> & { files?: AgentTrees },
): Promise<TeamContext> {
  const { stored, team } = prepared;
  const { budget, orchestrator, timeout_settings } = team;
  const { coordination } = orchestrator;
  const run = openRunContext({ prepared, budget, coordination, agents: team.agents.length }, handlers, record);
  const starts = record.files ?? (await startTrees(prepared, handlers.events));
  const agents = await openAgents(prepared, run, starts);
  const isWithFiles = agents.some(({ start }) => start !== undefined);
  return {
    ...run,
    toolSets: stored.toolSets,
    instructions: stored.instructions,
    filesInstructions: isWithFiles ? stored.filesInstructions : undefined,
    agents,
    team,
    coordination,
    maxAttempts: coordination.max_orchestration_restarts + 1,
    attemptTimeout: timeout_settings.orchestrator_timeout_seconds * 1000,
  };
}

/** Announces an orchestration, and makes its team and its task ready. @throws what `openTeam` throws */
export async function openOrchestration(
  prepared: OpenedOrchestration,
  given: AttachmentInput[] | undefined,
  handlers: RunHandlers,
): Promise<[TeamContext, Task]> {
  const { history, humanQa, stored, task, team } = prepared;
  const ids = team.agents.map(({ id }) => id);
  announce(handlers, task, ids, prepared);
  const context = await openTeam(prepared, handlers, { questions: { history: humanQa } });
  const attachments = await openAttachments(given, team.agents, prepared, handlers.events);
  return [context, newTask(task, history, stored, attachments)];
}

/** A task, which has no session. @param stored its texts, and those of what was said before */
export function newTask(
  task: string,
  history: EarlierMessage[],
  stored: StoredTask,
  attachments: Attachment[] = [],
): Task {
  return {
    task: stored.task,
    history: [
      ...history.map(({ role, content }, index) => ({ role, content: stored.history[index] ?? content })),
      ...attachmentMessages(attachments),
    ],
    conversation: null,
    plain: { task, history: async () => [...history, ...(await plainAttachments(attachments))] },
    turn: 0,
  };
}

async function openAgents(
  { stored: { personas }, team }: OpenedTeam,
  run: RunContext,
  starts: AgentTrees,
): Promise<TeamAgent[]> {
  const names = namesOf(team);
  for (const { orchestrator } of team.agents)
    if (orchestrator.kind === 'custom') await loadHandleText(orchestrator.module);
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
 * With `enable_planning_mode`, tools that are not known to be harmless are left to the final agent until a restart asks the
 * team to act.
 */
async function openTools(
  team: Team,
  { backend, id, orchestrator, tools }: AgentSettings,
  run: RunContext,
): Promise<AttemptTools | undefined> {
  const { coordination } = team.orchestrator;
  const asking = cannotAsk({ backend }) ? undefined : askingOf(coordination, team.agents.length)?.mode;
  // A custom orchestrator returns its answer, and therefore has no tool to answer with.
  const own = orchestrator.kind === 'custom' ? askingTools(asking) : coordinationTools(namesOf(team), asking);
  if (!hasTools(tools) && (orchestrator.kind !== 'custom' || own.length === 0)) return undefined;
  const readOnly = coordination.enable_planning_mode;
  const variants: [ToolVariant, ...ToolVariant[]] = [
    { own, readOnly },
    ...(mayRestart(team) && readOnly ? [{ own, readOnly: false }] : []),
  ];
  const [planning, acting = planning] = await ToolExecutor.openVariants(id, tools, variants, run);
  return { planning, acting };
}
