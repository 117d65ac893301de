import type OpenAI from 'openai';
import type { AssistantMessage, Message, TokenUsage, ToolCall, ToolSpec, UserMessage } from '../protocol/message.ts';
import type { Finish, ToolChoice } from '../protocol/model-call.ts';
import { estimateUsage } from './estimate.ts';
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

/** Models that reason before they answer take no temperature, and their limit of tokens includes the reasoning. */
const reasons = (model: string): boolean => /^(gpt-5|o\d)/.test(model) && !model.includes('chat');

/** A model behind OpenAI's Chat Completions, streamed (https://platform.openai.com/docs/api-reference/chat). */
export function openaiModel(client: OpenAI, settings: ModelSettings, endpoint: Endpoint): Model {
  return withTypedFailures(endpoint, async (request) => {
    const stream = await client.chat.completions.create(requestBody(settings, request), { signal: request.signal });
    return readStream(stream, request, endpoint);
  });
}

function requestBody(
  { model, temperature, maxTokens }: ModelSettings,
  { messages, images, tools, toolChoice = 'auto' }: ModelRequest,
): OpenAI.ChatCompletionCreateParamsStreaming {
  const limit = reasons(model) ? 'max_completion_tokens' : 'max_tokens';
  return {
    model,
    messages: toOpenaiMessages(messages, images),
    ...(tools.length > 0 &&
      toolChoice !== 'none' && {
        tools: toOpenaiTools(tools),
        tool_choice: toolChoiceOf(toolChoice),
      }),
    ...(temperature !== undefined && !reasons(model) && { temperature: Math.min(2, temperature) }),
    ...(maxTokens !== undefined && { [limit]: maxTokens }),
    stream: true,
    stream_options: { include_usage: true },
  };
}

function toolChoiceOf(choice: ToolChoice): OpenAI.ChatCompletionToolChoiceOption {
  if (typeof choice === 'string') return choice;
  const [name = '', ...others] = choice.oneOf;
  return others.length === 0 ? { type: 'function', function: { name } } : 'required';
}

/** A piece of a streamed tool call. `extra_content` is not part of OpenAI's own API. */
type CallDelta = OpenAI.ChatCompletionChunk.Choice.Delta.ToolCall & { extra_content?: unknown };

async function readStream(
  stream: AsyncIterable<OpenAI.ChatCompletionChunk>,
  request: ModelRequest,
  endpoint: Endpoint,
): Promise<ModelResponse> {
  let content = '';
  let finish: OpenAI.ChatCompletionChunk.Choice['finish_reason'] = null;
  let usage: OpenAI.CompletionUsage | undefined;
  const calls: ToolCall[] = [];
  const extra: ExtraContent = {};
  for await (const chunk of stream) {
    usage = chunk.usage ?? usage;
    const choice = chunk.choices[0];
    if (choice === undefined) continue;
    finish = choice.finish_reason ?? finish;
    content += choice.delta?.content ?? '';
    request.onDelta(choice.delta?.content ?? '');
    for (const delta of (choice.delta?.tool_calls ?? []) as CallDelta[]) {
      // Some compatible servers leave out the id, which must be unique in the conversation.
      const call = (calls[delta.index ?? 0] ??= {
        id: delta.id || `call_${request.messages.length}_${calls.length}`,
        name: '',
        arguments: '',
      });
      call.name += delta.function?.name ?? '';
      call.arguments += delta.function?.arguments ?? '';
      request.onDelta(delta.function?.arguments ?? '');
      if (delta.extra_content !== undefined) extra[call.id] = delta.extra_content;
    }
  }
  if (finish === null) throw streamCut(endpoint);
  if (finish === 'content_filter') throw contentRefused(endpoint);
  const message: AssistantMessage = {
    role: 'assistant',
    content,
    ...(calls.length > 0 && { toolCalls: calls }),
    ...(Object.keys(extra).length > 0 && { opaque: { wire: openaiWire, data: extra } }),
  };
  const ended: Finish = calls.length > 0 ? 'tool_calls' : 'stop';
  return { message, finish: finish === 'length' ? finish : ended, usage: usageOf(usage, request, message) };
}

function usageOf(
  usage: OpenAI.CompletionUsage | undefined,
  request: ModelRequest,
  message: AssistantMessage,
): TokenUsage {
  if (usage === undefined) return estimateUsage(request.messages, message);
  return {
    inputTokens: usage.prompt_tokens,
    cachedInputTokens: usage.prompt_tokens_details?.cached_tokens ?? 0,
    outputTokens: usage.completion_tokens,
  };
}

/** Extra fields of tool calls, by call id, that some providers want back, such as Gemini's thought signatures. */
type ExtraContent = Record<string, unknown>;

const openaiWire = 'openai';

type Param = OpenAI.ChatCompletionMessageParam;

/** Converts messages to those of Chat Completions one by one, so a longer conversation begins with the same bytes. */
export function toOpenaiMessages(messages: Message[], images: LoadedImages = new Map()): Param[] {
  return messages.map((message): Param => {
    if (message.role === 'tool') return { role: 'tool', tool_call_id: message.callId, content: message.content };
    if (message.role === 'assistant') return toAssistant(message);
    if (message.role === 'user') return { role: 'user', content: toUserContent(message, images) };
    return { role: message.role, content: message.content };
  });
}

function toUserContent(
  { content, images: refs = [] }: UserMessage,
  images: LoadedImages,
): string | OpenAI.ChatCompletionContentPart[] {
  if (refs.length === 0) return content;
  return [
    ...(content === '' ? [] : [{ type: 'text' as const, text: content }]),
    ...refs.map((ref) => ({
      type: 'image_url' as const,
      image_url: { url: `data:${ref.mediaType};base64,${imageData(images, ref)}` },
    })),
  ];
}

function toAssistant({ content, toolCalls, opaque }: AssistantMessage): Param {
  if (toolCalls === undefined || toolCalls.length === 0) return { role: 'assistant', content };
  const extra = opaque?.wire === openaiWire ? (opaque.data as ExtraContent) : {};
  return {
    role: 'assistant',
    content: content === '' ? null : content,
    tool_calls: toolCalls.map(({ id, name, arguments: text }) => ({
      id,
      type: 'function',
      function: { name, arguments: text },
      ...(extra[id] !== undefined && { extra_content: extra[id] }),
    })),
  };
}

function toOpenaiTools(tools: ToolSpec[]): OpenAI.ChatCompletionFunctionTool[] {
  return tools.map(({ name, description, parameters }) => ({
    type: 'function',
    function: { name, description, parameters: { ...parameters } },
  }));
}
