import { attachmentPackages, type AttachmentInput } from '../../protocol/attachment.ts';
import type { Content, Text, ToolSpec, UserMessage } from '../../protocol/message.ts';
import type {
  Iteration as IterationRecord,
  Plan,
  Report,
  ResearchPhase,
  ResearchRole,
  RestartKind,
} from '../../protocol/research.ts';
import type { Work } from '../../protocol/search.ts';
import type { OpenedResearch, StoredResearch } from '../../protocol/stored.ts';
import { attachmentMessages, openAttachments } from '../agent/attachments.ts';
import { type Purpose } from '../agent/model-caller.ts';
import { newRole, type RoleRun, type StructuredAgent } from '../agent/structured-output.ts';
import { ToolExecutor } from '../agent/tool-executor.ts';
import { askingOf, askingTools } from '../ask-others/prompts.ts';
import type { Iteration } from '../runtime/iterate.ts';
import { openRunContext, type RunContext } from '../runtime/run-context.ts';
import type { RunHandlers } from '../runtime/run-handlers.ts';
import { criticismTool, ideaMessage, planTool, reportTool } from './prompts.ts';
import type { MarkedHit } from './rules/prior-art.ts';
import type { ResearchSettings } from '../../protocol/settings.ts';

export const researchRoles: ResearchRole[] = ['planner', 'critic', 'writer'];

/** The time limit of each model call with all its retries, in milliseconds. */
const callTimeout = 600_000;

const onlyOwnDocs =
  "Only Reprise's own documentation was searched: on any other subject what was found, the score and the report say nothing";

/** Why planning starts again, and the guidance that the planner is given. */
export interface PlanningRestart {
  kind: RestartKind;
  reason: string;
  guidance: string;
}

/** What the critic said of a plan; its text is empty if the critic's model failed. */
export interface Criticism {
  text: string;
  /** As prompts repeat it: a reference if it is long. */
  content: Text;
  /** From 0 to 100; null if the critic gave none. */
  score: number | null;
  /** The name of the band, or `no score`; null where the score does not count, since there is prior art. */
  verdict: string | null;
  /** The works that do the same as the idea; undefined if nobody has said. */
  similar: Work[] | undefined;
  /** Whether the plan is about what the user asked for. */
  servesGoal: boolean;
  /** What the next plan has to change; empty if the critic has not said. */
  improve: string;
  /** Up to two searches that the critic misses. */
  queries: string[];
}

export interface Draft extends Iteration<PlanningRestart> {
  plan?: Plan | undefined;
  noPlan?: string;
  /** As prompts repeat it: a reference if it is long. */
  approach: Text;
  /** Undefined until the searches are done. */
  found?: SearchOutcome | undefined;
  criticism?: Criticism;
  similar?: Work[] | undefined;
  before: IterationRecord['spent'];
}

export interface SearchOutcome {
  queries: string[];
  /** As models read it: the results of each query, then the pages. */
  material: Content[];
  digests: Text[];
  /** The hits of all queries, in the order of their marks. */
  hits: MarkedHit[];
  gaps: string[];
}

export interface ResearchContext extends RunContext, RoleRun {
  idea: string;
  settings: ResearchSettings;
  stored: StoredResearch;
  files: ResearchFiles | undefined;
  /** The texts of the pages that were read, by their addresses; undefined for a page that could not be read. */
  pages: Map<string, Text | undefined>;
  planner: StructuredAgent;
  drafts: Draft[];
  iterations: IterationRecord[];
  phase: ResearchPhase;
  /** Set from the decision to start planning again until there is a new plan. */
  restart?: PlanningRestart | undefined;
  gaps: string[];
  report?: Report;
  reportId: string;
  issueUrl?: string;
}

interface ResearchFiles {
  shown: Array<UserMessage<Content>>;
  /** By roles: the tools for the files, beside the role's own. */
  tools: Record<ResearchRole, ToolExecutor>;
}

async function openFiles(
  prepared: OpenedResearch,
  given: AttachmentInput[],
  run: RunContext,
): Promise<ResearchFiles | undefined> {
  if (given.length === 0) return undefined;
  const { backends, coordination, weights } = prepared.settings;
  const tools = { packages: attachmentPackages, mcpServers: [] };
  const attachments = await openAttachments(given, [{ backend: backends.plan, tools }], prepared, run.events);
  const asking = askingTools(askingOf(coordination, 1)?.mode);
  const open = (role: ResearchRole, tool: ToolSpec): Promise<ToolExecutor> =>
    ToolExecutor.open(role, tools, [tool, ...asking], run);
  const [planner, critic, writer] = await Promise.all([
    open('planner', planTool),
    open('critic', criticismTool(Object.keys(weights))),
    open('writer', reportTool),
  ]);
  return { shown: attachmentMessages(attachments), tools: { planner, critic, writer } };
}

/** Tells the planner the idea, and what earlier runs have learnt. @param given the files that come with the idea */
export async function openResearch(
  prepared: OpenedResearch,
  given: AttachmentInput[] = [],
  handlers: RunHandlers,
): Promise<ResearchContext> {
  const { idea, settings, stored } = prepared;
  const { budget, coordination } = settings;
  const run = openRunContext({ prepared, budget, coordination, agents: 1 }, handlers);
  const { folder, provider } = settings.search;
  if (provider === 'folder' && folder === undefined) run.warn(onlyOwnDocs);
  const files = await openFiles(prepared, given, run);
  const base = { ...run, settings, stored, files, conversations: new Map(), working: new Map() };
  const planner = newRoleAgent(base, 'planner', 0);
  const opening = ideaMessage(stored.idea, stored.lessons, settings.max_planning_iterations);
  planner.agent.tell({ role: 'user', content: opening });
  return {
    ...base,
    idea,
    pages: new Map(),
    planner,
    drafts: [],
    iterations: [],
    phase: 'preparing',
    gaps: [],
    reportId: '',
  };
}

const backendOf = { planner: 'plan', critic: 'criticism', writer: 'synthesize' } as const;

/** Gives a role a fresh conversation. @param number its number among the role's conversations */
export function newRoleAgent(
  context: RoleRun & Pick<ResearchContext, 'files' | 'settings' | 'stored'>,
  role: ResearchRole,
  number: number,
): StructuredAgent {
  const { files, settings, stored } = context;
  const own = files?.tools[role];
  const agent = newRole(context, role, settings.backends[backendOf[role]], {
    system: stored.instructions[role],
    tools: own?.set ?? stored.tools[role],
    messages: files?.shown ?? [],
  });
  return { ...agent, conversation: `${role} ${number}`, tools: own };
}

export function purposeOf(what: Purpose['what'], { number }: Draft): Purpose {
  return { what, when: `iteration ${number}`, timeout: callTimeout };
}
