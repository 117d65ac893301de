import { proxyActivities } from '@temporalio/workflow';
import type { Activities } from '../../activities/activities.ts';
import type { PlanSettings } from '../../config/plan.ts';
import type { Attachment, AttachmentInput } from '../../protocol/attachment.ts';
import type { AgentState } from '../../protocol/agent-state.ts';
import type { Text } from '../../protocol/message.ts';
import type { PreparedSolve, QueryAnalysis, SolvePhase, Validation } from '../../protocol/plan-and-execute.ts';
import type { ToolSources } from '../../config/tool-sources.ts';
import { Agent } from '../agent/agent.ts';
import { systemOf } from '../agent/loops.ts';
import type { Purpose } from '../agent/model-caller.ts';
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
  type AnswerBrief,
  type ShownResult,
} from './prompts.ts';
import { Subtasks, type Subtask } from './rules/subtasks.ts';

const { storeAttachments } = proxyActivities<Activities>({
  summary: 'attachments',
  startToCloseTimeout: '5 minutes',
  retry: { maximumAttempts: 5 },
});

/** The built-in package that reads attachments, and keeps what subtasks save. */
const fileTools = 'builtin.attachments';

/** Time that each model call has, in milliseconds. */
export const callTimeout = 600_000;

type PlanRole = 'planner' | 'synthesis' | 'validator';

export const planRoles: PlanRole[] = ['planner', 'synthesis', 'validator'];

/** What stands in the store and is named by all prompts. */
export interface Stored {
  problem: Text;
  tools: { analysis: string; plan: string; validation: string };
  instructions: Record<PlanRole | 'executor', Text>;
}

/** What is done in another round: what has failed once more, or what is missing by new subtasks. */
export type Retry = { kind: 'retry_failed' } | { kind: 'add_subtasks'; missing: string[] };

/** One round: the plan itself, then the repetitions. */
export interface Round extends Iteration<Retry> {
  /** Whether the planner has no way to what is missing. */
  isStuck: boolean;
  /** What the validator is told besides the answer; undefined before the answer is put together. */
  brief: AnswerBrief | undefined;
}

/** All that the execution of a plan knows. */
export interface PlanContext extends RunContext {
  problem: string;
  settings: PlanSettings;
  stored: Stored;
  attachments: Attachment[];
  tools: ToolExecutor;
  planner: StructuredAgent;
  analysis: QueryAnalysis;
  subtasks: Subtasks;
  /** Results by reference where they are long. */
  results: Map<string, Text>;
  phase: SolvePhase;
  /** Rounds of repetition so far. */
  retries: number;
  /** What agents are doing at this moment, by their ids. */
  working: Map<string, AgentState>;
  /** The present conversation of each agent, by its id. */
  conversations: Map<string, Agent>;
  /** The last answer; undefined before the first. */
  answer: string | undefined;
  /** The same, by reference where it is long. */
  answerText: Text;
  /** What was said of it; null: nobody could say. */
  validation: Validation | null;
}

/** Opens the execution of a plan: its files and what every prompt repeats in the store, its executor's tools loaded. */
export async function openPlan(
  { prices, problem, settings }: PreparedSolve,
  given: AttachmentInput[],
  handlers: RunHandlers,
): Promise<PlanContext> {
  const { budget, coordination, orchestrator, tools } = settings;
  const { emit } = handlers.events;
  const keepsFiles = given.length > 0 || tools.packages.includes(fileTools);
  // Also without any: a run under the id of an earlier one begins without its files.
  const attachments = keepsFiles ? await storeAttachments({ attachments: given }) : [];
  for (const { bytes, kind, name, note } of attachments)
    emit({ type: 'attachment', name, kind, bytes, ...(note !== undefined && { note }) });
  const run = openRunContext({ budget, prices, coordination, agents: 1 }, handlers);
  const asking = askingOf(coordination, 1);
  const own = [
    ...(orchestrator.kind === 'custom' ? [] : [finishTool]),
    ...(asking === undefined ? [] : askingTools(asking.mode)),
  ];
  const executor = await ToolExecutor.open('executor', withFileTools(tools, attachments), own, emit);
  const stored = await storeInstructions(problem, settings);
  const base = { ...run, settings, stored, conversations: new Map() };
  return {
    ...base,
    problem,
    attachments,
    tools: executor,
    planner: newRoleAgent(base, 'planner', stored.tools.analysis),
    analysis: { requirements: [], answerFormat: '' },
    subtasks: new Subtasks(),
    results: new Map(),
    phase: 'preparing',
    retries: 0,
    working: new Map(),
    answer: undefined,
    answerText: '',
    validation: null,
  };
}

/** Whoever gets files can read them, and reckon with what they hold. */
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
  const sets = [analysisTool, subtasksTool, validationTool].map((tool) => [tool, ...own]);
  const texts = [told(planner), carrying.join('\n\n'), synthesis, told(validator)];
  const ids = await storeToolSets(sets, texts);
  const [analysis = '', plan = '', validation = '', ...instructions] = ids;
  const [planning = '', executing = '', joining = '', validating = ''] = instructions;
  const [text = problem] = await storeTexts([problem]);
  return {
    problem: text,
    tools: { analysis, plan, validation },
    instructions: {
      planner: { blob: planning },
      executor: { blob: executing },
      synthesis: { blob: joining },
      validator: { blob: validating },
    },
  };
}

export function beginRound(context: PlanContext, round: Iteration<Retry>): Round {
  context.retries = round.number - 1;
  return { ...round, isStuck: false, brief: undefined };
}

/** Gives a role a fresh conversation. */
export function newRoleAgent(
  context: Pick<PlanContext, 'broadcast' | 'models' | 'conversations' | 'settings' | 'stored'>,
  role: PlanRole,
  tools: string,
): StructuredAgent {
  const { broadcast, models, conversations, settings, stored } = context;
  const opening = { system: stored.instructions[role], transcript: null, messages: [] };
  const agent = new Agent({ id: role, text: undefined, backend: settings.backends[role] }, models, opening);
  conversations.set(role, agent);
  return { id: role, agent, conversation: role, asking: 0, tools, broadcast };
}

/** `round 2`: 1 is the plan itself. */
export const whenOf = ({ retries }: PlanContext): string => `round ${retries + 1}`;

export function purposeOf(context: PlanContext, what: Purpose['what']): Purpose {
  return { what, when: whenOf(context), timeout: callTimeout };
}

/** Has an agent do its work, and shows what it is doing meanwhile. */
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

/** A subtask of the run, which has one of that id. */
export const subtaskOf = ({ subtasks }: PlanContext, id: string): Subtask => subtasks.get(id) as Subtask;

/** The completed ones among some subtasks, or among all, with their results. */
export function resultsOf({ results, subtasks }: PlanContext, ids?: string[]): ShownResult[] {
  return subtasks
    .report()
    .filter(({ id, status }) => status === 'completed' && (ids === undefined || ids.includes(id)))
    .map(({ description, id, result = '' }) => ({ id, description, result: results.get(id) ?? result }));
}
