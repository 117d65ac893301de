import { headings } from '../../protocol/headings.ts';
import {
  callsIn,
  type AssistantMessage,
  type Content,
  type Message,
  type Text,
  type ToolSpec,
} from '../../protocol/message.ts';
import { joinContent } from '../agent/text.ts';
import type { Coordination } from '../../protocol/settings.ts';

export type AskingMode = 'agents' | 'human';

type Sensitivity = 'low' | 'medium' | 'high';

export interface AskingRules {
  mode: AskingMode;
  sensitivity: Sensitivity;
}

/** Undefined when they may not ask. */
export function askingOf(
  { broadcast, broadcast_sensitivity: sensitivity }: Pick<Coordination, 'broadcast' | 'broadcast_sensitivity'>,
  agents: number,
): AskingRules | undefined {
  if (broadcast === false || (broadcast === 'agents' && agents === 1)) return undefined;
  return { mode: broadcast, sensitivity };
}

const whom: Record<AskingMode, string> = {
  agents: '`ask_others` puts a question to all other agents and returns their responses.',
  human:
    '`ask_others` puts a question to the person whom you work for and returns the answer. ' +
    'With the status `deferred` it returns what the person has answered before: if that does not help, ' +
    'ask again, more specifically.',
};

const howOften: Record<Sensitivity, string> = {
  low: 'Use it rarely: only where you cannot go on by yourself.',
  medium: 'Use it where a response may change what you do.',
  high: 'Use it frequently: before you decide on something, and to check what you assume.',
};

export function askingText({ mode, sensitivity }: AskingRules): string {
  return `${whom[mode]} ${howOften[sensitivity]}`;
}

/** Accompanies the person's earlier answers (MassGen's documentation "Agent Communication", Human Q&A Context Injection). */
export const historyNote =
  'The human has already answered questions this session. Review the history above: if it answers your question, ' +
  'use that; if not, call ask_others again with a different, more specific question.';

/** Accompanies a timeout of a question that was not put to the person. */
export const silentNote =
  'The human was not asked: an earlier question has had no answer in time. Go on without, and do not ask again.';

export const askRefusals = {
  empty: 'The question is empty.',
  nobody: 'There is no other agent to ask.',
  again: 'You have asked this already. Go on with what you have.',
  noMore: (limit: number) => `You have asked ${limit} times, which is the most. Go on with what you have.`,
  tooMany: (limit: number) =>
    `You have ${limit} questions under way already, which is the most that you may have at once.`,
};

/** The tools for asking (MassGen's documentation "Agent Communication", Broadcast Tools); none where agents may not ask. */
export function askingTools(mode: AskingMode | undefined): ToolSpec[] {
  if (mode === undefined) return [];
  return [
    {
      name: 'ask_others',
      description:
        mode === 'agents'
          ? 'Ask all other agents a question. Waits for their responses and returns them.'
          : 'Ask the person a question. Waits for the answer and returns it.',
      parameters: {
        type: 'object',
        properties: { question: { type: 'string', minLength: 1 } },
        required: ['question'],
      },
    },
    {
      name: 'respond_to_broadcast',
      description: 'Deprecated: questions of others are answered for you.',
      parameters: { type: 'object', properties: { answer: { type: 'string' } }, required: ['answer'] },
    },
  ];
}

export const responsesAreAutomatic =
  'Responses are handled automatically: your shadow has answered, or will. Continue your work.';

export type ResponseDepth = 'low' | 'medium' | 'high';

/** Stands in a shadow's system message in place of the team's. */
export const shadowText =
  'You are the shadow of an agent that goes on with its work meanwhile. What follows is its conversation so far; ' +
  'it is yours. Another agent asks you something: answer as that agent, from what you know, in plain text. ' +
  'You have no tools, and nothing that you write here changes your work.';

/** The instruction for each depth (MassGen's documentation "Agent Communication", Response Depth). */
const depths: Record<ResponseDepth, string> = {
  low:
    'Give a quick, simple response with a minimal solution: basic technologies (vanilla HTML/CSS/JS, simple libraries), ' +
    'no complex frameworks or architectures, as few dependencies as possible. Be brief and to the point.',
  medium:
    'Give a balanced response with a standard solution: technology that fits the complexity of the task, ' +
    'standard best practices without over-engineering, simplicity balanced with maintainability. Be concise but thorough.',
  high:
    'Give a thorough, comprehensive response with a sophisticated solution: modern frameworks and best practices ' +
    '(React, Next.js, TypeScript and the like), architecture (SSR, component libraries, testing, CI/CD), ' +
    'professional tooling and patterns. Be detailed, with examples.',
};

/** The last message of a shadow's conversation. */
export function shadowQuestion(asker: string, question: Text, depth: ResponseDepth): Content {
  return joinContent([
    `${headings.question} ${asker}\n\n`,
    question,
    `\n\n${headings.howToRespond}\n\n${depths[depth]}`,
  ]);
}

/** For the agent itself (MassGen's documentation "Agent Communication", Parent Agent Awareness). */
export function shadowNotice(asker: string, question: Text, response: Text): Content {
  return joinContent([
    `[INFO] While you were working, ${asker} asked: "`,
    question,
    '"\nYour shadow agent responded: "',
    response,
    '"\n(This is just for your awareness - you may continue your work.)',
  ]);
}

export function writingNow(partial: string): Message {
  return { role: 'assistant', content: `[You are writing at this moment:]\n${partial}` };
}

/**
 * A conversation without its system messages, and with tool calls and results as plain text: providers refuse calls that
 * have no result, and any in a request that offers no tools.
 */
export function plainConversation(messages: Message[]): Message[] {
  const calls = new Map(messages.flatMap(callsIn).map(({ id, name }) => [id, name]));
  const answered = new Set(messages.flatMap((message) => (message.role === 'tool' ? [message.callId] : [])));
  return messages.flatMap((message): Message[] => {
    if (message.role === 'system') return [];
    if (message.role === 'user') return [message];
    if (message.role === 'assistant') return [{ role: 'assistant', content: inWords(message, answered) }];
    const content = `[Result of ${calls.get(message.callId) ?? 'a call'}:]\n${message.content}`;
    return [{ role: 'user', content, ...(message.images !== undefined && { images: message.images }) }];
  });
}

function inWords({ content, toolCalls = [] }: AssistantMessage, answered: Set<string>): string {
  const calls = toolCalls.map(
    ({ id, name, arguments: text }) =>
      `[You called ${name}${answered.has(id) ? '' : ', which has no result yet'}:]\n${text}`,
  );
  return [content, ...calls].filter((part) => part !== '').join('\n\n') || '(no reply)';
}
