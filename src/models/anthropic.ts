import type Anthropic from '@anthropic-ai/sdk';
import {
  callsIn,
  type AssistantMessage,
  type ImageRef,
  type Message,
  type ToolSpec,
  type UserMessage,
} from '../protocol/message.ts';
import type { ToolChoice } from '../protocol/model-call.ts';
import { anthropicWire, inputOf, readStream, type KeptBlocks } from './anthropic-stream.ts';
import { bindingBeta, effortParameter, isUnasked, thinkingParameter } from './claude-thinking.ts';
import { toldRequest } from './told-tools.ts';
import { choiceOf, writtenSchema } from './written-schema.ts';
import { isObject } from '../util/values.ts';
import { imageData, type LoadedImages, type ModelRequest, type ModelResponse, type Wire } from './model.ts';

/** In tokens. The API requires a limit, thoughts included. */
const defaultMaxTokens = 16_000;

export async function askAnthropic(client: Anthropic, request: ModelRequest, wire: Wire): Promise<ModelResponse> {
  const stream = await wire.quirks.send(
    () => requestBody(request, wire),
    wire.settings.extraBody,
    (body) =>
      client.messages.create(body as Anthropic.MessageCreateParamsStreaming, {
        signal: request.signal,
        ...(isBinding(body) && { headers: { 'anthropic-beta': bindingBeta } }),
      }),
  );
  return readStream(stream, request, wire.endpoint);
}

type Body = Omit<Anthropic.MessageCreateParamsStreaming, 'thinking'> & {
  thinking?: Anthropic.Beta.BetaThinkingConfigParam;
};

const isBinding = ({ thinking }: Body): boolean => thinking !== undefined && 'block_binding' in thinking;

function requestBody(request: ModelRequest, { settings, quirks }: Wire): Body {
  const { model, temperature, maxTokens = defaultMaxTokens, effort, capabilities } = settings;
  const written = writtenSchema(request, capabilities, quirks);
  const { messages, images, tools, toolChoice } = toldRequest(request, quirks, written);
  const { system, messages: params } = toAnthropicConversation(messages, images, model);
  const offered = toAnthropicTools(tools, messages, capabilities.strictSchemas);
  const thinking = thinkingParameter(model, effort, capabilities.outputTokens);
  const isThinking = thinking === undefined ? isUnasked(model) : thinking.type !== 'disabled';
  const budget = thinking?.type === 'enabled' ? thinking.budget_tokens : 0;
  const led = isThinking && budget === 0 ? effortParameter(effort) : undefined;
  return {
    model,
    // A budget for thoughts is part of the limit, which is to stay the limit of the reply.
    max_tokens: Math.min(maxTokens + budget, capabilities.outputTokens),
    ...(system.length > 0 && { system }),
    messages: params,
    ...(offered.length > 0 && {
      tools: offered,
      tool_choice: toolChoiceOf(
        tools.length > 0 && !written ? toolChoice : 'none',
        capabilities.forcedTools && !isThinking,
      ),
    }),
    ...(thinking !== undefined && { thinking }),
    ...((led ?? written) !== undefined && {
      output_config: {
        ...(led !== undefined && { effort: led }),
        ...(written && { format: { type: 'json_schema' as const, schema: written.schema } }),
      },
    }),
    ...(temperature !== undefined && !isThinking && { temperature }),
    // The provider marks the last block itself. A mark of ours would change earlier messages from call to call.
    cache_control: { type: 'ephemeral' },
    stream: true,
  };
}

/** The API refuses to demand a call while a model thinks. */
function toolChoiceOf(wanted: ToolChoice | undefined, canForce: boolean): Anthropic.ToolChoice {
  const choice = choiceOf(wanted, canForce);
  if (typeof choice === 'object') return { type: 'tool', name: choice.only };
  return { type: choice === 'required' ? 'any' : choice };
}

type Param = Anthropic.MessageParam;
type Block = Anthropic.ContentBlockParam;

/**
 * Leading system messages become `system`, whose last block ends the prefix that all calls of an agent share; later
 * ones become the user's. Nothing but the results of one reply's calls is merged, since a longer conversation must
 * begin with the same bytes: a thought is valid only behind those that it was made behind.
 * @param model gets only its own thoughts back; absent: whoever made them
 */
export function toAnthropicConversation(messages: Message[], images: LoadedImages = new Map(), model?: string) {
  const firstOther = messages.findIndex(({ role }) => role !== 'system');
  const leading = firstOther === -1 ? messages : messages.slice(0, firstOther);
  const system = leading.flatMap(({ content }) => textBlocks(content));
  const last = system.at(-1);
  if (last !== undefined) last.cache_control = { type: 'ephemeral' };
  const rest = messages.slice(leading.length);
  const converted = rest.flatMap((message, index) => toParam(message, rest, index, images, model));
  return { system, messages: framed(converted) };
}

const userText = (text: string): Param => ({ role: 'user', content: [{ type: 'text', text }] });

/** The API wants a conversation to begin with the user, and newer models want it to end with the user, too. */
function framed(messages: Param[]): Param[] {
  return [
    ...(messages[0]?.role === 'user' ? [] : [userText('(The conversation begins.)')]),
    ...messages,
    ...(messages.at(-1)?.role === 'assistant' ? [userText('Continue.')] : []),
  ];
}

/** The API refuses texts that are empty or blank. */
const textBlocks = (text: string): Anthropic.TextBlockParam[] => (text.trim() === '' ? [] : [{ type: 'text', text }]);

