import { replyTool, type ToolSpec } from '../../protocol/message.ts';
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
    replyTool('new_answer', 'Give a complete answer to the task, or a better one than those there are.', {
      content: text,
    }),
    replyTool('vote', 'Vote for the best answer. Your own is allowed.', {
      agent_id: { type: 'string', enum: names },
      reason: { type: 'string' },
    }),
    ...askingTools(asking),
  ];
}

/**
 * The judge's tools (MassGen's documentation "Orchestration Restart", Final Agent Tools), and what they take besides.
 *
 * @param what `plans`: the team plans, so that a restart may ask it to act. `compares`: there may be a best answer so far to
 *   compare the presented one with.
 */
export function decisionTools({ compares, plans }: { compares: boolean; plans: boolean }): ToolSpec[] {
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
  const done = 'The task is done well enough; no further work is needed.';
  const again = 'Let the whole team start over, with your reason and detailed instructions.';
  const why = { reason: text, instructions: text };
  return [
    replyTool('submit', done, { confirmed: { type: 'boolean' }, ...better }, ['confirmed']),
    replyTool('restart_orchestration', again, { ...why, ...execute, ...better }, Object.keys(why)),
  ];
}
