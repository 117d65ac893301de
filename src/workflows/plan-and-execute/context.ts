import type { Attachment, AttachmentInput } from '../../protocol/attachment.ts';
import type { BlobRef, Content, Text } from '../../protocol/message.ts';
import type { ToolCallSummary } from '../../protocol/model-call.ts';
import type { QueryAnalysis, SolvePhase, Validation } from '../../protocol/plan-and-execute.ts';
import type { OpenedSolve } from '../../protocol/stored.ts';
import { type RunFiles, worksOnFiles } from '../../protocol/workspace.ts';
import { openAttachments } from '../agent/attachments.ts';
import type { Purpose } from '../agent/model-caller.ts';
import { worthNaming } from '../agent/previews.ts';
import { systemOf, today } from '../agent/prompts.ts';
import { newRole, type RoleRun, type StructuredAgent } from '../agent/structured-output.ts';
import { storeRepeated, storeTexts } from '../agent/text-refs.ts';
import { ToolExecutor } from '../agent/tool-executor.ts';
import { askingOf, askingText, askingTools } from '../ask-others/prompts.ts';
import { truncateToPayload } from '../runtime/size.ts';
import type { Iteration } from '../runtime/iterate.ts';
import { openRunContext, type RunContext } from '../runtime/run-context.ts';
import { runFiles, startTrees, tellChanges } from '../runtime/run-files.ts';
import type { RunHandlers } from '../runtime/run-handlers.ts';
import { abilitiesText, roleInstructions, sharedFiles, type ShownResult } from './prompts.ts';
import { type Subtask, Subtasks } from './rules/subtasks.ts';
import type { Retry } from './rules/validation.ts';
import { analysisTool, finishTool, subtasksTool, validationTool } from './tools.ts';
import type { PlanSettings } from '../../protocol/settings.ts';
import { ofTrees } from '../runtime/own-store.ts';
import { AgentWorkspace } from '../agent/workspace.ts';
import type { EventLog } from '../runtime/event-log.ts';

/**
 * The files that the subtasks of a plan share. What a completed one has changed is taken over, in the order of completion; what a
 * failed one has changed is dropped.
 */
class SharedFiles {
  readonly #start: string | null;
  readonly #events: EventLog;
  #tree: string | null;
  #last: Promise<void> = Promise.resolve();

  constructor(start: string | null, events: EventLog) {
    this.#start = start;
    this.#tree = start;
    this.#events = events;
  }

