import type { AssistantMessage, Content, Message, Text } from '../../protocol/message.ts';
import { joinContent } from '../agent/content.ts';
import { headings } from '../../protocol/headings.ts';

/** How thorough a shadow's response is to be. */
export type ResponseDepth = 'low' | 'medium' | 'high';

/** A shadow's duty; nothing of how the team works. */
export const shadowText =
  'You are the shadow of an agent that goes on with its work meanwhile. What follows is its conversation so far; ' +
  'it is yours. Another agent asks you something: answer as that agent, from what you know, in plain text. ' +
  'You have no tools, and nothing that you write here changes your work.';

/** What each level asks for (MassGen's documentation "Agent Communication", Response Depth). */
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

/** The last message of a shadow's conversation. @param asker configured id */
export function shadowQuestion(asker: string, question: Text, depth: ResponseDepth): Content {
  return joinContent([
    `${headings.question} ${asker}\n\n`,
    question,
    `\n\n${headings.howToRespond}\n\n${depths[depth]}`,
  ]);
}

/** What a parent finds in its conversation afterwards (the same, Parent Agent Awareness). */
export function shadowNotice(asker: string, question: Text, response: Text): Content {
  return joinContent([
    `[INFO] While you were working, ${asker} asked: "`,
    question,
    '"\nYour shadow agent responded: "',
    response,
    '"\n(This is just for your awareness - you may continue your work.)',
  ]);
}

/** What a parent is writing at this moment. */
export function writingNow(partial: string): Message {
  return { role: 'assistant', content: `[You are writing at this moment:]\n${partial}` };
}

/**
 * A conversation without its system messages, and with its tool calls and results told in words:
 * providers refuse calls without a result, and tool blocks where no tools are offered.
 */
export function plainConversation(messages: Message[]): Message[] {
  const calls = new Map(
    messages.flatMap((message) =>
      message.role === 'assistant'
        ? (message.toolCalls ?? []).map((call) => [call.id, call.name] as const)
        : [],
    ),
  );
  const answered = new Set(messages.flatMap((message) => (message.role === 'tool' ? [message.callId] : [])));
  return messages.flatMap((message): Message[] => {
    if (message.role === 'system') return [];
    if (message.role === 'user') return [message];
    if (message.role === 'assistant') return [{ role: 'assistant', content: inWords(message, answered) }];
    return [
      { role: 'user', content: `[Result of ${calls.get(message.callId) ?? 'a call'}:]\n${message.content}` },
    ];
  });
}

function inWords({ content, toolCalls = [] }: AssistantMessage, answered: Set<string>): string {
  const calls = toolCalls.map(
    ({ id, name, arguments: text }) =>
      `[You called ${name}${answered.has(id) ? '' : ', which has no result yet'}:]\n${text}`,
  );
  return [content, ...calls].filter((part) => part !== '').join('\n\n') || '(no reply)';
}
