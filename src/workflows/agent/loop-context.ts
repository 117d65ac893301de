import type { Reply, ReplyCall, ToolChoice } from '../../protocol/model-call.ts';
import type { Agent, ReplyOptions } from './agent.ts';
import type { Purpose } from './model-caller.ts';
import { notRun, toolsLeft } from './prompts.ts';
import type { Refusals } from './refusals.ts';
import type { ToolAnswer } from './tool-executor.ts';
import { wholeText, type WholeText } from './whole-reply.ts';

export interface LoopContext {
  agent: Agent;
  run: (call: ReplyCall) => Promise<ToolAnswer>;
  /** The tools by which the turn ends, in its last reply too: `run` throws what its starter catches. Absent: by a text. */
  ending?: string[];
  /** A loop makes its last reply where they say that the agent is to end. */
  refusals: Refusals;
  warn: (text: string) => void;
  say: (text: string, isAnswer?: boolean) => void;
  when: string;
  /** For each model call, in milliseconds. */
  timeout: number;
}

export interface TurnEnd {
  answer: string;
  /** Whether a limit or a failure has ended the turn early. */
  limited: boolean;
  isCut: boolean;
}

export const noWords = '(The model replied without any text.)';

/** The answer where there is none so far. @param why what has ended the work, as a sentence without its full stop */
export const noAnswerYet = (why: string): string => `(No answer yet. ${why}.)`;

/** Takes one text from the person to an answer, which it also shows by `say`. @throws what a model call throws */
export type Loop = (context: LoopContext, text: string) => Promise<TurnEnd>;

export function replyOf(
  { agent, timeout, when }: LoopContext,
  what: Purpose['what'],
  options: ReplyOptions,
): Promise<Reply> {
  return agent.reply({ what, when, timeout }, options);
}

/** An answer with all its parts, if its text was cut off. One that has calls, or had to be one, is taken as it is. */
export async function wholeAnswer(
  { agent, ending, timeout, when }: LoopContext,
  what: Purpose['what'],
  reply: Reply,
  options: ReplyOptions,
): Promise<Omit<WholeText, 'content'>> {
  const { calls, content, finish } = reply;
  if (calls.length > 0 || ending !== undefined) return { text: content, isCut: finish === 'length' };
  return wholeText(agent, reply, { what, when, timeout }, options);
}

/** Runs the calls of one reply, side by side or not, and answers them in their order. @returns what the agent gets */
export async function runCalls(
  { agent, refusals, run }: LoopContext,
  calls: ReplyCall[],
  parallel: boolean,
): Promise<ToolAnswer[]> {
  const answers = new Map<ReplyCall, ToolAnswer>();
  const made = async (call: ReplyCall): Promise<unknown> => answers.set(call, await run(call));
  const messages: ToolAnswer[] = [];
  try {
    if (parallel) await Promise.all(calls.map(made));
    else for (const call of calls) await made(call);
  } finally {
    // What was done before another call is broken off has its result all the same.
    for (const answer of calls.flatMap((call) => answers.get(call) ?? [])) {
      const message = refusals.answerTo(answer, agent.transcript?.id ?? '');
      agent.answerCall(message.call.id, message.content, message.images);
      messages.push(message);
    }
  }
  return messages;
}

export const lastChoice = ({ ending }: LoopContext): ToolChoice => (ending === undefined ? 'none' : { oneOf: ending });

/** Runs the calls of the tools that end the turn, and refuses the others. */
export async function runLastCalls(context: LoopContext, calls: ReplyCall[]): Promise<void> {
  const ending = calls.filter(({ name }) => context.ending?.includes(name));
  const others = calls.filter((call) => !ending.includes(call));
  refuseCalls(context, others);
  await runCalls(context, ending, false);
}

/** Answers calls that are not run, since providers refuse a conversation with unanswered calls, and tells the person of them. */
export function refuseCalls({ agent, warn }: Pick<LoopContext, 'agent' | 'warn'>, calls: ReplyCall[]): void {
  if (calls.length === 0) return;
  for (const { id, name } of calls) agent.answerCall(id, notRun(name));
  const names = [...new Set(calls.map(({ name }) => name))].join(', ');
  warn(`${agent.persona.id} had no reply with tools left, so that these were not run: ${names}`);
}

/** The limit up to which a conversation's loop is one of xaibo's own, by default of ten rounds: that announces nothing. */
const fewRounds = 10;

/**
 * Tells an agent that at most three replies with tools are left. @param rounds how many the whole loop may take, if it is one
 * that a configuration of a single agent names
 */
export function announceEnd({ agent, ending }: LoopContext, left: number, rounds = Infinity): void {
  const isAnnounced = ending !== undefined || rounds > fewRounds;
  if (isAnnounced && left > 0 && left <= 3) agent.tell({ role: 'system', content: toolsLeft(left) });
}
