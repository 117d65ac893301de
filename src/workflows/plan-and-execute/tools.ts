import type { ToolSpec } from '../../protocol/message.ts';

const text = { type: 'string', minLength: 1 };
const texts = { type: 'array', items: text };

/** What the problem asks for (`QueryAnalysis` in messages/solve.ts). */
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

/** A plan: a graph of subtasks. Whether it is a sound one is told by `planProblems` in rules. */
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

/** How a subtask ends. */
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

/** What a validator says (`Validation` in messages/solve.ts). */
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
