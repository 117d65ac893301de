import { setImmediate as nextTurn } from 'node:timers/promises';
import type { AssistantMessage, ToolCall, ToolSpec } from '../protocol/message.ts';
import type { Finish, Reply, ReplyCall } from '../protocol/model-call.ts';
import { cutToBytes, jsonBytes, payloadBytes } from '../workflows/runtime/size.ts';
import type { ReadArguments } from './tools/arguments.ts';
import { writtenCalls } from './tools/written-call.ts';

/** The tools that a model is offered, with a reader of their calls. */
export interface ToolSet {
  specs: ToolSpec[];
  read: ReadArguments;
}

/**
 * A message in whose text calls are written, as one that has the calls: they are never words for a reader.
 *
 * @param id for the calls
 * @param mayCall whether the reply may call; if not, a tool that takes texts is called as any other
 */
export function withWrittenCalls(
  message: AssistantMessage,
  { read, specs }: ToolSet,
  id: string,
  mayCall: boolean,
): AssistantMessage {
  if (message.toolCalls !== undefined) return message;
  const found = writtenCalls(message.content, specs, read, mayCall);
  if (found === undefined) return message;
  const toolCalls = found.calls.map((call, index) => ({ id: index === 0 ? id : `${id}_${index}`, ...call }));
  return { ...message, content: found.content, toolCalls };
}

/**
 * Reads a model's message. A reply that is too long for the history loses its calls, and the end of its text.
 *
 * @returns the reply, and the message as it is stored: with arguments that were mended, in place of what the model wrote
 */
export async function readReply(
  message: AssistantMessage,
  finish: Finish,
  read: ReadArguments,
): Promise<{ reply: Reply; written: AssistantMessage }> {
  const calls: ReplyCall[] = [];
  const toolCalls: ToolCall[] = [];
  for (const call of message.toolCalls ?? []) {
    const { reply, ...mended } = read(call, finish);
    calls.push(reply);
    toolCalls.push({ ...call, ...mended });
    // To mend arguments may take long, and there may be many.
    await nextTurn();
  }
  const reply: Reply = { content: message.content, calls, finish };
  const bytes = jsonBytes(reply);
  if (bytes > payloadBytes) return tooLarge(message, bytes);
  return { reply, written: toolCalls.length === 0 ? message : { ...message, toolCalls } };
}

/** What is left for the calls of a reply that is too large, in bytes, and how many of them are answered at all. */
const roomForCalls = 100_000;
const mostCalls = 100;

/** In characters. */
const longestName = 200;

/** A reply that is too large is stored as little as it is told, or each further call of the model would bring it back. */
function tooLarge(
  { content, toolCalls = [] }: AssistantMessage,
  bytes: number,
): { reply: Reply; written: AssistantMessage } {
  const error = `your reply had ${bytes} bytes, of which at most ${payloadBytes} are taken. Call it again, and be shorter`;
  const known = toolCalls
    .slice(0, mostCalls)
    .map(({ id, name }) => ({ id: id.slice(0, longestName), name: name.slice(0, longestName) }));
  const text = cutToBytes(content, payloadBytes - roomForCalls);
  return {
    reply: { content: text, calls: known.map((call) => ({ ...call, error })), finish: 'length' },
    written: {
      role: 'assistant',
      content: text,
      ...(known.length > 0 && { toolCalls: known.map((call) => ({ ...call, arguments: '{}' })) }),
    },
  };
}
