import { replyTool } from '../../protocol/message.ts';

const text = { type: 'string', minLength: 1 };
const texts = { type: 'array', items: text };

/** Takes a `QueryAnalysis` (protocol/plan-and-execute.ts). */
export const analysisTool = replyTool('submit_analysis', 'Say what the answer must hold.', {
  requirements: { ...texts, minItems: 1, maxItems: 20, description: 'Each in a few words.' },
  answer_format: { ...text, description: 'Such as: a number in kg, one name, a list of towns, two sentences.' },
});

const subtask = {
  type: 'object',
  properties: {
    id: { ...text, description: 'step_1, step_2…' },
    description: { ...text, description: 'What is to be found or done, complete in itself.' },
    depends_on: { ...texts, description: 'Ids of the subtasks whose results it needs.' },
    attachments: { ...texts, description: 'Names of the attachments that it needs; absent: all.' },
    replaces: { ...texts, description: 'Only to plan around failures: ids of those whose place it takes.' },
  },
  required: ['id', 'description'],
};

/** Takes a plan, which is a graph of subtasks. Whether it can be executed is for `planProblems` to say. */
export const subtasksTool = replyTool('submit_plan', 'Give the subtasks.', {
  subtasks: { type: 'array', items: subtask },
});

/** Takes the result of a subtask, or the reason why it failed. */
export const finishTool = replyTool(
  'finish_subtask',
  'End the subtask.',
  {
    status: { type: 'string', enum: ['completed', 'failed'] },
    result: { type: 'string', description: 'Where it is completed: what was found or done, complete in itself.' },
    reason: { type: 'string', description: 'Where it has failed: what was tried, and why it did not work.' },
  },
  ['status'],
);

/** Takes a `Validation` (protocol/plan-and-execute.ts). */
export const validationTool = replyTool(
  'submit_validation',
  'Say whether the answer solves the problem.',
  {
    is_complete: { type: 'boolean' },
    missing_requirements: { ...texts, description: 'What is missing, each in a few words; empty if nothing is.' },
    quality: { type: 'string', enum: ['low', 'medium', 'high'] },
    warnings: { ...texts, description: 'What a reader should know.' },
  },
  ['is_complete', 'missing_requirements', 'quality'],
);
