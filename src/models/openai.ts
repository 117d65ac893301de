import type OpenAI from 'openai';
import type { AssistantMessage, ImageRef, Message, ToolSpec, UserMessage } from '../protocol/message.ts';
import type { Finish, ToolChoice } from '../protocol/model-call.ts';
import type { Capabilities } from '../config/models/model-capabilities.ts';
import { contentRefused, replyTooLarge, serverFailed, streamCut, type Endpoint } from './failures.ts';
import {
  imageData,
  readableArguments,
  type LoadedImages,
  type ModelRequest,
  type ModelResponse,
  type Wire,
} from './model.ts';
import { maxCalls, StreamedCalls, textOf, type CallPiece } from './streamed-calls.ts';
import { strictSchema } from './strict-schema.ts';
import { RepetitionWatch } from '../workflows/agent/repetition.ts';
import { oneSystemMessage } from './plain-roles.ts';
import { partThought, SaidPieces, StreamedThought, thoughtFields, type ThoughtFields } from './thoughts.ts';
import { toldRequest } from './told-tools.ts';
import { choiceOf, usable, writtenSchema } from './written-schema.ts';

/** Also behind the many servers that speak https://platform.openai.com/docs/api-reference/chat more or less. */
export async function askChat(client: OpenAI, request: ModelRequest, wire: Wire): Promise<ModelResponse> {
  return wire.quirks.send(
    () => requestBody(request, wire),
    wire.settings.extraBody,
    // LocalAI and some gateways refuse a request as the first event of its stream.
    async (body) => {
      const stream = await client.chat.completions.create(body, { signal: request.signal });
      return readStream(stream, request, wire.endpoint);
    },
  );
}

function requestBody(
  request: ModelRequest,
  { settings: { model, temperature, maxTokens, effort, capabilities }, quirks, endpoint }: Wire,
): OpenAI.ChatCompletionCreateParamsStreaming {
  const written = writtenSchema(request, capabilities, quirks);
  const { messages, images, tools, toolChoice = 'auto' } = toldRequest(request, quirks, written);
  // Weak models imitate tools that they may not use, so these are left out, except where the server wants them defined.
  const offered = toolChoice === 'none' && !quirks.wantsTools ? [] : usable(tools, toolChoice);
  // A model that takes no temperature reasons, and its limit, which includes the reasoning, has the newer name.
  const limit = capabilities.temperature === null ? 'max_completion_tokens' : 'max_tokens';
  return {
    model,
    // OpenAI's own models take all, and a server in its place says so if it does not.
    messages: toOpenaiMessages(endpoint.provider === 'openai' ? messages : oneSystemMessage(messages), images),
    // Servers take no tools beside a schema, or do not hold to it then.
    ...(written && { response_format: { type: 'json_schema', json_schema: written } }),
    ...(offered.length > 0 &&
      written === undefined && {
        tools: toOpenaiTools(offered, capabilities.strictSchemas),
        tool_choice: toolChoiceOf(toolChoice, capabilities),
      }),
    ...(temperature !== undefined && { temperature }),
    ...(maxTokens !== undefined && { [limit]: maxTokens }),
    ...(effort !== undefined && { reasoning_effort: effort }),
    stream: true,
    stream_options: { include_usage: true },
  };
}

function toolChoiceOf(wanted: ToolChoice, { forcedTools }: Capabilities): OpenAI.ChatCompletionToolChoiceOption {
  const choice = choiceOf(wanted, forcedTools);
  return typeof choice === 'string' ? choice : { type: 'function', function: { name: choice.only } };
}

/** With what compatible servers add. Nothing in it can be relied upon. */
type Delta = {
  content?: unknown;
  refusal?: unknown;
  tool_calls?: CallPiece[] | null;
  /** The calls of servers that have not moved on from functions. */
  function_call?: CallPiece['function'];
};

