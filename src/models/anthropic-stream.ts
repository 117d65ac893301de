import type Anthropic from '@anthropic-ai/sdk';
import { callsIn, type AssistantMessage, type ToolCall } from '../protocol/message.ts';
import type { Finish } from '../protocol/model-call.ts';
import { contentRefused, replyTooLarge, streamCut, type Endpoint } from './failures.ts';
import { readableArguments, type ModelRequest, type ModelResponse } from './model.ts';
import { textOf } from './streamed-calls.ts';
import { isObject } from '../util/values.ts';

export const anthropicWire = 'anthropic';

/** A reply's blocks, kept because thinking must be sent back unchanged and between the same blocks. */
export interface KeptBlocks {
  /** The model that has made them. Only it gets its thinking back: each model reads only some others' thoughts. */
  model: string;
  blocks: Anthropic.ContentBlockParam[];
}

type Event = Anthropic.RawMessageStreamEvent;

const maxBlocks = 1000;

/** `json` collects the arguments of a tool call as the model writes them. */
interface GrowingBlock {
  block: Anthropic.ContentBlock;
  json: string;
}

export async function readStream(
  stream: AsyncIterable<Event>,
  request: ModelRequest,
  endpoint: Endpoint,
): Promise<ModelResponse> {
  const blocks: GrowingBlock[] = [];
  // Some gateways repeat an index, or count from 1 or from 4294967290. A start begins a block whatever its index is.
  const growing = new Map<number, GrowingBlock>();
  let counted: Partial<Anthropic.MessageDeltaUsage> = {};
  let replied: string | undefined;
  let reason: Anthropic.StopReason | null = null;
  let isWhole = false;
  let words = '';
  let dropped = 0;
  for await (const event of stream) {
    if (event.type === 'message_start') {
      counted = withoutNulls(event.message?.usage);
      replied = event.message?.model;
      dropped = droppedIn(event.message);
    } else if (event.type === 'content_block_start') {
      const block = { block: { ...event.content_block }, json: '' };
      blocks.push(block);
      growing.set(event.index, block);
      if (blocks.length > maxBlocks) throw replyTooLarge(endpoint, `more than ${maxBlocks} blocks`);
    } else if (event.type === 'content_block_delta') {
      const block = growing.get(event.index);
      if (block !== undefined) request.onDelta(grow(block, event.delta), thoughtIn(event.delta));
    } else if (event.type === 'message_delta') {
      reason = event.delta?.stop_reason ?? reason;
      words = event.delta?.stop_details?.explanation ?? '';
      // The counts of this event are those of the whole message. A null stands for one that has not changed.
      counted = { ...counted, ...withoutNulls(event.usage) };
    } else if (event.type === 'message_stop') {
      isWhole = true;
    }
  }
  // An aborted stream ends like one that is complete.
  request.signal.throwIfAborted();
  if (reason === null && !isWhole) throw streamCut(endpoint);
  if (reason === 'refusal') throw contentRefused(endpoint, words);
  const message = toMessage(blocks, request, endpoint.model);
  const cached = counted.cache_read_input_tokens ?? 0;
  const usage = {
    inputTokens: (counted.input_tokens ?? NaN) + cached + (counted.cache_creation_input_tokens ?? 0),
    cachedInputTokens: cached,
    outputTokens: counted.output_tokens ?? NaN,
  };
  return {
    message,
    finish: finishOf(reason, message),
    usage,
    model: replied,
    ...(dropped > 0 && { notices: [droppedNotice(endpoint, dropped)] }),
  };
}

const droppedNotice = ({ provider, model }: Endpoint, count: number): string =>
  `${provider} ${model}: ${count} thinking blocks were left out, since the conversation before them has changed`;

function droppedIn(message: object | undefined): number {
  const { input_transformations } = (message ?? {}) as Partial<Anthropic.Beta.BetaMessage>;
  return (input_transformations ?? []).filter(({ type }) => type === 'thinking_dropped').length;
}