  open(): AgentWorkspace {
    return new AgentWorkspace(this.#tree);
  }

  take(subtask: string, workspace: AgentWorkspace): Promise<void> {
    const turn = async (): Promise<void> => {
      // Calls beside the one that has ended the subtask may be under way still.
      await workspace.settled();
      const { start, tree } = workspace;
      if (tree === start) return;
      tellChanges(this.#events, subtask, await runFiles(start, tree));
      if (this.#tree === start) {
        this.#tree = tree;
        return;
      }
      const merged = await ofTrees.mergeFiles(start, this.#tree, tree);
      this.#tree = merged.tree;
      if (merged.conflicts.length === 0) return;
      const paths = merged.conflicts.join(', ');
      this.#events.emit({ type: 'notice', text: `${subtask} has replaced what another subtask had changed: ${paths}` });
    };
    const taken = this.#last.then(turn);
    this.#last = taken.catch(() => {});
    return taken;
  }

  result(): Promise<RunFiles> {
    return runFiles(this.#start, this.#tree);
  }
}

/** The time limit of each model call with all its retries, in milliseconds. */
export const callTimeout = 600_000;

type PlanRole = 'planner' | 'synthesis' | 'validator';

export const planRoles: PlanRole[] = ['planner', 'synthesis', 'validator'];

/** References to what every prompt repeats. */
interface Stored {
  problem: Text;
  tools: { planning: BlobRef; validation: BlobRef };
  instructions: Record<PlanRole | 'executor', Text>;
}

export interface Round extends Iteration<Retry> {
  /** Whether the planner has found no subtasks for what is missing. */
  isStuck: boolean;
}

export interface Answer {
  text: string;
  /** The text as prompts repeat it: references if it is long. */
  content: Content;
  /** Whether it ends in the middle, or only lists results. */
  isPartial: boolean;
}

export interface PlanContext extends RunContext, RoleRun {
  problem: string;
  settings: PlanSettings;
  stored: Stored;
  attachments: Attachment[];
  tools: ToolExecutor;
  /** The files that subtasks share; undefined if their agents have no workspace. */
  files: SharedFiles | undefined;
  /** What these have come to; absent before the end. */
  workspace?: RunFiles;
  planner: StructuredAgent;
  analysis: QueryAnalysis;
  subtasks: Subtasks;
  /** By the ids of their subtasks, as prompts repeat them: references if they are long. */
  results: Map<string, Text>;
  /** The calls of tools so far, by the ids of the subtasks. */
  uses: Map<string, ToolCallSummary[]>;
  phase: SolvePhase;
  retries: number;
  answer?: Answer;
  /** The last one of an earlier round that was whole. */
  whole?: { answer: Answer; validation: Validation | null };
  /** Of the answer; null where nothing could be used. */
  validation: Validation | null;
}

/** Opens a run. @param given the attachments as its input has them */
export async function openPlan(
  prepared: OpenedSolve,
  given: AttachmentInput[],
  handlers: RunHandlers,
): Promise<PlanContext> {
  const { problem, settings } = prepared;
  const { budget, coordination, orchestrator, tools } = settings;
  const agent = { backend: settings.backends.executor, tools };
  const attachments = await openAttachments(given, [agent], prepared, handlers.events);
  const run = openRunContext({ prepared, budget, coordination, agents: 1 }, handlers);
  const askTools = askingTools(askingOf(coordination, 1)?.mode);
  const own = orchestrator.kind === 'custom' ? askTools : [finishTool, ...askTools];
  const executor = await ToolExecutor.open('executor', tools, own, run);
  const starts = await startTrees(prepared, handlers.events);
  const hasFiles = worksOnFiles(tools.packages) || executor.usesFiles;
  const files = hasFiles ? new SharedFiles(starts['executor'] ?? null, handlers.events) : undefined;
  const stored = await storeInstructions(problem, settings, executor, hasFiles);
  const base = { ...run, settings, stored, conversations: new Map(), working: new Map() };
  return {
    ...base,
    problem,
    attachments,
    tools: executor,
    files,
    planner: newRoleAgent(base, 'planner', stored.tools.planning),
    analysis: { requirements: [], answerFormat: '' },
    subtasks: new Subtasks(),
    results: new Map(),
    uses: new Map(),
    phase: 'preparing',
    retries: 0,
    validation: null,
  };
}

async function storeInstructions(
  problem: string,
  settings: PlanSettings,
  tools: ToolExecutor,
  hasFiles: boolean,
): Promise<Stored> {
  const { coordination, orchestrator } = settings;
  const asking = askingOf(coordination, 1);
  const withAsking = (text: string): string => (asking === undefined ? text : `${text} ${askingText(asking)}`);
  const dated = (text: string): string => `${today()} ${text}`;
  const { executor, planner, synthesis, validator } = roleInstructions;
  const planning = [dated(withAsking(planner)), abilitiesText(tools.described, limitOf(orchestrator))];
  const carrying = [dated(withAsking(executor)), hasFiles ? sharedFiles : '', systemOf(orchestrator, undefined)].filter(
    (text) => text !== '',
  );
  const sets = [[analysisTool, subtasksTool], [validationTool]].map((tools) => [
    ...tools,
    ...askingTools(asking?.mode),
  ]);
  const texts = [planning.join('\n\n'), carrying.join('\n\n'), dated(synthesis), dated(withAsking(validator))];
  const none = { blob: '' };
  const long = problem.length < worthNaming ? [] : [problem];
  const [planningTools = none, validation = none, ...rest] = await storeRepeated([...sets, ...texts, ...long]);
  const [drawingUp = none, executing = none, joining = none, validating = none, text = problem] = rest;
  const instructions = { planner: drawingUp, executor: executing, synthesis: joining, validator: validating };
  return { problem: text, tools: { planning: planningTools, validation }, instructions };
}

/** How often an agent with this loop may call its model, in words; undefined if nobody knows. */
function limitOf(orchestrator: PlanSettings['orchestrator']): string | undefined {
  if (orchestrator.kind === 'simple_tool') return `at most ${orchestrator.max_thoughts} model calls`;
  return orchestrator.kind === 'react'
    ? `at most ${orchestrator.max_iterations} cycles of thought and action`
    : undefined;
}

/** Gives a role a fresh conversation. @param tools null for none */
export const newRoleAgent = (
  context: RoleRun & Pick<PlanContext, 'settings' | 'stored'>,
  role: PlanRole,
  tools: BlobRef | null,
): StructuredAgent =>
  newRole(context, role, context.settings.backends[role], { system: context.stored.instructions[role], tools });

/** As summaries in the Web UI have it: `round 2` is the first retry. */
export const whenOf = ({ retries }: PlanContext): string => `round ${retries + 1}`;

export function purposeOf(context: PlanContext, what: Purpose['what']): Purpose {
  return { what, when: whenOf(context), timeout: callTimeout };
}

export const subtaskOf = ({ subtasks }: PlanContext, id: string): Subtask => subtasks.get(id) as Subtask;

/**
 * The results of completed subtasks, the longest cut so that all have so many bytes together.
 *
 * @param ids the subtasks to look among; absent: all of them
 */
export async function resultsOf(context: PlanContext, bytes: number, ids?: string[]): Promise<ShownResult[]> {
  const { results, subtasks } = context;
  const completed = subtasks
    .report()
    .filter(({ id, status }) => status === 'completed' && (ids === undefined || ids.includes(id)));
  const whole = completed.map(({ result = '' }) => result);
  const texts = truncateToPayload(whole, bytes);
  const isCut = (_: unknown, index: number): boolean => texts[index] !== whole[index];
  const cut = await storeTexts(texts.filter(isCut));
  return completed.map(({ description, id }, index) => {
    const text = texts[index] ?? '';
    return { id, description, text, result: (isCut(id, index) ? cut.shift() : results.get(id)) ?? text };
  });
}
