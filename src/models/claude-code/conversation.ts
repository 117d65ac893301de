import { imageData, type LoadedImages } from '../model.ts';
import { callsIn, type Message, type ToolSpec } from '../../protocol/message.ts';
import { plainConversation } from '../../workflows/ask-others/prompts.ts';
import type { PromptBlock } from './sdk.ts';

export const serverName = 'reprise';

/** Of the session that a reply was made in; replies of other wires have none. */
export interface SessionRef {
  session: string;
  /** The object id of its record; null if it has none. */
  head: string | null;
}

export const claudeCodeWire = 'claude_code';

/** What Claude Code has not been told yet: all that follows its last reply. */
export function toldIn(conversation: Message[], tools: ToolSpec[], images: LoadedImages) {
  const last = conversation.findLastIndex((each) => sessionOf(each) !== undefined);
  const reply = conversation[last];
  const session = reply && sessionOf(reply);
  const leading = conversation.findIndex(({ role }) => role !== 'system');
  const system = conversation.slice(0, leading).map(({ content }) => content);
  const rest = session === undefined ? conversation.slice(leading) : conversation.slice(last + 1);
  const prompt =
    session === undefined ? beginning(rest) : rest.map((message) => wordsOf(message, conversation)).join('\n\n');
  const pictures = rest.flatMap((message) => (message.role === 'user' ? (message.images ?? []) : []));
  return {
    system: [...system, ...(tools.length > 0 ? [aboutTools(tools)] : [])].join('\n\n'),
    prompt: [
      ...pictures.map((ref): PromptBlock => ({
        type: 'image',
        source: { type: 'base64', media_type: ref.mediaType, data: imageData(images, ref) },
      })),
      { type: 'text', text: prompt.trim() || 'Go on.' } as PromptBlock,
    ],
    session,
  };
}

export const goOn =
  'The process that ran you has ended in the middle of your work, and this is a new one. Your files are as they were after ' +
  'the last tool call that has a result. Go on where you were.';

/** What a call of a tool of the workflow gets for a result; what comes of it is known only when the turn is over. */
export const handedOver = 'Handed over. Your turn ends here; what comes of it follows in the next message.';

export const notNow = 'This tool cannot be called now: write your reply as text.';

function aboutTools(tools: ToolSpec[]): string {
  const names = tools.map(({ name }) => `${name} is mcp__${serverName}__${name}`).join(', ');
  return `Tools that these instructions and the messages name: ${names}. A call of one of them ends your turn.`;
}

function sessionOf(message: Message): SessionRef | undefined {
  if (message.role !== 'assistant' || message.opaque?.wire !== claudeCodeWire) return undefined;
  return message.opaque.data as SessionRef;
}

function beginning(messages: Message[]): string {
  if (messages.every(({ role }) => role === 'user' || role === 'system')) return textsOf(messages);
  const own = messages.findLastIndex(({ role }) => role === 'assistant' || role === 'tool') + 1;
  const earlier = plainConversation(messages.slice(0, own)).map(
    ({ content, role }) => `${role === 'assistant' ? 'You' : 'User'}: ${content}`,
  );
  return [`The conversation so far:\n\n${earlier.join('\n\n')}`, textsOf(messages.slice(own))].join('\n\n---\n\n');
}

const textsOf = (messages: Message[]): string => messages.map(({ content }) => content).join('\n\n');

function wordsOf(message: Message, conversation: Message[]): string {
  if (message.role !== 'tool') return message.content;
  const name = conversation.flatMap(callsIn).findLast(({ id }) => id === message.callId)?.name ?? 'a tool';
  return `Result of your call of ${name}:\n${message.content}`;
}
