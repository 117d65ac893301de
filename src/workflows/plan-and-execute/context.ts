import { proxyActivities } from '@temporalio/workflow';
import type { Activities } from '../../activities/activities.ts';
import type { PlanSettings } from '../../config/plan.ts';
import type { Attachment, AttachmentInput } from '../../protocol/attachment.ts';
import type { AgentState } from '../../protocol/agent-state.ts';
import type { Text } from '../../protocol/message.ts';
import type { PreparedSolve, QueryAnalysis, SolvePhase, Validation } from '../../protocol/plan-and-execute.ts';
import type { ToolSources } from '../../config/tool-sources.ts';
import { Agent, type Purpose } from '../agent/agent.ts';
import { systemOf } from '../agent/loops.ts';
import type { StructuredAgent } from '../agent/structured-output.ts';
import { storeTexts, storeToolSets } from '../agent/text-refs.ts';
import { ToolExecutor } from '../agent/tool-executor.ts';
import { askingText, askingTools } from '../ask-others/prompts.ts';
import type { Iteration } from '../runtime/iterate.ts';
import { askingOf, openRunContext, type RunContext } from '../runtime/run-context.ts';
import type { RunHandlers } from '../runtime/run-handlers.ts';
import {
  analysisTool,
  finishTool,
  roleInstructions,
  subtasksTool,
  validationTool,
  type ShownResult,
} from './prompts.ts';
import { Subtasks, type Subtask } from './rules/subtasks.ts';

const { storeAttachments } = proxyActivities<Activities>({
  summary: 'attachments',
  startToCloseTimeout: '5 minutes',
  retry: { maximumAttempts: 5 },
});

/** The built-in package that reads attachments and keeps the files that subtasks save. */
const fileTools = 'builtin.attachments';

/** The time limit of each model call with all its retries, in milliseconds. */
export const callTimeout = 600_000;

type PlanRole = 'planner' | 'synthesis' | 'validator';

export const planRoles: PlanRole[] = ['planner', 'synthesis', 'validator'];

/** What every prompt repeats: it is kept in the store, and prompts refer to it. */
interface Stored {
  problem: Text;
  /** Blob ids of the tools that are offered for each kind of reply. */
  tools: { planning: string; validation: string };
  instructions: Record<PlanRole | 'executor', Text>;
}

/** What another round does: it repeats what has failed, or adds subtasks for what is missing. */
export type Retry = { kind: 'retry_failed' } | { kind: 'add_subtasks'; missing: string[] };

/** One round: the first executes the plan, each later one is a retry. */
export interface Round extends Iteration<Retry> {
  /** Whether the planner has found no subtasks for what is missing. */
  isStuck: boolean;
}

export interface Answer {
  text: string;
  /** The text as prompts repeat it: a reference if it is long. */
  content: Text;
}

/** The state of a run that plans and executes. */
export interface PlanContext extends RunContext {
  problem: string;
  settings: PlanSettings;
  stored: Stored;
  attachments: Attachment[];
  tools: ToolExecutor;
  planner: StructuredAgent;
  analysis: QueryAnalysis;
  subtasks: Subtasks;
  /** Results by the ids of their subtasks, as prompts repeat them: references if they are long. */
  results: Map<string, Text>;
  phase: SolvePhase;
  /** The number of retries so far. */
  retries: number;
  /** What the agents that are at work are doing, by their ids. */
  working: Map<string, AgentState>;
  /** The current conversation of each agent, by its id. */
  conversations: Map<string, Agent>;
  /** The latest answer; undefined before the first. */
  answer: Answer | undefined;
  /** What the validator said of the answer; null if there is nothing that could be used. */
  validation: Validation | null;
}

/**
 * Opens a run: stores its attachments and what every prompt repeats, and loads the tools for its subtasks.
 *
 * @param given the attachments as the run's input has them
 */
