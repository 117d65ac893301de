import type Anthropic from '@anthropic-ai/sdk';
import type { AssistantMessage, Message, TokenUsage, ToolCall, ToolSpec, UserMessage } from '../protocol/message.ts';
import type { Finish, ToolChoice } from '../protocol/model-call.ts';
import { contentRefused, streamCut, type Endpoint } from './failures.ts';
import {
  imageData,
  withTypedFailures,
  type LoadedImages,
  type Model,
  type ModelRequest,
  type ModelResponse,
  type ModelSettings,
} from './model.ts';

/** Claude models refuse a temperature from version 5 on. */
const takesTemperature = (model: string): boolean => !/^claude-[a-z]+-([5-9]|\d\d)(-|$)/.test(model);

/** In tokens. The API requires a limit, and every current model allows this one. */
const defaultMaxTokens = 16_000;

/** A model behind Anthropic's Messages API, streamed (https://platform.claude.com/docs/en/api/messages). */
export function anthropicModel(client: Anthropic, settings: ModelSettings, endpoint: Endpoint): Model {
  return withTypedFailures(endpoint, async (request) => {
    const stream = await client.messages.create(requestBody(settings, request), { signal: request.signal });
    return readStream(stream, request, endpoint);
  });
}

function requestBody(
  { model, temperature, maxTokens = defaultMaxTokens }: ModelSettings,
  { messages, images, tools, toolChoice = 'auto' }: ModelRequest,
): Anthropic.MessageCreateParamsStreaming {
  const offered = toAnthropicTools(tools, messages);
  return {
    model,
    max_tokens: maxTokens,
    ...toAnthropicConversation(messages, images),
    ...(offered.length > 0 && {
      tools: offered,
      tool_choice: tools.length > 0 ? toolChoiceOf(toolChoice) : { type: 'none' },
    }),
    ...(temperature !== undefined && takesTemperature(model) && { temperature: Math.min(1, temperature) }),
    // The provider marks the last block itself. A mark of ours would change earlier messages from call to call.
    cache_control: { type: 'ephemeral' },
    stream: true,
  };
}

function toolChoiceOf(choice: ToolChoice): Anthropic.ToolChoice {
  if (typeof choice === 'object') {
    const [name = '', ...others] = choice.oneOf;
    return others.length === 0 ? { type: 'tool', name } : { type: 'any' };
  }
  return { type: ({ auto: 'auto', required: 'any', none: 'none' } as const)[choice] };
}

/** A content block while it is streamed. `json` collects the arguments of a tool call as the model writes them. */
interface GrowingBlock {
  block: Anthropic.ContentBlock;
  json: string;
}

async function readStream(
  stream: AsyncIterable<Anthropic.RawMessageStreamEvent>,
  request: ModelRequest,
  endpoint: Endpoint,
): Promise<ModelResponse> {
  const blocks: GrowingBlock[] = [];
  const usage: TokenUsage = { inputTokens: 0, cachedInputTokens: 0, outputTokens: 0 };
  let reason: Anthropic.StopReason | null = null;
  for await (const event of stream) {
    if (event.type === 'message_start') {
      const { input_tokens, cache_read_input_tokens, cache_creation_input_tokens } = event.message.usage;
      usage.cachedInputTokens = cache_read_input_tokens ?? 0;
      usage.inputTokens = input_tokens + usage.cachedInputTokens + (cache_creation_input_tokens ?? 0);
    } else if (event.type === 'content_block_start') {
      blocks[event.index] = { block: event.content_block, json: '' };
    } else if (event.type === 'content_block_delta') {
      const growing = blocks[event.index];
      if (growing !== undefined) request.onDelta(grow(growing, event.delta));
    } else if (event.type === 'message_delta') {
      reason = event.delta.stop_reason;
      usage.outputTokens = event.usage.output_tokens;
    }
  }
  if (reason === null) throw streamCut(endpoint);
  if (reason === 'refusal') throw contentRefused(endpoint);
  const message = toMessage(blocks);
  return { message, finish: finishOf(reason, message), usage };
}

