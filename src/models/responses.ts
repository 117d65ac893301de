import type OpenAI from 'openai';
import type { AssistantMessage, ImageRef, Message, ToolCall, ToolSpec } from '../protocol/message.ts';
import type { Finish, ToolChoice } from '../protocol/model-call.ts';
import type { Capabilities } from '../config/models/model-capabilities.ts';
import { contentRefused, replyTooLarge, responseFailed, streamCut, type Endpoint } from './failures.ts';
import {
  imageData,
  readableArguments,
  type LoadedImages,
  type ModelRequest,
  type ModelResponse,
  type Wire,
} from './model.ts';
import { StreamedCalls, textOf } from './streamed-calls.ts';
import { strictSchema } from './strict-schema.ts';
import { toldRequest } from './told-tools.ts';
import { choiceOf, writtenSchema } from './written-schema.ts';

type Body = OpenAI.Responses.ResponseCreateParamsStreaming;
type InputItem = OpenAI.Responses.ResponseInputItem;
type OutputItem = OpenAI.Responses.ResponseOutputItem;
type Reasoning = OpenAI.Responses.ResponseReasoningItem;

const leastTokens = 16;

/** Nothing is stored there: each request has the whole conversation, with the reasoning in it encrypted. */
export async function askResponses(client: OpenAI, request: ModelRequest, wire: Wire): Promise<ModelResponse> {
  const ask = (conversation: ModelRequest) =>
    wire.quirks.send(
      () => requestBody(conversation, wire),
      wire.settings.extraBody,
      (body) => client.responses.create(body, { signal: request.signal }),
    );
  const stream = await ask(request).catch((error: unknown) => {
    // The keys change after some time, and a conversation may be older.
    if ((error as { code?: unknown }).code !== 'invalid_encrypted_content') throw error;
    wire.quirks.tell('cannot read the reasoning in earlier replies any more: left out');
    return ask({ ...request, messages: request.messages.map(withoutReasoning) });
  });
  return readStream(stream, request, wire.endpoint);
}

function requestBody(
  request: ModelRequest,
  { settings: { model, temperature, maxTokens, effort, capabilities }, quirks }: Wire,
): Body {
  const written = writtenSchema(request, capabilities, quirks);
  const { messages, images, tools, toolChoice = 'auto' } = toldRequest(request, quirks, written);
  const reasons = capabilities.efforts.length > 0;
  return {
    model,
    input: toResponsesInput(messages, model, images),
    ...(written && { text: { format: { type: 'json_schema', ...written } } }),
    // Tools that may not be used stay where they are, since the cached prefix begins with them.
    ...(tools.length > 0 && {
      tools: toResponsesTools(tools, capabilities.strictSchemas),
      tool_choice: written ? 'none' : toolChoiceOf(toolChoice, capabilities),
    }),
    ...(temperature !== undefined && { temperature }),
    ...(maxTokens !== undefined && { max_output_tokens: Math.max(leastTokens, maxTokens) }),
    // Without a summary a long thought looks like a dead connection.
    ...((reasons || effort !== undefined) && {
      reasoning: { ...(effort && { effort }), ...(reasons && effort !== 'none' && { summary: 'auto' }) },
    }),
    // Models that do not reason refuse to encrypt what they do not have.
    ...(reasons && { include: ['reasoning.encrypted_content'] }),
    store: false,
    stream: true,
  };
}

function toolChoiceOf(wanted: ToolChoice, { forcedTools }: Capabilities): NonNullable<Body['tool_choice']> {
  const choice = choiceOf(wanted, forcedTools);
  return typeof choice === 'string' ? choice : { type: 'function', name: choice.only };
}

async function readStream(
  stream: AsyncIterable<OpenAI.Responses.ResponseStreamEvent>,
  request: ModelRequest,
  endpoint: Endpoint,
): Promise<ModelResponse> {
  const done: OutputItem[] = [];
  let text = '';
  let end: OpenAI.Responses.Response | undefined;
  for await (const event of stream) {
    switch (event.type) {
      case 'response.output_text.delta':
        text += textOf(event.delta);
        request.onDelta(textOf(event.delta));
        break;
      case 'response.reasoning_text.delta':
      case 'response.reasoning_summary_text.delta':
        request.onDelta('', textOf(event.delta).length);
        break;
      case 'response.refusal.delta':
      case 'response.function_call_arguments.delta':
        request.onDelta(textOf(event.delta));
        break;
      case 'response.output_item.done':
        done.push(event.item);
        if (done.length > maxItems) throw replyTooLarge(endpoint, `more than ${maxItems} items`);
        break;
      case 'error':
        throw responseFailed(event, endpoint);
      case 'response.completed':
      case 'response.incomplete':
      case 'response.failed':
        end = event.response;
    }
  }
  // An aborted stream ends like one that is complete.
  request.signal.throwIfAborted();
  if (end === undefined) throw streamCut(endpoint);
  if (end.status === 'failed') throw responseFailed(end.error, endpoint);
  // Compatible servers leave the items out of the end, or stream no items, or nothing but text.
  const output = (end.output as OutputItem[] | undefined) ?? [];
  const { message, refusal } = toMessage(
    output.length < done.length ? done : output,
    text,
    endpoint.model,
    request.messages,
  );
  const why = end.incomplete_details?.reason;
  if (why === 'content_filter' || (refusal !== '' && message.content === refusal && !message.toolCalls))
    throw contentRefused(endpoint, refusal);
  const counted = {
    inputTokens: end.usage?.input_tokens ?? NaN,
    cachedInputTokens: end.usage?.input_tokens_details?.cached_tokens ?? 0,
    outputTokens: end.usage?.output_tokens ?? NaN,
  };
  const finish: Finish = message.toolCalls ? 'tool_calls' : 'stop';
  return {
    message,
    finish: why === undefined && end.status !== 'incomplete' ? finish : 'length',
    usage: counted,
    model: end.model,
  };
}

