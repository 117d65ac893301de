import type {
  OrchestratorMessage,
  OrchestratorReply,
  OrchestratorToolCall,
} from '../../protocol/custom-orchestrator.ts';
import type { Content, ImageRef, NewMessage, Text, ToolCall, TranscriptRef } from '../../protocol/message.ts';
import type { Reply, ReplyCall } from '../../protocol/model-call.ts';
import { storeTexts, textRef } from '../agent/text-refs.ts';
import type { ToolAnswer } from '../agent/tool-executor.ts';

/**
 * Checks a conversation from a custom orchestrator, and drops unknown keys, so that equal messages have equal JSON.
 *
 * @throws `TypeError` that names the place of the mistake
 */
export function checkedMessages(messages: unknown): OrchestratorMessage[] {
  if (!Array.isArray(messages) || messages.length === 0)
    throw new TypeError('llm.generate takes a list of messages, of which there is at least one');
  return messages.map((message, index) => checkedMessage(message, `messages[${index}]`));
}

function checkedMessage(message: unknown, place: string): OrchestratorMessage {
  const { role, content, callId, toolCalls } = (message ?? {}) as Record<string, unknown>;
  if (typeof content !== 'string') throw new TypeError(`${place}.content must be a string`);
  if (role === 'system' || role === 'user') return { role, content };
  if (role === 'assistant') {
    const calls = checkedCalls(toolCalls, `${place}.toolCalls`);
    return { role, content, ...(calls.length > 0 && { toolCalls: calls }) };
  }
  if (role !== 'tool') throw new TypeError(`${place}.role must be system, user, assistant or tool`);
  if (typeof callId !== 'string')
    throw new TypeError(`${place}.callId must be the id of the tool call that it answers`);
  return { role, content, callId };
}

function checkedCalls(calls: unknown, place: string): OrchestratorToolCall[] {
  if (calls === undefined) return [];
  if (!Array.isArray(calls)) throw new TypeError(`${place} must be a list`);
  return calls.map((call: unknown, index) => checkedCall(call, `${place}[${index}]`));
}

/** @throws `TypeError` that names the place of the mistake */
export function checkedCall(call: unknown, place: string): OrchestratorToolCall {
  const { id, name, arguments: input = {}, error } = (call ?? {}) as Record<string, unknown>;
  if (typeof id !== 'string' || typeof name !== 'string' || typeof input !== 'object' || input === null)
    throw new TypeError(`${place} must be a tool call: {id, name, arguments}`);
  return { id, name, arguments: input as Record<string, unknown>, ...(typeof error === 'string' && { error }) };
}

/** A message for a model, with this content in place of its own text, and what the tool that it quotes has shown. */
function newMessageOf(message: OrchestratorMessage, content: Content, images?: ImageRef[]): NewMessage {
  if (message.role === 'tool')
    return { role: 'tool', callId: message.callId, content, ...(images !== undefined && { images }) };
  if (message.role !== 'assistant') return { role: message.role, content };
  const { toolCalls } = message;
  return { role: 'assistant', content, ...(toolCalls && { toolCalls: toolCalls.map(toolCallOf) }) };
}

const toolCallOf = ({ id, name, arguments: input }: OrchestratorToolCall): ToolCall => ({
  id,
  name,
  arguments: JSON.stringify(input),
});

export function replyOf({ content, calls }: Reply): OrchestratorReply {
  const toolCalls = calls.map(({ id, name, ...read }) => ({
    id,
    name,
    ...('error' in read ? { arguments: {}, error: read.error } : { arguments: read.input }),
  }));
  return { role: 'assistant', content, toolCalls };
}

export const callOf = ({ id, name, arguments: input, error }: OrchestratorToolCall): ReplyCall =>
  error === undefined ? { id, name, input } : { id, name, error };

type Result = Pick<ToolAnswer, 'text' | 'content' | 'images'>;

/** Remembers where texts are in the store, so that the inputs of model calls name the long ones by reference. */
export class TextRefCache {
  readonly #texts = new Map<string, Text>();
  readonly #results = new Map<string, Result>();

  /** @param place the conversation that ends with the reply */
  addReply(content: string, place: TranscriptRef): void {
    this.#texts.set(content, textRef(content, { segment: place.id }));
  }

  /** A message that answers the call with the result's shown beginning gives the model the whole result. */
  addResult(callId: string, result: Result): void {
    this.#results.set(callId, result);
  }

  /** Makes messages for a model, and stores the new long texts. */
  async newMessages(messages: OrchestratorMessage[]): Promise<NewMessage[]> {
    const contents = messages.filter((message) => this.#resultIn(message) === undefined).map(({ content }) => content);
    const fresh = [...new Set(contents)].filter((content) => !this.#texts.has(content));
    const stored = await storeTexts(fresh);
    fresh.forEach((content, index) => this.#texts.set(content, stored[index] ?? content));
    return messages.map((message) => {
      const { content = this.#texts.get(message.content) ?? message.content, images } = this.#resultIn(message) ?? {};
      return newMessageOf(message, content, images);
    });
  }

  #resultIn(message: OrchestratorMessage): Result | undefined {
    const result = message.role === 'tool' ? this.#results.get(message.callId) : undefined;
    return result?.text === message.content ? result : undefined;
  }
}