export async function openPlan(
  prepared: PreparedSolve,
  given: AttachmentInput[],
  handlers: RunHandlers,
): Promise<PlanContext> {
  const { problem, settings } = prepared;
  const { budget, coordination, orchestrator, tools } = settings;
  const { emit } = handlers.events;
  const keepsFiles = given.length > 0 || tools.packages.includes(fileTools);
  // This is needed without attachments too: a run under the id of an earlier one must not see the earlier one's files.
  const attachments = keepsFiles ? await storeAttachments({ attachments: given }) : [];
  for (const { bytes, kind, name, note } of attachments)
    emit({ type: 'attachment', name, kind, bytes, ...(note !== undefined && { note }) });
  const run = openRunContext({ prepared, budget, coordination, agents: 1 }, handlers);
  const asking = askingOf(coordination, 1);
  const askTools = asking === undefined ? [] : askingTools(asking.mode);
  const own = orchestrator.kind === 'custom' ? askTools : [finishTool, ...askTools];
  const executor = await ToolExecutor.open('executor', withFileTools(tools, attachments), own, emit);
  const stored = await storeInstructions(problem, settings);
  const base = { ...run, settings, stored, conversations: new Map() };
  return {
    ...base,
    problem,
    attachments,
    tools: executor,
    planner: newRoleAgent(base, 'planner', stored.tools.planning),
    analysis: { requirements: [], answerFormat: '' },
    subtasks: new Subtasks(),
    results: new Map(),
    phase: 'preparing',
    retries: 0,
    working: new Map(),
    answer: undefined,
    validation: null,
  };
}

/** Adds the tools that read files and calculate with what they hold, if there are any files. */
function withFileTools({ mcpServers, packages }: ToolSources, attachments: Attachment[]): ToolSources {
  const own = attachments.length === 0 ? [] : [fileTools, 'builtin.calculator'];
  return { packages: [...new Set([...packages, ...own])], mcpServers };
}

async function storeInstructions(problem: string, { coordination, orchestrator }: PlanSettings): Promise<Stored> {
  const asking = askingOf(coordination, 1);
  const own = asking === undefined ? [] : askingTools(asking.mode);
  const told = (text: string): string => (asking === undefined ? text : `${text} ${askingText(asking)}`);
  const { executor, planner, synthesis, validator } = roleInstructions;
  const carrying = [told(executor), systemOf(orchestrator, undefined)].filter((text) => text !== '');
  const sets = [[analysisTool, subtasksTool], [validationTool]].map((tools) => [...tools, ...own]);
  const texts = [told(planner), carrying.join('\n\n'), synthesis, told(validator)];
  const ids = await storeToolSets(sets, texts);
  const [planning = '', validation = '', ...instructions] = ids;
  const [drawingUp = '', executing = '', joining = '', validating = ''] = instructions;
  const [text = problem] = await storeTexts([problem]);
  return {
    problem: text,
    tools: { planning, validation },
    instructions: {
      planner: { blob: drawingUp },
      executor: { blob: executing },
      synthesis: { blob: joining },
      validator: { blob: validating },
    },
  };
}

/** Gives a role a fresh conversation. @param tools the blob id of its tools */
export function newRoleAgent(
  context: Pick<PlanContext, 'broadcast' | 'models' | 'conversations' | 'settings' | 'stored'>,
  role: PlanRole,
  tools: string | null,
): StructuredAgent {
  const { broadcast, models, conversations, settings, stored } = context;
  const opening = { system: stored.instructions[role], tools, transcript: null, messages: [] };
  const agent = new Agent({ id: role, text: undefined, backend: settings.backends[role] }, models, opening);
  conversations.set(role, agent);
  return { id: role, agent, conversation: role, asking: 0, broadcast };
}

/** Names the present round for summaries in the Web UI, as in `round 2`, which is the first retry. */
export const whenOf = ({ retries }: PlanContext): string => `round ${retries + 1}`;

export function purposeOf(context: PlanContext, what: Purpose['what']): Purpose {
  return { what, when: whenOf(context), timeout: callTimeout };
}

/** Shows that an agent is in a state while it does some work. @param work is given what to call when it asks a person */
export async function atWork<T>(
  { working }: PlanContext,
  id: string,
  state: AgentState,
  work: (onAsking: (isAsking: boolean) => void) => Promise<T>,
): Promise<T> {
  working.set(id, state);
  try {
    return await work((isAsking) => working.set(id, isAsking ? 'asking' : state));
  } finally {
    working.delete(id);
  }
}

/** Finds a subtask. @param id that of one of the run's subtasks */
export const subtaskOf = ({ subtasks }: PlanContext, id: string): Subtask => subtasks.get(id) as Subtask;

/** The results of completed subtasks. @param ids the subtasks to look among; absent: all of them */
export function resultsOf({ results, subtasks }: PlanContext, ids?: string[]): ShownResult[] {
  return subtasks
    .report()
    .filter(({ id, status }) => status === 'completed' && (ids === undefined || ids.includes(id)))
    .map(({ description, id, result = '' }) => ({ id, description, result: results.get(id) ?? result }));
}
