import { isCancellation, proxyLocalActivities } from '@temporalio/workflow';
import type { Activities } from '../../activities/activities.ts';
import type { ResearchSettings } from '../../config/research.ts';
import type { AgentState } from '../../protocol/agent-state.ts';
import type { Text } from '../../protocol/message.ts';
import type {
  Iteration as IterationRecord,
  Plan,
  PreparedResearch,
  Report,
  ResearchPhase,
  ResearchRole,
  RestartKind,
} from '../../protocol/research.ts';
import type { Hit, Work } from '../../protocol/search.ts';
import { Agent } from '../agent/agent.ts';
import { callFailure, isBudgetSpent } from '../agent/failures.ts';
import type { Purpose } from '../agent/model-caller.ts';
import type { StructuredAgent } from '../agent/structured-output.ts';
import { storeTexts, storeToolSets } from '../agent/text-refs.ts';
import { askingText, askingTools } from '../ask-others/prompts.ts';
import type { Iteration } from '../runtime/iterate.ts';
import { askingOf, openRunContext, type RunContext } from '../runtime/run-context.ts';
import type { RunHandlers } from '../runtime/run-handlers.ts';
import { criticismTool, planTool, reportTool, roleInstructions } from './prompts.ts';

const { recallReports } = proxyLocalActivities<Activities>({ startToCloseTimeout: '30 seconds' });

export const researchRoles: ResearchRole[] = ['planner', 'critic', 'writer'];

/** How many earlier runs are told of. */
const mostLessons = 3;

/** Time that each model call has, in milliseconds. */
const callTimeout = 600_000;

/** What stands in the store and is named by all prompts. */
export interface Stored {
  idea: Text;
  tools: Record<ResearchRole, string>;
  instructions: Record<ResearchRole, Text>;
}

/** Why the plan is drawn anew, and with what. */
export interface PlanningRestart {
  kind: RestartKind;
  reason: string;
  guidance: string;
}

/** A criticism; a null score: it has none. */
export interface Criticism {
  text: string;
  /** The same, by reference where it is long. */
  content: Text;
  score: number | null;
}

/** The work of one planning iteration, as far as it has come. */
export interface Draft extends Iteration<PlanningRestart> {
  plan: Plan | undefined;
  /** Why there is none, where the planner has failed for good. */
  noPlan: string | undefined;
  /** The plan's approach, by reference where it is long. */
  approach: Text;
  /** Undefined until the searches are done. */
  found: Found | undefined;
  criticism: Criticism | undefined;
  verdict: string | null;
  /** What was spent when it began. */
  before: IterationRecord['spent'];
}

export interface Found {
  /** What each query has found, for models. */
  material: Text[];
  /** The hits of each query, in the order of their marks. */
  hits: Array<{ mark: string; hit: Hit }>;
  /** Searches that failed, in words. */
  gaps: string[];
  similar: Work[];
}

/** All that a research run knows. */
export interface ResearchContext extends RunContext {
  idea: string;
  settings: ResearchSettings;
  stored: Stored;
  /** What came of earlier research on ideas like this one. */
  lessons: Text | undefined;
  planner: StructuredAgent;
  /** The present conversation of each role. */
  conversations: Partial<Record<ResearchRole, Agent>>;
  /** Whether the planner has been told the idea. */
  isIntroduced: boolean;
  drafts: Draft[];
  iterations: IterationRecord[];
  phase: ResearchPhase;
  states: Record<ResearchRole, AgentState>;
  /** Set from the decision to plan anew until the planner has used it. */
  restart: PlanningRestart | undefined;
  /** What is missing, for the result. */
  gaps: string[];
  /** Undefined until it is written. */
  report: Report | undefined;
  reportId: string;
  issueUrl: string | undefined;
}

/** Opens a research run: what every prompt repeats in the store, what earlier runs have learnt at hand. */
export async function openResearch(
  { idea, prices, settings }: PreparedResearch,
  handlers: RunHandlers,
): Promise<ResearchContext> {
  const { budget, coordination } = settings;
  const run = openRunContext({ budget, prices, coordination, agents: 1 }, handlers);
  const stored = await storeInstructions(idea, settings);
  const recalled = await recallReports({ idea });
  const lessons = recalled.slice(0, mostLessons).map(({ lesson }) => lesson);
  const [told] = lessons.length === 0 ? [] : await storeTexts([lessons.join('\n\n')]);
  const base = { ...run, settings, stored, conversations: {} };
  return {
    ...base,
    idea,
    lessons: told,
    planner: newRoleAgent(base, 'planner', 0),
    isIntroduced: false,
    drafts: [],
    iterations: [],
    phase: 'preparing',
    states: { planner: 'waiting', critic: 'waiting', writer: 'waiting' },
    restart: undefined,
    gaps: [],
    report: undefined,
    reportId: '',
    issueUrl: undefined,
  };
}

async function storeInstructions(idea: string, { coordination, weights }: ResearchSettings): Promise<Stored> {
  const asking = askingOf(coordination, 1);
  const own = asking === undefined ? [] : askingTools(asking.mode);
  const { critic, planner, writer } = roleInstructions;
  const told = [planner, critic, writer].map((text) => (asking === undefined ? text : `${text} ${askingText(asking)}`));
  const sets = [planTool, criticismTool(Object.keys(weights)), reportTool].map((tool) => [tool, ...own]);
  const ids = await storeToolSets(sets, told);
  const [plan = '', criticism = '', report = '', planning = '', judging = '', writing = ''] = ids;
  const [text = idea] = await storeTexts([idea]);
  return {
    idea: text,
    tools: { planner: plan, critic: criticism, writer: report },
    instructions: { planner: { blob: planning }, critic: { blob: judging }, writer: { blob: writing } },
  };
}

const backendOf = { planner: 'plan', critic: 'criticism', writer: 'synthesize' } as const;

/** Gives a role a fresh conversation. */
export function newRoleAgent(
  {
    broadcast,
    models,
    conversations,
    settings,
    stored,
  }: Pick<ResearchContext, 'broadcast' | 'models' | 'conversations' | 'settings' | 'stored'>,
  role: ResearchRole,
  number: number,
): StructuredAgent {
  const backend = settings.backends[backendOf[role]];
  const opening = { system: stored.instructions[role], transcript: null, messages: [] };
  const agent = new Agent({ id: role, text: undefined, backend }, models, opening);
  conversations[role] = agent;
  return {
    id: role,
    agent,
    conversation: `${role} ${number}`,
    asking: 0,
    tools: stored.tools[role],
    broadcast,
  };
}

/** Has a role do its work, and shows what it is doing meanwhile. */
export async function atWork<T>(
  context: ResearchContext,
  role: ResearchRole,
  state: AgentState,
  work: (onAsking: (isAsking: boolean) => void) => Promise<T>,
): Promise<T> {
  const { states } = context;
  states[role] = state;
  try {
    return await work((isAsking) => (states[role] = isAsking ? 'asking' : state));
  } finally {
    states[role] = 'waiting';
  }
}

export function purposeOf(what: Purpose['what'], { number }: Draft): Purpose {
  return { what, when: `iteration ${number}`, timeout: callTimeout };
}

/** What a model's failure says; a spent budget and a cancellation are thrown on. */
export function failureOf(error: unknown): string {
  if (isCancellation(error) || isBudgetSpent(error)) throw error;
  return callFailure(error).reason;
}
