import { proxyLocalActivities } from '@temporalio/workflow';
import type { Activities } from '../../activities/activities.ts';
import type { ResearchSettings } from '../../config/research.ts';
import type { AgentState } from '../../protocol/agent-state.ts';
import type { BlobRef, Content, Text } from '../../protocol/message.ts';
import type {
  Iteration as IterationRecord,
  Plan,
  PreparedResearch,
  Report,
  ResearchPhase,
  ResearchRole,
  RestartKind,
} from '../../protocol/research.ts';
import type { Work } from '../../protocol/search.ts';
import { Agent, type Purpose } from '../agent/agent.ts';
import type { StructuredAgent } from '../agent/structured-output.ts';
import { today } from '../agent/prompts.ts';
import { storeRepeated, storeTexts } from '../agent/text-refs.ts';
import { askingText, askingTools } from '../ask-others/prompts.ts';
import type { Iteration } from '../runtime/iterate.ts';
import { askingOf, openRunContext, type RunContext } from '../runtime/run-context.ts';
import type { RunHandlers } from '../runtime/run-handlers.ts';
import { criticismTool, ideaMessage, planTool, reportTool, roleInstructions } from './prompts.ts';
import type { MarkedHit } from './rules/prior-art.ts';

const { recallReports } = proxyLocalActivities<Activities>({ startToCloseTimeout: '30 seconds' });

export const researchRoles: ResearchRole[] = ['planner', 'critic', 'writer'];

/** The number of earlier runs whose lessons are told to models. */
const mostLessons = 3;

/** The time limit of each model call with all its retries, in milliseconds. */
const callTimeout = 600_000;

/** What a result says that rests on nothing else. */
const onlyOwnDocs =
  "Only Reprise's own documentation was searched: on any other subject what was found, the score and the report say nothing";

/** What every prompt repeats: it is kept in the store, and prompts refer to it. */
interface Stored {
  idea: Text;
  /** The tools that each role is offered. */
  tools: Record<ResearchRole, BlobRef>;
  instructions: Record<ResearchRole, Text>;
}

/** Why planning starts again, and the guidance that the planner is given. */
export interface PlanningRestart {
  kind: RestartKind;
  reason: string;
  guidance: string;
}

/** What the critic said of a plan; its text is empty if the critic's model failed. */
export interface Criticism {
  text: string;
  /** The text as prompts repeat it: a reference if it is long. */
  content: Text;
  /** From 0 to 100; null if the critic gave none. */
  score: number | null;
  /** The name of the score's band, or `no score`; null where the score does not count, since there is prior art. */
  verdict: string | null;
  /** The works that do the same as the idea; undefined if the critic has not said. */
  similar: Work[] | undefined;
  /** Whether the plan is about what the user asked for. */
  servesGoal: boolean;
  /** What the next plan has to change; empty if the critic has not said. */
  improve: string;
  /** Up to two searches that the critic misses. */
  queries: string[];
}

/** The work of one planning iteration, as far as it has come. */
export interface Draft extends Iteration<PlanningRestart> {
  plan: Plan | undefined;
  /** Why there is no plan; set if the planner has failed for good. */
  noPlan: string | undefined;
  /** The plan's approach as prompts repeat it: a reference if it is long. */
  approach: Text;
  /** What the searches have found; undefined until they are done. */
  found: Found | undefined;
  criticism: Criticism | undefined;
  /** The works that are similar to the idea; undefined if nobody has said. */
  similar: Work[] | undefined;
  /** What the run had spent when the iteration began. */
  before: IterationRecord['spent'];
}

export interface Found {
  queries: string[];
  /** The results of each query as models read them, then the pages that were read. */
  material: Content[];
  /** The results of each query in a few lines. */
  digests: Text[];
  /** The hits of all queries, in the order of their marks. */
  hits: MarkedHit[];
  /** The searches that failed, in words. */
  gaps: string[];
}

