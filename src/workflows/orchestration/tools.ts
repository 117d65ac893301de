import type { ToolSpec } from '../../protocol/message.ts';
import { askingTools, type AskingMode } from '../ask-others/prompts.ts';

const text = { type: 'string', minLength: 1 };

/**
 * The tools for answering and voting. They stay the same in all attempts, whoever has answered, so that a provider's prompt
 * cache stays valid.
 *
 * @param names the anonymous names of all agents, and that of the earlier answer if there may be one
 * @param asking undefined when agents may not ask others
 */
export function coordinationTools(names: string[], asking?: AskingMode): ToolSpec[] {
  return [
    {
      name: 'new_answer',
      asText: true,
      description: 'Give a complete answer to the task, or a better one than those there are.',
      parameters: { type: 'object', properties: { content: text }, required: ['content'] },
    },
    {
      name: 'vote',
      asText: true,
      description: 'Vote for the best answer. Your own is allowed.',
      parameters: {
        type: 'object',
        properties: { agent_id: { type: 'string', enum: names }, reason: { type: 'string' } },
        required: ['agent_id', 'reason'],
      },
    },
    ...askingTools(asking),
  ];
}

/** Parameters that the judge's tools have besides those of MassGen's documentation. */
interface DecisionParameters {
  /** Whether the team plans, so that a restart may ask it to act. */
  plans: boolean;
  /** Whether there may be a best answer so far to compare the presented one with. */
  compares: boolean;
}

/** The judge's tools (MassGen's documentation "Orchestration Restart", Final Agent Tools). */
export function decisionTools({ compares, plans }: DecisionParameters): ToolSpec[] {
  const better = compares && {
    better: {
      type: 'string',
      enum: ['final', 'earlier'],
      description: 'Which is better for the reader: the final answer, or the best answer so far if one is shown.',
    },
  };
  const execute = plans && {
    execute: {
      type: 'boolean',
      description: 'Whether the team is to carry out its plan now, with all its tools; false to plan once more.',
    },
  };
  return [
    {
      name: 'submit',
      asText: true,
      description: 'The task is done well enough; no further work is needed.',
      parameters: {
        type: 'object',
        properties: { confirmed: { type: 'boolean' }, ...better },
        required: ['confirmed'],
      },
    },
    {
      name: 'restart_orchestration',
      asText: true,
      description: 'Let the whole team start over, with your reason and detailed instructions.',
      parameters: {
        type: 'object',
        properties: { reason: text, instructions: text, ...execute, ...better },
        required: ['reason', 'instructions'],
      },
    },
  ];
}
