import type { ToolSpec } from '../../protocol/message.ts';
import type { AskingMode } from '../ask-others/prompts.ts';

const text = { type: 'string', minLength: 1 };

/**
 * The tools of every answering and voting call. They stay the same for the whole run, whoever has answered,
 * so that a provider's prompt cache keeps hitting.
 *
 * @param names the anonymous names of all agents of the team
 * @param asking whom agents may ask; undefined: nobody
 */
export function coordinationTools(names: string[], asking?: AskingMode): ToolSpec[] {
  return [...actionTools(names), ...(asking === undefined ? [] : askingTools(asking))];
}

function actionTools(names: string[]): ToolSpec[] {
  return [
    {
      name: 'new_answer',
      description: 'Give a complete answer to the task, or a better one than those there are.',
      parameters: { type: 'object', properties: { content: text }, required: ['content'] },
    },
    {
      name: 'vote',
      description: 'Vote for the best answer. Your own is allowed.',
      parameters: {
        type: 'object',
        properties: { agent_id: { type: 'string', enum: names }, reason: { type: 'string' } },
        required: ['agent_id', 'reason'],
      },
    },
  ];
}

/** MassGen's documentation "Agent Communication", section Broadcast Tools. */
export function askingTools(mode: AskingMode): ToolSpec[] {
  return [
    {
      name: 'ask_others',
      description:
        mode === 'agents'
          ? 'Ask all other agents a question. Waits for their responses and returns them.'
          : 'Ask the person a question. Waits for the answer and returns it.',
      parameters: { type: 'object', properties: { question: text }, required: ['question'] },
    },
    {
      name: 'respond_to_broadcast',
      description: 'Deprecated: questions of others are answered for you.',
      parameters: { type: 'object', properties: { answer: { type: 'string' } }, required: ['answer'] },
    },
  ];
}

/** The final agent's choice (MassGen's documentation "Orchestration Restart", section Final Agent Tools). */
export const decisionTools: ToolSpec[] = [
  {
    name: 'submit',
    description: 'The task is done well enough; no further work is needed.',
    parameters: { type: 'object', properties: { confirmed: { type: 'boolean' } }, required: ['confirmed'] },
  },
  {
    name: 'restart_orchestration',
    description: 'Let the whole team start over, with your reason and detailed instructions.',
    parameters: {
      type: 'object',
      properties: { reason: text, instructions: text },
      required: ['reason', 'instructions'],
    },
  },
];