/** The state of a research run. */
export interface ResearchContext extends RunContext {
  idea: string;
  settings: ResearchSettings;
  stored: Stored;
  /**
   * False in a run that was begun before prior art was judged by the critic, and pages were read: it goes on as it began,
   * since its history must lead to the same steps.
   */
  isJudged: boolean;
  /** The texts of the pages that were read, by their addresses; undefined for a page that could not be read. */
  pages: Map<string, Text | undefined>;
  /** What came of earlier research on similar ideas; undefined if there was none. */
  lessons: Text | undefined;
  planner: StructuredAgent;
  /** The current conversation of each role. */
  conversations: Partial<Record<ResearchRole, Agent>>;
  drafts: Draft[];
  iterations: IterationRecord[];
  phase: ResearchPhase;
  /** The draft that a person was last asked to approve, and when, as an ISO 8601 time; undefined before that. */
  approval: { draft: Draft; askedAt: string } | undefined;
  states: Record<ResearchRole, AgentState>;
  /** Set from the decision to start planning again until there is a new plan. */
  restart: PlanningRestart | undefined;
  /** What the result names as missing. */
  gaps: string[];
  /** Undefined until it is written. */
  report: Report | undefined;
  /** Empty until the report is stored. */
  reportId: string;
  issueUrl: string | undefined;
}

/**
 * Opens a research run: stores what every prompt repeats, recalls what earlier runs have learnt, and tells the planner
 * the idea.
 */
export async function openResearch(prepared: PreparedResearch, handlers: RunHandlers): Promise<ResearchContext> {
  const { idea, settings } = prepared;
  const { budget, coordination } = settings;
  const run = openRunContext({ prepared, budget, coordination, agents: 1 }, handlers);
  const isJudged = !handlers.isOld;
  const { folder, provider } = settings.search;
  if (isJudged && provider === 'folder' && folder === undefined) run.warn(onlyOwnDocs);
  const stored = await storeInstructions(idea, settings);
  const recalled = await recallReports({ idea });
  const texts = recalled.slice(0, mostLessons).map(({ lesson }) => lesson);
  const [lessons] = texts.length === 0 ? [] : await storeTexts([texts.join('\n\n')]);
  const base = { ...run, settings, stored, conversations: {} };
  const planner = newRoleAgent(base, 'planner', 0);
  const opening = ideaMessage(stored.idea, lessons, settings.max_planning_iterations);
  planner.agent.tell({ role: 'user', content: opening });
  return {
    ...base,
    idea,
    isJudged,
    pages: new Map(),
    lessons,
    planner,
    drafts: [],
    iterations: [],
    phase: 'preparing',
    approval: undefined,
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
  const told = [planner, critic, writer].map((text) =>
    [text, today(), ...(asking === undefined ? [] : [askingText(asking)])].join(' '),
  );
  const sets = [planTool, criticismTool(Object.keys(weights)), reportTool].map((tool) => [tool, ...own]);
  const none = { blob: '' };
  const [plan = none, criticism = none, report = none, ...instructions] = await storeRepeated([...sets, ...told]);
  const [planning = none, judging = none, writing = none] = instructions;
  const [text = idea] = await storeTexts([idea]);
  return {
    idea: text,
    tools: { planner: plan, critic: criticism, writer: report },
    instructions: { planner: planning, critic: judging, writer: writing },
  };
}

const backendOf = { planner: 'plan', critic: 'criticism', writer: 'synthesize' } as const;

/** Gives a role a fresh conversation. @param number its number among the role's conversations */
export function newRoleAgent(
  context: Pick<ResearchContext, 'broadcast' | 'models' | 'conversations' | 'settings' | 'stored'>,
  role: ResearchRole,
  number: number,
): StructuredAgent {
  const { broadcast, models, conversations, settings, stored } = context;
  const backend = settings.backends[backendOf[role]];
  const opening = {
    system: stored.instructions[role],
    tools: stored.tools[role],
    transcript: null,
    messages: [],
  };
  const agent = new Agent({ id: role, text: undefined, backend }, models, opening);
  conversations[role] = agent;
  return { id: role, agent, conversation: `${role} ${number}`, asking: 0, broadcast };
}

/** Shows that a role is in a state while it does some work. @param work is given what to call when it asks a person */
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