/** More than any model puts into one reply; a stream with more of them is out of order. */
const maxItems = 1000;

/** In order. The texts of calls are those of the message. */
type Part =
  | Pick<Reasoning, 'type' | 'id' | 'summary' | 'content' | 'encrypted_content'>
  | { type: 'message'; content: string; phase?: 'commentary' | 'final_answer' }
  | { type: 'function_call'; call_id: string };

const responsesWire = 'responses';

/** Reasoning is of use to the model alone that wrote it. */
interface OpaqueData {
  model: string;
  parts: Part[];
}

function toMessage(items: OutputItem[], streamed: string, model: string, conversation: Message[]) {
  const collected = new StreamedCalls();
  for (const item of items) {
    if (item.type !== 'function_call') continue;
    collected.add({ index: collected.count, id: item.call_id, function: item });
  }
  const { calls } = collected.finish(conversation);
  let refusal = '';
  let called = 0;
  const parts = items.flatMap((item): Part[] => {
    if (item.type === 'reasoning') return reasoningOf(item);
    if (item.type === 'function_call') return [{ type: item.type, call_id: calls[called++]?.id ?? '' }];
    if (item.type !== 'message') return [];
    const texts = (item.content ?? []).map((part) => (part.type === 'refusal' ? part.refusal : part.text));
    refusal += (item.content ?? []).map((part) => (part.type === 'refusal' ? part.refusal : '')).join('');
    const text = texts.join('');
    return text === '' ? [] : [{ type: item.type, content: text, ...(item.phase && { phase: item.phase }) }];
  });
  const content = parts.map((part) => (part.type === 'message' ? part.content : '')).join('');
  const isPlain = parts.every((part) => part.type !== 'reasoning' && !('phase' in part));
  const opaque = { wire: responsesWire, data: { model, parts } satisfies OpaqueData };
  const message: AssistantMessage = {
    role: 'assistant',
    content: items.length === 0 ? streamed : content,
    ...(calls.length > 0 && { toolCalls: calls }),
    ...(!isPlain && { opaque }),
  };
  return { message, refusal };
}

/** One without its content is known to nobody, since nothing is stored. */
function reasoningOf({ type, id, summary, content, encrypted_content }: Reasoning): Part[] {
  if (!encrypted_content && !content?.length) return [];
  const kept = { ...(content?.length && { content }), ...(encrypted_content && { encrypted_content }) };
  return [{ type, id, summary: summary ?? [], ...kept }];
}

function withoutReasoning(message: Message): Message {
  if (message.role !== 'assistant') return message;
  const { opaque: _, ...rest } = message;
  return rest;
}

export function toResponsesInput(messages: Message[], model: string, images: LoadedImages = new Map()): InputItem[] {
  return messages.flatMap((message): InputItem[] => {
    if (message.role === 'assistant') return fromAssistant(message, model);
    if (message.role === 'user') return [{ role: 'user', content: toContent(message, images) }];
    if (message.role === 'system') return [{ role: 'system', content: message.content }];
    return [{ type: 'function_call_output', call_id: message.callId, output: toContent(message, images) }];
  });
}

/** Results of tools may be parts as well (`ResponseFunctionCallOutputItemList`). */
function toContent({ content, images: refs = [] }: { content: string; images?: ImageRef[] }, images: LoadedImages) {
  if (refs.length === 0) return content;
  return [
    ...(content === '' ? [] : [{ type: 'input_text' as const, text: content }]),
    ...refs.map((ref) => ({
      type: 'input_image' as const,
      detail: 'auto' as const,
      image_url: `data:${ref.mediaType};base64,${imageData(images, ref)}`,
    })),
  ];
}

function fromAssistant(message: AssistantMessage, model: string): InputItem[] {
  const { content, toolCalls = [], opaque } = message;
  const data = opaque?.wire === responsesWire ? (opaque.data as OpaqueData) : undefined;
  const known: Part[] = data?.model === model ? data.parts : [{ type: 'message', content }];
  const isKnown = (id: string): boolean => known.some((part) => part.type === 'function_call' && part.call_id === id);
  // A call that the model has written as text is none of what it sent.
  const others = toolCalls.filter(({ id }) => !isKnown(id));
  const parts: Part[] = [...known, ...others.map(({ id }) => ({ type: 'function_call' as const, call_id: id }))];
  const end = parts.findLastIndex(({ type }) => type !== 'reasoning');
  // The API refuses reasoning that leads to nothing, as a reply has it that was cut.
  return parts.slice(0, end + 1).flatMap((part): InputItem[] => {
    if (part.type === 'reasoning') return [part];
    if (part.type === 'function_call') return toolCalls.filter(({ id }) => id === part.call_id).map(toCall);
    return part.content === '' ? [] : [{ ...part, role: 'assistant' }];
  });
}

const toCall = ({ id, name, arguments: text }: ToolCall): InputItem => ({
  type: 'function_call',
  call_id: id,
  name,
  arguments: readableArguments(text),
});

function toResponsesTools(tools: ToolSpec[], isStrict: boolean): OpenAI.Responses.FunctionTool[] {
  return tools.map(({ name, description, parameters }) => {
    const strict = isStrict ? strictSchema(parameters) : undefined;
    return {
      type: 'function',
      name,
      description,
      parameters: strict ?? { ...parameters },
      strict: strict !== undefined,
    };
  });
}
