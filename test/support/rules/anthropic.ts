import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { Problem } from './openai.ts';
import { parameterProblem, type AnthropicBody } from './anthropic-parameters.ts';
import { anthropicSchemaProblem } from './tool-schemas.ts';

// The rules of Anthropic's Messages API of November 2026. Each names the page or thread that it was read in, and answers
// in the API's own words where these were seen.

type Block = Record<string, unknown> & { type?: string };

/** What the server remembers of the thinking blocks that it got back. */
export interface ThinkingMemory {
  /** Where valid thinking came back, as `messages.1.content.0` of the request with this number. */
  kept: string[];
  /** Where thinking was left out, with the reason. */
  dropped: string[];
}

/** The models that check the prefix (https://platform.claude.com/docs/en/build-with-claude/preserved-thinking/prefix-checks). */
const isBound = (model: string): boolean =>
  /^claude-(fable|mythos)-5-[12]$|^claude-(opus|sonnet|haiku)-5-5$/.test(model);

/** Why the API refuses a request; undefined if it takes it. */
export function anthropicProblem(
  body: AnthropicBody,
  memory: ThinkingMemory,
  headers: IncomingHttpHeaders = {},
): Problem | undefined {
  const message = parameterProblem(body, headers) ?? messagesProblem(body) ?? thinkingProblem(body, memory);
  return message === undefined ? undefined : { message };
}

function messagesProblem({ messages = [], model = '', tools = [], system = [] }: AnthropicBody): string | undefined {
  // https://platform.claude.com/docs/en/api/messages
  if (messages.length === 0) return 'messages: at least one message is required';
  if (messages[0]?.role !== 'user') return 'messages: first message must use the "user" role';
  // https://platform.claude.com/docs/en/build-with-claude/mid-conversation-system-messages: from Opus 4.8 on, behind a user's.
  const mayInstruct = (index: number): boolean => messages[index - 1]?.role === 'user' && /-4-8|-5/.test(model);
  const odd = messages.findIndex(
    ({ role }, index) => role !== 'user' && role !== 'assistant' && !(role === 'system' && mayInstruct(index)),
  );
  if (odd >= 0) return `messages.${odd}.role: Input should be 'user' or 'assistant'`;
  // From 4.6 on (https://platform.claude.com/docs/en/about-claude/models/whats-new-claude-4-6).
  if (messages.at(-1)?.role === 'assistant' && /-4-[6-9]|-5/.test(model)) {
    return 'This model does not support assistant message prefill. The conversation must end with a user message.';
  }
  // anthropics/claude-code#23440, #59812
  if ([...blocksOf(system), ...messages.flatMap(({ content }) => blocksOf(content))].some(isBlankText)) {
    return 'messages: text content blocks must contain non-whitespace text';
  }
  for (const [index, { role, content }] of messages.entries()) {
    const blocks = blocksOf(content);
    if (blocks.length === 0) return `messages.${index}: all messages must have non-empty content`;
    const last = blocks.at(-1)?.type;
    // tailcallhq/forgecode#2107
    if (role === 'assistant' && (last === 'thinking' || last === 'redacted_thinking')) {
      return `messages.${index}: The final block in an assistant message cannot be \`thinking\`.`;
    }
  }
  return anthropicSchemaProblem(tools) ?? toolBlocksProblem(messages, tools);
}

const blocksOf = (content: unknown): Block[] =>
  typeof content === 'string' ? [{ type: 'text', text: content }] : ((content ?? []) as Block[]);

function isBlankText({ type, text, content }: Block): boolean {
  if (type === 'text') return String(text).trim() === '';
  return type === 'tool_result' && (content === undefined || blocksOf(content).some(isBlankText));
}

