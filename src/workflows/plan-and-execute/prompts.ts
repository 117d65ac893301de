import type { Attachment } from '../../protocol/attachment.ts';
import type { Content, Text } from '../../protocol/message.ts';
import type { ToolCallSummary } from '../../protocol/model-call.ts';
import type { QueryAnalysis, SubtaskReport } from '../../protocol/plan-and-execute.ts';
import { attachmentParts } from '../agent/attachments.ts';
import { joinContent } from '../agent/text.ts';
import type { ToolExecutor } from '../agent/tool-executor.ts';
import { truncateToPayload } from '../runtime/size.ts';
import { headings, tagFor } from '../../protocol/headings.ts';
import type { FailedSubtask } from './rules/subtasks.ts';

/** System messages, before which the day is said. */
export const roleInstructions = {
  planner:
    'You plan how a problem is solved. Say with `submit_analysis` what the answer must hold and in which form, and with ' +
    '`submit_plan` which subtasks lead there. Each requirement is one thing that a reader can check; the form is what the ' +
    'problem asks for, such as a number with its unit, one name, a list, or a text of a certain length. Each subtask is ' +
    'carried out by an agent of its own, which knows the problem, its attachments, and the results of the subtasks that it ' +
    'depends on, and nothing else. Describe a subtask so that it can be understood alone, and say what its result must ' +
    'hold. What does not depend on each other runs at the same time: name only real dependencies, and make few subtasks. ' +
    'Make none that only puts results together or checks them, since that is done afterwards.',
  executor:
    'You carry out one subtask of a larger plan. Use your tools. End with `finish_subtask`: `completed` with the result, ' +
    'or `failed` with the reason. The result must be complete in itself, since others see nothing else of your work: give ' +
    'names, numbers with their units, and where each of them comes from. Say how you have computed a number. A guess is no ' +
    'result: where something cannot be found, end as `failed`, and say what you tried and what you have found.',
  synthesis:
    'You put the results of subtasks together to the answer of a problem. Rest on the results alone. Give the answer in the ' +
    'form that is asked for, and nothing else; take numbers and names over as they stand in the results. Where results ' +
    'contradict each other, say so. Say what is missing where subtasks have failed, and fill no gap with a guess.',
  validator:
    'You check whether an answer solves a problem, by the work that it was put together from: the subtasks, the tools they ' +
    'used, and their results. Say so with `submit_validation`. The answer is incomplete if a requirement is not answered, if ' +
    'a number or a fact in it comes from no result, if it contradicts the results or itself, if it is not in the form that ' +
    'is asked for, or if it lacks what a failed subtask was to bring. Name under `missing_requirements` all that is to be ' +
    'found or put right, each so that a subtask could be made of it; leave the list empty if the answer is complete. Do not ' +
    'call an answer incomplete for its style, or because more could be said than was asked for. The quality is `high` if ' +
    'every requirement is answered in the right form and borne out by the results, `medium` if every requirement is ' +
    'answered but something rests on weak or indirect results, and `low` if the answer is wrong, not borne out, or has ' +
    'gaps. Put into `warnings` what a reader should know of a complete answer all the same.',
} as const;

export const sharedFiles =
  'Your workspace begins with the files that completed subtasks have left. What you change in it is kept for the others, ' +
  'and for the reader of the answer, if you end as `completed`.';

type Described = ToolExecutor['described'];

/** In characters. */
const toolsLength = 6000;

/** Tells the planner what the agents that carry out subtasks can do. @param limit how often each may call its model */
export function abilitiesText(tools: Described, limit: string | undefined): string {
  const has =
    tools.length === 0
      ? 'These agents have no tools: they know what they are given, and what they have learned in training.'
      : `These are all the tools that such an agent has:\n${toolLines(tools)}\nWhat these tools cannot do, it cannot do.`;
  const searches = tools.some(({ description, name }) => /\bweb\b|internet|search/i.test(`${name} ${description}`));
  return [
    has,
    ...(searches ? [] : ['It cannot search the web.']),
    ...(limit === undefined ? [] : [`It has ${limit}, so that a subtask must be small enough for that.`]),
  ].join(' ');
}

function toolLines(tools: Described): string {
  const lines = tools.map(({ description, name }) => `- ${name}: ${description}`).join('\n');
  const names = tools.map(({ name }) => name).join(', ');
  return lines.length > toolsLength ? names.slice(0, toolsLength) : lines;
}

export function problemMessage(problem: Text, attachments: Attachment[]): Content {
  return joinContent([
    `${headings.problem}\n\n`,
    problem,
    ...shownAttachments(attachments),
    `\n\n${headings.now}\n\nSay with \`submit_analysis\` what the answer must hold.`,
  ]);
}

export const askForPlan = 'Now give the plan with `submit_plan`.';

/** What the planner is told for further subtasks. */
export interface PlanState {
  results: ShownResult[];
  ids: string[];
  deadEnds: FailedSubtask[];
}

/** For requirements that are missing though nothing has failed. */
export function improveMessage(missing: string[], { deadEnds, ids, results }: PlanState): Content {
  return joinContent([
    `${headings.missing}\n\n${missing.map((each) => `- ${each}`).join('\n')}`,
    ...resultParts(results),
    ...deadEndParts(deadEnds),
    '\n\nGive further subtasks with `submit_plan`, for these only, under new ids. Keep to the problem as it was put, and ' +
      `ask for nothing again that there is. ${inUse(ids, results)}`,
  ]);
}

