import type Anthropic from '@anthropic-ai/sdk';
import type { AssistantMessage, TokenUsage, ToolCall } from '../protocol/message.ts';
import type { Finish } from '../protocol/model-call.ts';
import { anthropicWire, inputOf, toAnthropicConversation, toAnthropicTools } from './anthropic-messages.ts';
import { contentRefused, streamCut, toFailure, type Endpoint } from './failures.ts';
import type { Model, ModelRequest, ModelResponse } from './model.ts';

export interface AnthropicSettings {
  model: string;
  temperature?: number | undefined;
  maxTokens?: number | undefined;
}

/** From version 5 on, Claude models refuse a temperature. */
const takesTemperature = (model: string): boolean => !/^claude-[a-z]+-([5-9]|\d\d)(-|$)/.test(model);

/** The API wants a limit; every current model allows this one. */
const defaultMaxTokens = 16_000;

/** A model behind Anthropic's Messages API, streamed (https://platform.claude.com/docs/en/api/messages). */
export function anthropicModel(client: Anthropic, settings: AnthropicSettings, endpoint: Endpoint): Model {
  return {
    async complete(request) {
      try {
        const stream = await client.messages.create(requestBody(settings, request), {
          signal: request.signal,
        });
        return await readStream(stream, request, endpoint);
      } catch (error) {
        request.signal.throwIfAborted();
        throw toFailure(error, endpoint);
      }
    },
  };
}

function requestBody(
  { model, temperature, maxTokens = defaultMaxTokens }: AnthropicSettings,
  { messages, images, tools, toolChoice = 'auto' }: ModelRequest,
): Anthropic.MessageCreateParamsStreaming {
  const offered = toAnthropicTools(tools, messages);
  const choice = { auto: 'auto', required: 'any', none: 'none' } as const;
  return {
    model,
    max_tokens: maxTokens,
    ...toAnthropicConversation(messages, images),
    ...(offered.length > 0 && {
      tools: offered,
      tool_choice: { type: tools.length > 0 ? choice[toolChoice] : 'none' },
    }),
    ...(temperature !== undefined && takesTemperature(model) && { temperature: Math.min(1, temperature) }),
    // The provider marks the last block itself: a mark of our own would change earlier messages from call to call.
    cache_control: { type: 'ephemeral' },
    stream: true,
  };
}

/** A content block as it grows; `json` collects a tool call's arguments as the model writes them. */
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

/** Adds a piece to its block. @returns what of it a person following the run sees */
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
  return {
    role: 'assistant',
    content,
    ...(toolCalls.length > 0 && { toolCalls }),
    ...opaqueOf(growing),
  };
}

/** Thinking must go back as it came, in its place among the other blocks: the whole reply is kept. */
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