const withoutNulls = (usage: object | undefined): object =>
  Object.fromEntries(Object.entries(usage ?? {}).filter(([, value]) => value !== null && value !== undefined));

function grow(growing: GrowingBlock, delta: Anthropic.RawContentBlockDelta): string {
  const { block } = growing;
  if (delta.type === 'text_delta' && block.type === 'text') {
    const text = textOf(delta.text);
    block.text = textOf(block.text) + text;
    return text;
  }
  if (delta.type === 'input_json_delta') {
    const text = textOf(delta.partial_json);
    growing.json += text;
    return text;
  }
  if (delta.type === 'thinking_delta' && block.type === 'thinking')
    block.thinking = textOf(block.thinking) + textOf(delta.thinking);
  if (delta.type === 'signature_delta' && block.type === 'thinking') block.signature = delta.signature;
  return '';
}

const thoughtIn = (delta: Anthropic.RawContentBlockDelta): number =>
  delta.type === 'thinking_delta' ? textOf(delta.thinking).length : 0;

function toMessage(growing: GrowingBlock[], request: ModelRequest, model: string): AssistantMessage {
  const blocks = withOwnIds(growing, request);
  const toolCalls: ToolCall[] = blocks.flatMap(({ block, json }) =>
    block.type === 'tool_use' ? [{ id: block.id, name: block.name, arguments: argumentsOf(block, json) }] : [],
  );
  const content = blocks.map(({ block }) => (block.type === 'text' ? block.text : '')).join('');
  return { role: 'assistant', content, ...(toolCalls.length > 0 && { toolCalls }), ...opaqueOf(blocks, model) };
}

/** A gateway may repeat ids of calls, or have none; results are told apart by them. */
function withOwnIds(growing: GrowingBlock[], { messages }: ModelRequest): GrowingBlock[] {
  const taken = new Set(messages.flatMap(callsIn).map(({ id }) => id));
  return growing.map(({ block, json }, index) => {
    if (block.type !== 'tool_use') return { block, json };
    const id = block.id && !taken.has(block.id) ? block.id : `toolu_${messages.length}_${index}`;
    taken.add(id);
    return { block: { ...block, id }, json };
  });
}

/** A gateway may send a call's arguments whole with its start, and no pieces. */
function argumentsOf({ input }: Anthropic.ToolUseBlock, json: string): string {
  const isWhole = json === '' && isObject(input) && Object.keys(input).length > 0;
  return isWhole ? JSON.stringify(input) : json;
}

function opaqueOf(growing: GrowingBlock[], model: string): Pick<AssistantMessage, 'opaque'> {
  const blocks = growing.flatMap(({ block, json }): Anthropic.ContentBlockParam[] => {
    switch (block.type) {
      case 'tool_use':
        return [{ type: 'tool_use', id: block.id, name: block.name, input: inputOf(argumentsOf(block, json)) }];
      case 'text':
        return [{ type: 'text', text: block.text }];
      case 'thinking':
        // A thought that was cut off has no signature, and the API refuses one without.
        return block.signature === '' ? [] : [block];
      default:
        return [block];
    }
  });
  if (blocks.every(({ type }) => type === 'text' || type === 'tool_use')) return {};
  return { opaque: { wire: anthropicWire, data: { model, blocks } satisfies KeptBlocks } };
}

export const inputOf = (text: string): unknown => JSON.parse(readableArguments(text));

/** `pause_turn` is a reply that the provider has broken off and would go on with; it counts as cut for length. */
function finishOf(reason: Anthropic.StopReason | null, { toolCalls }: AssistantMessage): Finish {
  if (reason === 'max_tokens' || reason === 'model_context_window_exceeded' || reason === 'pause_turn') return 'length';
  return toolCalls === undefined && reason !== 'tool_use' ? 'stop' : 'tool_calls';
}