async function readStream(
  stream: AsyncIterable<OpenAI.ChatCompletionChunk>,
  request: ModelRequest,
  endpoint: Endpoint,
): Promise<ModelResponse> {
  let content = '';
  let recent = '';
  let refusal = '';
  let reason: string | undefined;
  let usage: OpenAI.CompletionUsage | undefined;
  let replied: string | undefined;
  const calls = new StreamedCalls();
  const streamed = new StreamedThought();
  const repetition = new RepetitionWatch();
  const saidPieces = new SaidPieces();
  for await (const chunk of stream) {
    usage = chunk.usage ?? usage;
    replied = chunk.model ?? replied;
    const choice = chunk.choices?.[0];
    reason = choice?.finish_reason ?? reason;
    const delta = (choice?.delta ?? {}) as Delta;
    const thoughts = streamed.add(delta);
    const text = [delta.content].flat().map(textIn).join('');
    const refused = textOf(delta.refusal);
    content += text;
    refusal += refused;
    const pieces = [...(delta.tool_calls ?? []), ...(delta.function_call ? [{ function: delta.function_call }] : [])];
    const written = pieces.map((piece) => calls.add(piece));
    if (calls.count > maxCalls) throw replyTooLarge(endpoint, `more than ${maxCalls} tool calls`);
    const said = saidPieces.add(text);
    request.onDelta([said, refused, ...written].join(''), thoughts + text.length - said.length);
    // The text itself is put together only when it is looked at, which takes long where that is at each piece.
    recent += text;
    const end = turnBegins.test(recent) ? nextTurn(content) : undefined;
    recent = recent.slice(-longestMark);
    if (end !== undefined) {
      content = content.slice(0, end).trimEnd();
      reason = 'stop';
      break;
    }
    // A small model may go on like that to the limit of its context, for minutes. It counts as cut off there.
    if (repetition.add([text, refused, ...written].join(''))) {
      reason = 'length';
      break;
    }
  }
  // An aborted stream ends like one that is complete.
  request.signal.throwIfAborted();
  content = withoutEndOfTurn(content);
  if (reason === undefined && (calls.isCut || (content === '' && calls.count === 0))) throw streamCut(endpoint);
  const finish = finishOf(reason, calls.count > 0);
  if (finish === 'refused' || (refusal !== '' && content === '' && calls.count === 0))
    throw contentRefused(endpoint, refusal);
  if (finish === 'failed') throw serverFailed(endpoint, `the reply ended with "${reason}"`);
  const { calls: toolCalls, extra } = calls.finish(request.messages);
  const { said, thought } = partThought(content, finish === 'length');
  const message: AssistantMessage = {
    role: 'assistant',
    content: said + refusal,
    ...(toolCalls.length > 0 && { toolCalls }),
    ...opaqueOf({ ...streamed.thought, extra, ...(thought !== '' && { thought }) }),
  };
  const counted = {
    inputTokens: usage?.prompt_tokens ?? NaN,
    cachedInputTokens: usage?.prompt_tokens_details?.cached_tokens ?? 0,
    outputTokens: writtenIn(usage),
  };
  return { message, finish, usage: counted, model: replied };
}

/** The tokens that were written, thoughts included: Gemini and xAI count those in the sum alone. */
function writtenIn(usage?: OpenAI.CompletionUsage): number {
  const { completion_tokens: written = NaN, prompt_tokens: read, total_tokens: all } = usage ?? {};
  const rest = Number(all) - Number(read);
  return rest > written ? rest : written;
}

/** Mistral sends texts in parts, beside thoughts. */
const textIn = (part: unknown): string => textOf((part as { text?: unknown } | null | undefined)?.text ?? part);

const turnBegins = /<\|im_start\|>|<start_of_turn>/;
const betweenTurns = /<\|im_end\|>\s*<\|im_start\|>|<end_of_turn>\s*<start_of_turn>/;

/** In characters, a mark and the piece that ends it. */
const longestMark = 100;

/** As a model writes it whose template has another one. */
const endsOfTurns = ['<|im_end|>', '<end_of_turn>'];

function withoutEndOfTurn(text: string): string {
  const said = text.trimEnd();
  const mark = endsOfTurns.find((each) => said.endsWith(each));
  return mark === undefined ? text : said.slice(0, -mark.length).trimEnd();
}

/** A base model does not know its own end, and goes on as the other one. In code it is what somebody has asked for. */
function nextTurn(text: string): number | undefined {
  const end = betweenTurns.exec(text)?.index;
  return end === undefined || text.slice(0, end).includes('`') ? undefined : end;
}

/**
 * Not whole, in the order in which they are looked for: Gemini's `function_call_filter: MALFORMED_FUNCTION_CALL`,
 * DeepSeek's `insufficient_system_resource`, Z.AI's `network_error` and `sensitive`, vLLM's `abort`, and those of APIs
 * which gateways hand on.
 */