function toParam(
  message: Message,
  all: Message[],
  index: number,
  images: LoadedImages,
  model: string | undefined,
): Param[] {
  switch (message.role) {
    case 'system':
      return [userText(`System instruction: ${message.content}`)];
    case 'user':
      return [{ role: 'user', content: toUserBlocks(message, images) }];
    case 'assistant':
      return [{ role: 'assistant', content: toBlocks(message, model) }];
    case 'tool':
      return all[index - 1]?.role === 'tool' ? [] : [{ role: 'user', content: resultsFrom(all, index, images) }];
  }
}

/** Puts images before the text, since Claude reads a question best after what it is about. */
const toUserBlocks = ({ content, images: refs = [] }: UserMessage, images: LoadedImages): Block[] =>
  orNote([...pictures(refs, images), ...textBlocks(content)], '(no text)');

const pictures = (refs: ImageRef[], images: LoadedImages): Anthropic.ImageBlockParam[] =>
  refs.map((ref) => ({
    type: 'image',
    source: {
      type: 'base64',
      media_type: ref.mediaType as Anthropic.Base64ImageSource['media_type'],
      data: imageData(images, ref),
    },
  }));

const orNote = (blocks: Block[], note: string): Block[] => (blocks.length > 0 ? blocks : textBlocks(note));

function resultsFrom(all: Message[], start: number, images: LoadedImages): Block[] {
  const results: Block[] = [];
  for (let index = start; ; index++) {
    const message = all[index];
    if (message?.role !== 'tool') return results;
    const text = message.content.trim() === '' ? '(no output)' : message.content;
    const shown = pictures(message.images ?? [], images);
    const content = shown.length === 0 ? text : [...textBlocks(text), ...shown];
    results.push({ type: 'tool_result', tool_use_id: toolId(message.callId), content });
  }
}

/** The API takes only these characters, and other providers' ids in the same conversation have others. */
const toolId = (id: string): string => id.replaceAll(/[^\w-]/g, '_');

function toBlocks({ content, toolCalls = [], opaque }: AssistantMessage, model: string | undefined): Block[] {
  const kept = opaque?.wire === anthropicWire ? toKeptBlocks(opaque.data as KeptBlocks, model) : undefined;
  const known = (kept ?? []).flatMap((block) => (block.type === 'tool_use' ? block.id : []));
  // A call that the model has written as text is none of the blocks.
  const calls = toolCalls
    .filter(({ id }) => !known.includes(toolId(id)))
    .map(({ id, name, arguments: text }): Block => ({
      type: 'tool_use',
      id: toolId(id),
      name,
      input: inputOf(text),
    }));
  return kept === undefined ? orNote([...textBlocks(content), ...calls], '(no reply)') : [...kept, ...calls];
}

const isThought = ({ type }: Block): boolean => type === 'thinking' || type === 'redacted_thinking';

function toKeptBlocks({ model: maker, blocks }: KeptBlocks, model: string | undefined): Block[] {
  const isForeign = model !== undefined && maker !== model;
  const sent = blocks
    .filter((block) => !(isForeign && isThought(block)) && !isBlank(block))
    .map((block) => (block.type === 'tool_use' ? { ...block, id: toolId(block.id) } : block));
  const last = sent.at(-1);
  // The API refuses a message that has no content, or ends with a thought.
  return last === undefined || isThought(last) ? [...sent, ...textBlocks('(no reply)')] : sent;
}

const isBlank = (block: Block): boolean => block.type === 'text' && block.text.trim() === '';

function toAnthropicTools(tools: ToolSpec[], messages: Message[], canBeStrict: boolean): Anthropic.Tool[] {
  if (tools.length > 0) {
    const strict = canBeStrict ? strictOnes(tools) : [];
    return tools.map((tool) => {
      const { name, description, parameters } = tool;
      const isStrict = strict.includes(tool);
      return {
        name,
        ...(description.trim() !== '' && { description }),
        input_schema: {
          ...parameters,
          required: parameters.required ?? [],
          ...(isStrict && { additionalProperties: false }),
        },
        ...(isStrict && { strict: true }),
      };
    });
  }
  const used = messages.flatMap(callsIn).map(({ name }) => name);
  return [...new Set(used)].map((name) => ({ name, input_schema: { type: 'object' } }));
}

/** The schemas of strict tools are compiled into one grammar, whose size is limited as well. */
const maxStrict = 20;

/** Less than the API takes: values, flat, with choices or lists of them. */
const strictKeywords = new Set(['type', 'description', 'enum', 'const', 'items', 'title']);

/**
 * Those with plain parameters, such as the workflow's own. The API refuses limits of lengths and numbers, and whole
 * requests whose grammar is too large: alphaXiv/agents#49,
 * https://platform.claude.com/docs/en/build-with-claude/structured-outputs.
 */
function strictOnes(tools: ToolSpec[]): ToolSpec[] {
  const plain = tools.filter(({ parameters }) => {
    const { properties, required = [], additionalProperties: isOpen, ...rest } = parameters;
    const names = Object.keys(properties);
    if (isOpen === true || Object.keys(rest).some((key) => !strictKeywords.has(key))) return false;
    return names.every((name) => required.includes(name) && isPlain(properties[name]));
  });
  return plain.slice(0, maxStrict);
}

function isPlain(schema: unknown): boolean {
  if (!isObject(schema)) return false;
  const { type, items } = schema;
  if (typeof type !== 'string' || type === 'object') return false;
  return Object.keys(schema).every((key) => strictKeywords.has(key)) && (items === undefined || isPlain(items));
}
