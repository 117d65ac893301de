import type Anthropic from '@anthropic-ai/sdk';
import type { AssistantMessage, Message, ToolSpec, UserMessage } from '../protocol/message.ts';
import { imageData, type LoadedImages } from './images.ts';

export const anthropicWire = 'anthropic';

type Param = Anthropic.MessageParam;
type Block = Anthropic.ContentBlockParam;

export interface AnthropicConversation {
  system: Anthropic.TextBlockParam[];
  messages: Param[];
}

/**
 * Neutral messages as Anthropic's Messages API takes them. Leading system messages become `system`, whose last block
 * ends the part that all calls of an agent share; later ones become user messages that say what they are.
 * Nothing is ever merged into an earlier message, so that a longer conversation begins with the same bytes;
 * the results of one reply's tool calls are one message, as the API demands.
 */
export function toAnthropicConversation(
  messages: Message[],
  images: LoadedImages = new Map(),
): AnthropicConversation {
  const firstOther = messages.findIndex(({ role }) => role !== 'system');
  const leading = firstOther === -1 ? messages : messages.slice(0, firstOther);
  const system = leading.map(({ content }): Anthropic.TextBlockParam => ({ type: 'text', text: content }));
  const last = system.at(-1);
  if (last !== undefined) last.cache_control = { type: 'ephemeral' };
  const rest = messages.slice(leading.length);
  return { system, messages: rest.flatMap((message, index) => toParam(message, rest, index, images)) };
}

function toParam(message: Message, all: Message[], index: number, images: LoadedImages): Param[] {
  switch (message.role) {
    case 'system':
      return [{ role: 'user', content: [{ type: 'text', text: `System instruction: ${message.content}` }] }];
    case 'user':
      return [{ role: 'user', content: toUserBlocks(message, images) }];
    case 'assistant':
      return [{ role: 'assistant', content: toBlocks(message) }];
    case 'tool':
      return all[index - 1]?.role === 'tool' ? [] : [{ role: 'user', content: resultsFrom(all, index) }];
  }
}

/** Pictures first: Claude reads a question best after what it asks about. */
function toUserBlocks({ content, images: refs = [] }: UserMessage, images: LoadedImages): Block[] {
  const pictures = refs.map((ref): Block => ({
    type: 'image',
    source: {
      type: 'base64',
      media_type: ref.mediaType as Anthropic.Base64ImageSource['media_type'],
      data: imageData(images, ref),
    },
  }));
  // The API refuses an empty text beside other blocks.
  return pictures.length > 0 && content === '' ? pictures : [...pictures, { type: 'text', text: content }];
}

function resultsFrom(all: Message[], start: number): Block[] {
  const results: Block[] = [];
  for (let index = start; ; index++) {
    const message = all[index];
    if (message?.role !== 'tool') return results;
    results.push({ type: 'tool_result', tool_use_id: message.callId, content: message.content });
  }
}

function toBlocks({ content, toolCalls = [], opaque }: AssistantMessage): Block[] {
  if (opaque?.wire === anthropicWire) return opaque.data as Block[];
  const blocks: Block[] = content === '' ? [] : [{ type: 'text', text: content }];
  for (const { id, name, arguments: text } of toolCalls) {
    blocks.push({ type: 'tool_use', id, name, input: inputOf(text) });
  }
  // The API refuses an empty message.
  return blocks.length > 0 ? blocks : [{ type: 'text', text: '(no reply)' }];
}

/** The API takes only objects; arguments that are none go back as they were, under a name that says so. */
export function inputOf(text: string): unknown {
  try {
    const input: unknown = JSON.parse(text === '' ? '{}' : text);
    if (typeof input === 'object' && input !== null && !Array.isArray(input)) return input;
  } catch {
    // Falls through: the model is shown what it wrote.
  }
  return { unreadable_arguments: text };
}

/** The tools of a request; where it offers none but the conversation has calls, the API wants these defined all the same. */
export function toAnthropicTools(tools: ToolSpec[], messages: Message[]): Anthropic.Tool[] {
  if (tools.length > 0) {
    return tools.map(({ name, description, parameters }) => ({
      name,
      description,
      input_schema: { ...parameters, required: parameters.required ?? [] },
    }));
  }
  const used = messages.flatMap((message) => (message.role === 'assistant' ? (message.toolCalls ?? []) : []));
  return [...new Set(used.map(({ name }) => name))].map((name) => ({
    name,
    input_schema: { type: 'object' },
  }));
}