function toolBlocksProblem(messages: NonNullable<AnthropicBody['messages']>, tools: object[]): string | undefined {
  const ids = new Set<unknown>();
  for (const [index, { role, content }] of messages.entries()) {
    const blocks = blocksOf(content);
    const used = blocks.filter(({ type }) => type === 'tool_use');
    const results = blocks.filter(({ type }) => type === 'tool_result');
    // BerriAI/litellm's `UnsupportedParamsError` quotes it: a conversation with tool blocks needs `tools`.
    if (used.length + results.length > 0 && tools.length === 0) {
      return 'Requests which have `tool_use` or `tool_result` blocks in `messages` must define `tools`.';
    }
    for (const { id, input } of used) {
      if (!/^[\w-]+$/.test(String(id))) return `messages.${index}: String should match pattern '^[a-zA-Z0-9_-]+$'`;
      if (ids.has(id)) return `messages.${index}: \`tool_use\` ids must be unique`;
      if (typeof input !== 'object' || Array.isArray(input)) {
        return `messages.${index}: Input should be a valid dictionary`;
      }
      ids.add(id);
    }
    // https://platform.claude.com/docs/en/agents-and-tools/tool-use/handle-tool-calls
    const before = index === 0 ? [] : blocksOf(messages[index - 1]?.content);
    const open = role === 'user' ? before.filter(({ type }) => type === 'tool_use').map(({ id }) => id) : [];
    const answered = blocks.slice(0, open.length).map(({ tool_use_id }) => tool_use_id);
    const missing = open.filter((id) => !answered.includes(id));
    if (missing.length > 0) {
      return `messages.${index - 1}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${missing.join(', ')}.`;
    }
    const unasked = results.find(({ tool_use_id }) => !open.includes(tool_use_id));
    if (unasked) {
      return `messages.${index}: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${String(unasked['tool_use_id'])}.`;
    }
  }
  return undefined;
}

/**
 * The signature of a thought: which model made it behind which prefix. Models without preserved thinking only sign.
 *
 * @param before the blocks of the same reply that come before it
 */
export function signatureFor(body: AnthropicBody, before: Block[], thinking: string): string {
  const { model = '', messages = [] } = body;
  if (!isBound(model)) return `signed ${thinking}`;
  return `bound ${model} ${prefixOf(body, messages, before)} ${hashOf(thinking)}`;
}

const hashOf = (value: unknown): string =>
  createHash('sha256').update(JSON.stringify(value)).digest('hex').slice(0, 12);

/** A prefix is the top-level `system`, `tools`, and all before the block. Marks for the cache are no part of it. */
function prefixOf({ system, tools }: AnthropicBody, messages: unknown[], before: Block[]): string {
  const whole = JSON.stringify([system, tools, messages, before], (key, value: unknown) =>
    key === 'cache_control' ? undefined : value,
  );
  return hashOf(whole);
}

/**
 * https://platform.claude.com/docs/en/build-with-claude/preserved-thinking: a thought of another model is left out without
 * a word; one behind another prefix is refused with all that follow it, or left out where the request says `drop_block`.
 * The words are those of anomalyco/opencode#48637.
 */
function thinkingProblem(body: AnthropicBody, memory: ThinkingMemory): string | undefined {
  const { model = '', messages = [], thinking } = body;
  let isStale = false;
  for (const [index, { content }] of messages.entries()) {
    for (const [place, block] of blocksOf(content).entries()) {
      if (block.type !== 'thinking') continue;
      const path = `messages.${index}.content.${place}`;
      const [kind, maker, prefix, text] = String(block['signature']).split(' ');
      const isOwn =
        kind === 'bound'
          ? text === hashOf(block['thinking'])
          : block['signature'] === `signed ${String(block['thinking'])}`;
      if (!isOwn) return `${path}: Invalid \`signature\` in \`thinking\` block`;
      if (kind === 'bound' && maker !== model) {
        memory.dropped.push(`${path}: model_binding_mismatch`);
        continue;
      }
      isStale ||=
        kind === 'bound' && prefix !== prefixOf(body, messages.slice(0, index), blocksOf(content).slice(0, place));
      if (!isStale) memory.kept.push(path);
      else if (thinking?.block_binding?.prefix_mismatch_behavior === 'drop_block') {
        memory.dropped.push(`${path}: prefix_binding_mismatch`);
      } else {
        return `${path}: Invalid \`signature\` in \`thinking\` block. The block is bound to a different conversation.`;
      }
    }
  }
  return undefined;
}
