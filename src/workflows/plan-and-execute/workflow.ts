import { proxyActivities, proxyLocalActivities, upsertSearchAttributes } from '@temporalio/workflow';
import type { Activities } from '../../activities/activities.ts';
import { systemOf } from '../agent/loops.ts';
import { storeTexts, storeToolSets } from '../agent/text-refs.ts';
import { Toolbox } from '../agent/tool-executor.ts';
import type { PlanSettings } from '../../config/plan.ts';
import type { Attachment, AttachmentInput } from '../../protocol/attachment.ts';
import type { PreparedSolve, SolveInput, SolveResult } from '../../protocol/plan-and-execute.ts';
import type { ToolSources } from '../../protocol/tool.ts';
import { askingText } from '../ask-others/prompts.ts';
import { solveDuties } from './prompts.ts';
import { analysisTool, finishTool, subtasksTool, validationTool } from './tools.ts';
import { askingTools } from '../orchestration/tools.ts';
import { Subtasks } from './rules/subtasks.ts';
import { outcomeAttribute } from '../runtime/attributes.ts';
import { askingOf, openOffice } from '../runtime/run-context.ts';
import { newSpeaker, type Job, type Stored } from './context.ts';
import { solve } from './rounds.ts';
import { unbegun, viewOfJob } from './view.ts';
import { Surface } from '../runtime/run-handlers.ts';

const { prepareSolve, settle } = proxyLocalActivities<Activities>({
  startToCloseTimeout: '30 seconds',
  retry: { maximumAttempts: 5 },
});

const { storeAttachments } = proxyActivities<Activities>({
  summary: 'attachments',
  startToCloseTimeout: '5 minutes',
  retry: { maximumAttempts: 5 },
});

/**
 * A problem is analysed and planned, its subtasks are carried out side by side, their results are put together and
 * validated; then only what has failed runs again, or what is missing is planned anew (the document "Retry
 * Optimization").
 *
 * @throws `ApplicationFailure`: `InvalidInput` before anything is spent; `NoPlan` where the planner's model fails for good
 */
export async function planAndExecute(input: SolveInput): Promise<SolveResult> {
  const surface = new Surface(unbegun);
  const prepared = await prepareSolve(input);
  const job = await beginJob(prepared, input.attachments ?? [], surface);
  const outcome = await solve(job);
  const { answer = '', events, ledger, retries, subtasks, validation } = job;
  if (ledger.unsettled.length > 0) ledger.settle(await settle(ledger.unsettled));
  job.phase = 'done';
  events.emit({ type: 'final', outcome, agent: 'synthesis', answer });
  upsertSearchAttributes([{ key: outcomeAttribute, value: outcome }]);
  return {
    answer,
    outcome,
    subtasks: subtasks.report(),
    executions: subtasks.executions,
    retries,
    stateSummary: subtasks.get_state_summary(),
    validation,
    usage: ledger.usage,
    events: events.count,
  };
}

async function beginJob(
  { notices, prices, problem, settings }: PreparedSolve,
  given: AttachmentInput[],
  surface: Surface,
): Promise<Job> {
  const { budget, coordination, tools } = settings;
  const emit = surface.events.emit.bind(surface.events);
  const [firstLine = ''] = problem.split('\n');
  emit({ type: 'started', task: firstLine, agents: ['planner', 'synthesis', 'validator'] });
  for (const text of notices) emit({ type: 'notice', text });
  const keepsFiles = given.length > 0 || tools.packages.includes(fileTools);
  // Also without any: a run under the id of an earlier one begins without its files.
  const attachments = keepsFiles ? await storeAttachments({ attachments: given }) : [];
  for (const { bytes, kind, name, note } of attachments)
    emit({ type: 'attachment', name, kind, bytes, ...(note !== undefined && { note }) });
  const office = openOffice({ budget, prices, coordination, agents: 1 }, surface, {});
  const asking = askingOf(coordination, 1);
  const isCustom = settings.orchestrator.kind === 'custom';
  const own = [...(isCustom ? [] : [finishTool]), ...(asking === undefined ? [] : askingTools(asking.mode))];
  const toolbox = await Toolbox.open('executor', withAttachments(tools, attachments), own, emit);
  const stored = await store(problem, settings);
  const base = { ...office, settings, stored, conversations: new Map() };
  const job: Job = {
    ...base,
    problem,
    attachments,
    toolbox,
    planner: newSpeaker(base, 'planner', stored.tools.analysis),
    analysis: { requirements: [], answerFormat: '' },
    subtasks: new Subtasks(),
    results: new Map(),
    phase: 'preparing',
    retries: 0,
    working: new Map(),
    answer: undefined,
    validation: null,
  };
  surface.show(viewOfJob(job));
  return job;
}

/** The built-in package that reads attachments, and keeps what subtasks save. */
const fileTools = 'builtin.attachments';

/** Whoever gets files can read them, and reckon with what they hold. */
function withAttachments({ mcpServers, packages }: ToolSources, attachments: Attachment[]): ToolSources {
  const own = attachments.length === 0 ? [] : [fileTools, 'builtin.calculator'];
  return { packages: [...new Set([...packages, ...own])], mcpServers };
}

/** Puts what every prompt repeats into the store. */
async function store(problem: string, { coordination, orchestrator }: PlanSettings): Promise<Stored> {
  const asking = askingOf(coordination, 1);
  const own = asking === undefined ? [] : askingTools(asking.mode);
  const duty = (text: string): string => (asking === undefined ? text : `${text} ${askingText(asking)}`);
  const { executor, planner, synthesis, validator } = solveDuties;
  const system = [duty(executor), systemOf(orchestrator, undefined)]
    .filter((text) => text !== '')
    .join('\n\n');
  const sets = [
    [analysisTool, ...own],
    [subtasksTool, ...own],
    [validationTool, ...own],
  ];
  const ids = await storeToolSets(sets, [duty(planner), system, synthesis, duty(validator)]);
  const [analysis = '', plan = '', validation = '', ...duties] = ids;
  const [planning = '', executing = '', putting = '', checking = ''] = duties;
  const [text = problem] = await storeTexts([problem]);
  return {
    problem: text,
    tools: { analysis, plan, validation },
    duties: {
      planner: { blob: planning },
      executor: { blob: executing },
      synthesis: { blob: putting },
      validator: { blob: checking },
    },
  };
}
