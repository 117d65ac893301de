import type { Reply, ReplyCall } from '../../protocol/model-call.ts';
import type { Agent } from './agent.ts';
import type { Purpose } from './model-caller.ts';
import type { ToolAnswer } from './tool-executor.ts';

/** An agent at work on one turn: what its loop needs. */
export interface LoopContext {
  agent: Agent;
  /** Blob id of the tools that it is offered; null: none. */
  tools: string | null;
  /** Runs one call of any of these tools. */
  run: (call: ReplyCall) => Promise<ToolAnswer>;
  /** Tells the person what is going on, and at last the answer. */
  say: (text: string, isAnswer?: boolean) => void;
  /** `turn 3`, `attempt 2`. */
  when: string;
  /** Milliseconds that each model call has. */
  timeout: number;
}

/** What a turn came to. */
export interface TurnEnd {
  answer: string;
  /** Whether it is the best that could be had when a limit was reached. */
  limited: boolean;
}

/** Instead of an answer where the model gave no text at all. */
export const noWords = '(The model replied without any text.)';

/** A loop of an agent on one text of the person: it tells the answer too. @throws what a model call throws, where the loop has no way to go on */
export type Loop = (context: LoopContext, text: string) => Promise<TurnEnd>;

export function replyOf(
  { agent, timeout, when }: LoopContext,
  what: Purpose['what'],
  tools: string | null,
  temperature: number,
): Promise<Reply> {
  return agent.reply({ what, when, timeout }, tools, temperature);
}

/** Runs the calls of one reply and answers them in their order. @param parallel side by side, else one after the other */
export async function runCalls(
  { agent, run }: LoopContext,
  calls: ReplyCall[],
  parallel: boolean,
): Promise<ToolAnswer[]> {
  const answers: ToolAnswer[] = [];
  if (parallel) answers.push(...(await Promise.all(calls.map(run))));
  else for (const call of calls) answers.push(await run(call));
  for (const { call, content } of answers) agent.answerCall(call.id, content);
  return answers;
}

/** Providers refuse calls without a result, so that those of a last reply get one too. */
export function refuseCalls({ agent }: LoopContext, calls: ReplyCall[], text: string): void {
  for (const { id } of calls) agent.answerCall(id, text);
}
