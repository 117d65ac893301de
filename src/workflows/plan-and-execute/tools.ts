import type { ToolSpec } from '../../protocol/message.ts';

const text = { type: 'string', minLength: 1 };
const texts = { type: 'array', items: text };

/** Takes a `QueryAnalysis` (protocol/plan-and-execute.ts). */
export const analysisTool: ToolSpec = {
  name: 'submit_analysis',
  asText: true,
  description: 'Say what the answer must hold.',
  parameters: {
    type: 'object',
    properties: {
      requirements: { ...texts, minItems: 1, maxItems: 20, description: 'Each in a few words.' },
      answer_format: { ...text, description: 'Such as: a number in kg, one name, a list of towns, two sentences.' },
    },
    required: ['requirements', 'answer_format'],
  },
};

/** Takes a plan, which is a graph of subtasks. Whether it can be executed is for `planProblems` to say. */
export const subtasksTool: ToolSpec = {
  name: 'submit_plan',
  asText: true,
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
            replaces: { ...texts, description: 'Only to plan around failures: ids of those whose place it takes.' },
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
  asText: true,
  description: 'End the subtask.',
  parameters: {
    type: 'object',
    properties: {
      status: { type: 'string', enum: ['completed', 'failed'] },
      result: { type: 'string', description: 'Where it is completed: what was found or done, complete in itself.' },
      reason: { type: 'string', description: 'Where it has failed: what was tried, and why it did not work.' },
    },
    required: ['status'],
  },
};

/** Takes a `Validation` (protocol/plan-and-execute.ts). */
export const validationTool: ToolSpec = {
  name: 'submit_validation',
  asText: true,
  description: 'Say whether the answer solves the problem.',
  parameters: {
    type: 'object',
    properties: {
      is_complete: { type: 'boolean' },
      missing_requirements: { ...texts, description: 'What is missing, each in a few words; empty if nothing is.' },
      quality: { type: 'string', enum: ['low', 'medium', 'high'] },
      warnings: { ...texts, description: 'What a reader should know.' },
    },
    required: ['is_complete', 'missing_requirements', 'quality'],
  },
};