/** @param waiting what has failed only because it depends on a dead end */
export function aroundMessage({ deadEnds, ids, results }: PlanState, waiting: FailedSubtask[]): Content {
  const also = waiting.length === 0 ? '' : `\n\nThese depend on them:\n${failureLines(waiting)}`;
  return joinContent([
    `${headings.deadEnds}\n\nThese subtasks have failed again:\n${failureLines(deadEnds)}${also}`,
    ...resultParts(results),
    '\n\nGive other subtasks with `submit_plan`, under new ids, that reach in another way what the dead ends were for: by ' +
      'other sources, other tools, or smaller steps. Say by `replaces` whose place each takes; what depended on that waits ' +
      `for it instead, and may be replaced too. If there is no other way, give no subtasks. ${inUse(ids, results)}`,
  ]);
}

const inUse = (ids: string[], results: ShownResult[]): string =>
  `These ids are in use: ${ids.join(', ')}. New subtasks may depend on each other and on ` +
  `${results.length === 0 ? 'no earlier one' : results.map(({ id }) => id).join(', ')}.`;

export interface ShownResult {
  id: string;
  description: string;
  text: string;
  /** The text as prompts repeat it: a reference if it is long. */
  result: Text;
}

export interface SubtaskBrief {
  id: string;
  description: Text;
  problem: Text;
  attachments: Attachment[];
  results: ShownResult[];
  /** Why it failed before; undefined if it has not run yet. */
  failure: string | undefined;
  /** What its agent had read by tools before it failed; empty for nothing. */
  found: Text;
  deadEnds: FailedSubtask[];
}

export function subtaskMessage(brief: SubtaskBrief): Content {
  const { attachments, deadEnds, description, failure, found, id, problem, results } = brief;
  return joinContent([
    `${headings.problem}\n\n`,
    problem,
    ...shownAttachments(attachments),
    ...resultParts(results),
    ...deadEndParts(deadEnds.filter((each) => each.id !== id)),
    `\n\n${headings.subtask} ${id}\n\n`,
    description,
    ...(failure === undefined ? [] : [`\n\nIt failed before: ${failure}\nGo another way.`]),
    ...(found === '' ? [] : ['\n\nThese tools were called then, and need not be called again:\n', found]),
  ]);
}

export const usesText = (uses: ToolCallSummary[]): string =>
  uses.map(({ input, text, tool }) => `- ${tool} ${input}\n  ${text.replaceAll('\n', '\n  ')}`).join('\n');

export const askToFinish =
  'That was a text, and does not end the subtask. Call `finish_subtask` now: `completed` with the result, or `failed` with ' +
  'the reason.';

export const carryOut = (id: string): string => `Carry out ${id}.`;

export interface AnswerBrief {
  problem: Text;
  analysis: QueryAnalysis;
  results: ShownResult[];
  failures: FailedSubtask[];
}

export const answerMessage = (brief: AnswerBrief): Content => joinContent(answerParts(brief));

export function validationMessage(brief: AnswerBrief, work: SubtaskWork[], answer: Content): Content {
  return joinContent([
    ...answerParts(brief),
    `\n\n${headings.work}\n\n${work.map(workLine).join('\n')}`,
    `\n\n${headings.solution}\n\n`,
    answer,
  ]);
}

export interface SubtaskWork extends Pick<SubtaskReport, 'id' | 'status' | 'executions' | 'replacedBy'> {
  uses: ToolCallSummary[];
}

function workLine({ executions, id, replacedBy, status, uses }: SubtaskWork): string {
  const counts = new Map<string, number>();
  for (const { tool } of uses) counts.set(tool, (counts.get(tool) ?? 0) + 1);
  const tools = [...counts].map(([tool, count]) => (count === 1 ? tool : `${tool} ×${count}`)).join(', ');
  return [
    `- ${id}: ${status}`,
    ...(executions > 1 ? [`carried out ${executions} times`] : []),
    ...(replacedBy === undefined ? [] : [`replaced by ${replacedBy.join(', ')}`]),
    ...(executions === 0 ? [] : [`tools: ${tools || 'none'}`]),
  ].join('; ');
}

function answerParts({ analysis, failures, problem, results }: AnswerBrief): Content[] {
  const { answerFormat, requirements } = analysis;
  return [
    `${headings.problem}\n\n`,
    problem,
    `\n\n${headings.requirements}\n\n${requirements.map((each) => `- ${each}`).join('\n')}`,
    `\n\nForm of the answer: ${answerFormat}`,
    ...resultParts(results),
    ...(failures.length === 0 ? [] : [`\n\n${headings.failures}\n\n${failureLines(failures)}`]),
  ];
}

const failuresBytes = 40_000;
const failureLines = (failures: FailedSubtask[]): string =>
  truncateToPayload(
    failures.map(({ description, error, id }) => `- ${id} (${description}): ${error}`),
    failuresBytes,
  ).join('\n');

const deadEndParts = (deadEnds: FailedSubtask[]): Content[] =>
  deadEnds.length === 0 ? [] : [`\n\nThese ways led nowhere:\n${failureLines(deadEnds)}`];

function resultParts(results: ShownResult[]): Content[] {
  if (results.length === 0) return [];
  const texts = results.map(({ text }) => text);
  const tag = tagFor('result', texts);
  return [
    `\n\n${headings.results}`,
    ...results.flatMap(({ description, id, result }) => [
      `\n\n### ${id}: ${description}\n\n<${tag}>\n`,
      result,
      `\n</${tag}>`,
    ]),
  ];
}

const shownAttachments = (attachments: Attachment[]): Content[] =>
  attachments.length === 0 ? [] : ['\n\n', ...attachmentParts(attachments)];
