import type { Attachment } from '../../protocol/attachment.ts';
import type { Content, Text, ToolSpec } from '../../protocol/message.ts';
import type { QueryAnalysis } from '../../protocol/plan-and-execute.ts';
import { joinContent } from '../agent/content.ts';
import { headings } from '../../protocol/headings.ts';
import type { FailedSubtask } from './rules/subtasks.ts';

/** The system message of each role. */
export const roleInstructions = {
  planner:
    'You plan how a problem is solved. Say with `submit_analysis` what the answer must hold, and with `submit_plan` ' +
    'which subtasks lead there. Each subtask is carried out by an agent of its own, which knows the problem, its ' +
    'attachments, and the results of the subtasks that it depends on, and nothing else. What does not depend on each ' +
    'other runs at the same time: name only real dependencies, and make few subtasks.',
  executor:
    'You carry out one subtask of a larger plan. Use your tools. End with `finish_subtask`: `completed` with the ' +
    'result, complete in itself, or `failed` with the reason. A guess is no result.',
  synthesis:
    'You put the results of subtasks together to the answer of a problem. Rest on the results alone. Give the answer ' +
    'in the form that is asked for, and nothing else; say what is missing where subtasks have failed.',
  validator:
    'You check whether an answer solves a problem: whether it holds every requirement, and whether the results bear it ' +
    'out. Say so with `submit_validation`.',
} as const;

/** The planner's first message. */
export function problemMessage(problem: Text, attachments: Attachment[]): Content {
  return joinContent([
    `${headings.problem}\n\n`,
    problem,
    ...attachmentParts(attachments),
    '\n\nSay with `submit_analysis` what the answer must hold.',
  ]);
}

export const askForPlan = 'Now give the plan with `submit_plan`.';

/** Asks the planner for subtasks when requirements are missing though nothing has failed. @param ids ids in use */
export function improveMessage(missing: string[], ids: string[], deadEnds: FailedSubtask[]): Content {
  return joinContent([
    `${headings.missing}\n\n${missing.map((each) => `- ${each}`).join('\n')}`,
    ...deadEndParts(deadEnds),
    '\n\nGive further subtasks with `submit_plan`, for these only, under new ids. They may depend on those there are: ' +
      `${ids.join(', ')}.`,
  ]);
}

/** A completed subtask, as other agents are told of it. */
export interface ShownResult {
  id: string;
  description: string;
  result: Text;
}

export interface SubtaskBrief {
  id: string;
  description: Text;
  problem: Text;
  attachments: Attachment[];
  /** The results of the subtasks that it depends on. */
  results: ShownResult[];
  /** Why it failed before; undefined if it has not run yet. */
  failure: string | undefined;
  deadEnds: FailedSubtask[];
}

/** Tells an agent what there is to know for its subtask. */
export function subtaskMessage(brief: SubtaskBrief): Content {
  const { attachments, deadEnds, description, failure, id, problem, results } = brief;
  return joinContent([
    `${headings.problem}\n\n`,
    problem,
    ...attachmentParts(attachments),
    ...resultParts(results),
    ...deadEndParts(deadEnds.filter((each) => each.id !== id)),
    `\n\n${headings.subtask} ${id}\n\n`,
    description,
    ...(failure === undefined ? [] : [`\n\nIt failed before: ${failure}\nGo another way.`]),
  ]);
}

export const carryOut = (id: string): string => `Carry out ${id}.`;

export interface AnswerBrief {
  problem: Text;
  analysis: QueryAnalysis;
  results: ShownResult[];
  failures: FailedSubtask[];
}

/** Gives the synthesis all that the answer is put together from. */
export const answerMessage = (brief: AnswerBrief): Content => joinContent(answerParts(brief));

/** Gives the validator the answer to check, and all that it was put together from. */
export function validationMessage(brief: AnswerBrief, answer: Text): Content {
  return joinContent([...answerParts(brief), `\n\n${headings.solution}\n\n`, answer]);
}