const endings: Array<[RegExp, Finish | 'refused' | 'failed']> = [
  [/malformed|error|abort|insufficient/, 'failed'],
  [/filter|safety|refusal|sensitive|guardrail|prohibited|recitation|blocklist/, 'refused'],
  [/length|max_tokens|context_window/, 'length'],
];

/** Without a reason it is complete: the stream has ended as it should. */
const finishOf = (reason = '', hasCalls: boolean): Finish | 'refused' | 'failed' =>
  endings.find(([words]) => words.test(reason.toLowerCase()))?.[1] ??
  (hasCalls || callsReason.test(reason) ? 'tool_calls' : 'stop');

/** A reply that ends for calls may have lost them on its way. */
const callsReason = /^(?:tool_calls?|function_call|tool_use)$/i;

interface OpaqueData extends ThoughtFields {
  /** Extra fields of tool calls by call id, such as Gemini's thought signatures. */
  extra: Record<string, unknown>;
  /** What stood before the text, marks included. It goes back there: templates leave it out, or want it (MiniMax). */
  thought?: string;
}

const chatWire = 'chat';

const noReply = '(no reply)';

function opaqueOf(data: OpaqueData): Pick<AssistantMessage, 'opaque'> {
  const { extra, ...thoughts } = data;
  if (Object.keys({ ...extra, ...thoughts }).length === 0) return {};
  return { opaque: { wire: chatWire, data } };
}

const opaqueIn = ({ opaque }: AssistantMessage): OpaqueData =>
  opaque?.wire === chatWire ? (opaque.data as OpaqueData) : { extra: {} };

type Param = OpenAI.ChatCompletionMessageParam;

/**
 * One by one, so a longer conversation begins with the same bytes. Results of tools are only texts there, so that
 * images of one reply's tools follow behind its last result, as a message of the user.
 */
export function toOpenaiMessages(messages: Message[], images: LoadedImages = new Map()): Param[] {
  let shown: ImageRef[] = [];
  return messages.flatMap((message, index): Param[] => {
    if (message.role === 'assistant') return [toAssistant(message)];
    if (message.role === 'user') return [{ role: 'user', content: toUserContent(message, images) }];
    if (message.role !== 'tool') return [{ role: message.role, content: message.content }];
    const result: Param = { role: 'tool', tool_call_id: message.callId, content: message.content };
    shown = [...shown, ...(message.images ?? [])];
    if (shown.length === 0 || messages[index + 1]?.role === 'tool') return [result];
    const content = toUserContent({ role: 'user', content: fromTools, images: shown }, images);
    shown = [];
    return [result, { role: 'user', content }];
  });
}

const fromTools = '(What the tools above have shown, in the order of their results:)';

function toUserContent({ content, images: refs = [] }: UserMessage, images: LoadedImages) {
  if (refs.length === 0) return content;
  return [
    ...(content === '' ? [] : [{ type: 'text' as const, text: content }]),
    ...refs.map((ref) => ({
      type: 'image_url' as const,
      image_url: { url: `data:${ref.mediaType};base64,${imageData(images, ref)}` },
    })),
  ];
}

function toAssistant(message: AssistantMessage): Param {
  const { toolCalls = [] } = message;
  const { extra, thought = '', ...thoughts } = opaqueIn(message);
  const content = thought + message.content;
  return {
    role: 'assistant',
    // Kimi refuses a message that says nothing.
    content: content.trim() !== '' ? content : toolCalls.length > 0 ? null : noReply,
    ...thoughtFields(thoughts),
    ...(toolCalls.length > 0 && {
      tool_calls: toolCalls.map(({ id, name, arguments: text }) => ({
        id,
        type: 'function',
        function: { name, arguments: readableArguments(text) },
        ...(extra[id] !== undefined && { extra_content: extra[id] }),
      })),
    }),
  };
}

function toOpenaiTools(tools: ToolSpec[], isStrict: boolean): OpenAI.ChatCompletionFunctionTool[] {
  return tools.map(({ name, description, parameters }) => {
    const strict = isStrict ? strictSchema(parameters) : undefined;
    return {
      type: 'function',
      function: { name, description, parameters: strict ?? { ...parameters }, ...(strict && { strict: true }) },
    };
  });
}
