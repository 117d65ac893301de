import { setImmediate as nextTurn } from 'node:timers/promises';
import type { AssistantMessage, ToolCall, ToolSpec } from '../protocol/message.ts';
import type { Finish, Reply, ReplyCall } from '../protocol/model-call.ts';
import { cutToBytes, jsonBytes, payloadBytes } from '../workflows/runtime/size.ts';
import type { ReadArguments } from './tools/arguments.ts';
import { writtenCalls } from './tools/written-call.ts';

export interface ToolSet {
  specs: ToolSpec[];
  read: ReadArguments;
}

/** Calls are never words for a reader. @param mayCall if not, a tool that takes texts is called as any other */
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

/** A reply too long for the history loses its calls, and the end of its text. @returns also the message to be stored */
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

/** In bytes, for the calls of a reply that is too large; so many are answered at all. */
const roomForCalls = 100_000;
const mostCalls = 100;

const longestName = 200;

/** It is stored as little as it is told, or each further call of the model would bring it back. */
function tooLarge({ content, toolCalls = [] }: AssistantMessage, bytes: number): Awaited<ReturnType<typeof readReply>> {
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