function answerParts({ analysis, failures, problem, results }: AnswerBrief): Content[] {
  const { answerFormat, requirements } = analysis;
  return [
    `${headings.problem}\n\n`,
    problem,
    `\n\n${headings.requirements}\n\n${requirements.map((each) => `- ${each}`).join('\n')}`,
    `\n\nForm of the answer: ${answerFormat}`,
    ...resultParts(results),
    ...(failures.length === 0 ? [] : [`\n\n${headings.failures}\n\n${failures.map(failureLine).join('\n')}`]),
  ];
}

const failureLine = ({ description, error, id }: FailedSubtask): string => `- ${id} (${description}): ${error}`;

const deadEndParts = (deadEnds: FailedSubtask[]): Content[] =>
  deadEnds.length === 0 ? [] : [`\n\nThese ways led nowhere:\n${deadEnds.map(failureLine).join('\n')}`];

function resultParts(results: ShownResult[]): Content[] {
  if (results.length === 0) return [];
  return [
    `\n\n${headings.results}`,
    ...results.flatMap(({ description, id, result }) => [`\n\n### ${id}: ${description}\n\n`, result]),
  ];
}

function attachmentParts(attachments: Attachment[]): Content[] {
  if (attachments.length === 0) return [];
  return [
    `\n\n${headings.attachments}`,
    ...attachments.flatMap(({ bytes, kind, name, note, preview }) => [
      `\n\n### ${name} (${kind}, ${bytes} bytes)`,
      ...(note === undefined ? [] : [`\n${note}`]),
      ...(preview === '' ? [] : ['\n', preview]),
    ]),
  ];
}

const text = { type: 'string', minLength: 1 };
const texts = { type: 'array', items: text };

/** Takes a `QueryAnalysis` (protocol/plan-and-execute.ts). */
export const analysisTool: ToolSpec = {
  name: 'submit_analysis',
  description: 'Say what the answer must hold.',
  parameters: {
    type: 'object',
    properties: {
      requirements: { ...texts, minItems: 1, maxItems: 20, description: 'Each in a few words.' },
      answer_format: { ...text, description: 'Such as: a number, one name, a list.' },
    },
    required: ['requirements', 'answer_format'],
  },
};

/** Takes a plan, which is a graph of subtasks. Whether it can be executed is for `planProblems` to say. */
export const subtasksTool: ToolSpec = {
  name: 'submit_plan',
  description: 'Give the subtasks.',
  parameters: {
    type: 'object',
    properties: {
      subtasks: {
        type: 'array',
        items: {
          type: 'object',
          properties: {
            id: { ...text, description: 'step_1, step_2…' },
            description: { ...text, description: 'What is to be found or done, complete in itself.' },
            depends_on: { ...texts, description: 'Ids of the subtasks whose results it needs.' },
            attachments: { ...texts, description: 'Names of the attachments that it needs; absent: all.' },
          },
          required: ['id', 'description'],
        },
      },
    },
    required: ['subtasks'],
  },
};

/** Takes the result of a subtask, or the reason why it failed. */
export const finishTool: ToolSpec = {
  name: 'finish_subtask',
  description: 'End the subtask.',
  parameters: {
    type: 'object',
    properties: {
      status: { type: 'string', enum: ['completed', 'failed'] },
      result: { type: 'string', description: 'Where it is completed.' },
      reason: { type: 'string', description: 'Where it has failed.' },
    },
    required: ['status'],
  },
};

/** Takes a `Validation` (protocol/plan-and-execute.ts). */
export const validationTool: ToolSpec = {
  name: 'submit_validation',
  description: 'Say whether the answer solves the problem.',
  parameters: {
    type: 'object',
    properties: {
      is_complete: { type: 'boolean' },
      missing_requirements: { ...texts, description: 'What is missing, each in a few words.' },
      quality: { type: 'string', enum: ['low', 'medium', 'high'] },
      warnings: texts,
    },
    required: ['is_complete', 'missing_requirements', 'quality'],
  },
};