/** Adds a piece to its block. @returns the text in it that a person who follows the run sees */
function grow(growing: GrowingBlock, delta: Anthropic.RawContentBlockDelta): string {
  const { block } = growing;
  if (delta.type === 'text_delta' && block.type === 'text') {
    block.text += delta.text;
    return delta.text;
  }
  if (delta.type === 'input_json_delta') {
    growing.json += delta.partial_json;
    return delta.partial_json;
  }
  if (delta.type === 'thinking_delta' && block.type === 'thinking') block.thinking += delta.thinking;
  if (delta.type === 'signature_delta' && block.type === 'thinking') block.signature = delta.signature;
  return '';
}

function toMessage(growing: GrowingBlock[]): AssistantMessage {
  const toolCalls: ToolCall[] = growing.flatMap(({ block, json }) =>
    block.type === 'tool_use' ? [{ id: block.id, name: block.name, arguments: json }] : [],
  );
  const content = growing.map(({ block }) => (block.type === 'text' ? block.text : '')).join('');
  return { role: 'assistant', content, ...(toolCalls.length > 0 && { toolCalls }), ...opaqueOf(growing) };
}

/** Keeps a whole reply that holds thinking, which must be sent back unchanged and between the same blocks. */
function opaqueOf(growing: GrowingBlock[]): Pick<AssistantMessage, 'opaque'> {
  if (growing.every(({ block }) => block.type === 'text' || block.type === 'tool_use')) return {};
  const data = growing.map(({ block, json }) =>
    block.type === 'tool_use'
      ? { type: block.type, id: block.id, name: block.name, input: inputOf(json) }
      : block.type === 'text'
        ? { type: block.type, text: block.text }
        : block,
  );
  return { opaque: { wire: anthropicWire, data } };
}

function finishOf(reason: Anthropic.StopReason, { toolCalls }: AssistantMessage): Finish {
  if (reason === 'max_tokens' || reason === 'model_context_window_exceeded') return 'length';
  return toolCalls === undefined ? 'stop' : 'tool_calls';
}

const anthropicWire = 'anthropic';

type Param = Anthropic.MessageParam;
type Block = Anthropic.ContentBlockParam;

/**
 * Converts neutral messages to those of Anthropic's Messages API. Leading system messages become `system`, whose last
 * block ends the prefix that all calls of an agent share. Later system messages become user messages that say what they
 * are. The results of one reply's tool calls become one message, as the API demands. Nothing else is merged, since a
 * longer conversation must begin with the same bytes.
 */
export function toAnthropicConversation(messages: Message[], images: LoadedImages = new Map()) {
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

/** Puts images before the text, since Claude reads a question best after what it is about. */
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

/** Arguments as the object that the API demands. What is not an object goes back as text, under a name that says so. */
function inputOf(text: string): unknown {
  try {
    const input: unknown = JSON.parse(text === '' ? '{}' : text);
    if (typeof input === 'object' && input !== null && !Array.isArray(input)) return input;
  } catch {
    // The model is shown what it wrote.
  }
  return { unreadable_arguments: text };
}

/** The tools of a request. If it offers none, the tools that the conversation has called, which the API wants defined. */
function toAnthropicTools(tools: ToolSpec[], messages: Message[]): Anthropic.Tool[] {
  if (tools.length > 0) {
    return tools.map(({ name, description, parameters }) => ({
      name,
      description,
      input_schema: { ...parameters, required: parameters.required ?? [] },
    }));
  }
  const used = messages.flatMap((message) => (message.role === 'assistant' ? (message.toolCalls ?? []) : []));
  return [...new Set(used.map(({ name }) => name))].map((name) => ({ name, input_schema: { type: 'object' } }));
}
