import type { Effort } from '../../protocol/settings.ts';

export const efforts = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh'] as const satisfies Effort[];

/** What a model takes and gives, as far as requests depend on it. */
export interface Capabilities {
  /** The highest that it takes; null if it takes none. */
  temperature: number | null;
  /** Whether a request may force a tool call (`ToolChoice` `required`). */
  forcedTools: boolean;
  /** Whether its provider holds arguments to a tool's schema (`strict`). */
  strictSchemas: boolean;
  efforts: readonly Effort[];
  /** Of the whole conversation with the reply. */
  contextTokens: number;
  /** Of the longest reply. */
  outputTokens: number;
  images: boolean;
}

/**
 * What is assumed of a model that the table does not know: that it takes whatever its wire has, but for forced tools.
 * llama.cpp then lets text come first and forbids its end, so that a small model rambles on to the limit.
 */
const unknown: Capabilities = {
  temperature: 2,
  forcedTools: false,
  strictSchemas: false,
  efforts,
  contextTokens: 128_000,
  outputTokens: 16_000,
  images: true,
};

/** OpenAI's models that answer without reasoning (https://developers.openai.com/api/docs/models/gpt-4.1). */
const plain: Capabilities = {
  ...unknown,
  forcedTools: true,
  strictSchemas: true,
  efforts: [],
  outputTokens: 16_384,
};

/**
 * OpenAI's models that reason. They take a temperature only where reasoning is off, so they count as taking none
 * (https://developers.openai.com/api/docs/guides/deployment-checklist, khoj-ai/khoj#1377). Of their context a part is
 * for the reply, so the input ends at the difference.
 */
const reasoning: Capabilities = {
  ...plain,
  temperature: null,
  efforts: ['low', 'medium', 'high'],
  contextTokens: 400_000,
  outputTokens: 128_000,
};

/** From gpt-5.2 on (models.dev's `reasoning_options`); for gpt-5.6 the provider's own words: livekit/agents#7169. */
const fromNone: readonly Effort[] = ['none', 'low', 'medium', 'high', 'xhigh'];

/** GPT-6 Astra and 6.1 on cannot stop reasoning (BerriAI/litellm-docs#1173; OpenAI's guide "Using GPT-6"). */
const fromLow: readonly Effort[] = ['low', 'medium', 'high', 'xhigh'];

const million = { contextTokens: 1_050_000 };

/**
 * Claude before Opus 4.7. Without an explicit `thinking` these models do not think, so tools may be forced. An effort
 * stands for a number of tokens to think with (models/claude-thinking.ts).
 */
const claude: Capabilities = {
  ...unknown,
  forcedTools: true,
  temperature: 1,
  contextTokens: 200_000,
  outputTokens: 64_000,
};

/** Efforts from https://platform.claude.com/docs/en/build-with-claude/effort, schemas from its "Strict tool use". */
const claude46: Capabilities = {
  ...claude,
  strictSchemas: true,
  efforts: ['none', 'low', 'medium', 'high'],
  contextTokens: 1_000_000,
  outputTokens: 128_000,
};

/** Temperature is refused (inspect_ai#3721, pr-agent#2456). Thinking is off unless it is asked for. */
const claude47: Capabilities = { ...claude46, temperature: null, efforts: fromNone };

/**
 * Thinking is on by default in Claude 5 (promptfoo#10631), and in Opus 5.5 and Sonnet 5.5 always
 * (https://openrouter.ai/docs/cookbook/evaluate-and-optimize/model-migrations/claude-5-5), so tools cannot be forced.
 */
const claude5: Capabilities = { ...claude47, forcedTools: false };

/** On the compatible endpoint, which maps each effort to a thinking level or budget (https://ai.google.dev/gemini-api/docs/openai). */
const gemini: Capabilities = {
  ...unknown,
  forcedTools: true,
  efforts: ['minimal', 'low', 'medium', 'high'],
  contextTokens: 1_048_576,
  outputTokens: 65_536,
};

/**
 * What models can do, by the beginning of their names: a name belongs to the longest entry that it equals or goes on
 * from with a separator. Entries for whole generations stand for members that came later than this table. Limits are
 * those of https://models.dev unless said otherwise.
 */
const models: Record<string, Capabilities> = {
  'gpt-3.5': { ...plain, strictSchemas: false, contextTokens: 16_385, outputTokens: 4_096, images: false },
  'gpt-4': { ...plain, strictSchemas: false, contextTokens: 8_192, outputTokens: 8_192, images: false },
  'gpt-4-turbo': { ...plain, strictSchemas: false, outputTokens: 4_096 },
  'gpt-4o': plain,
  'gpt-4.1': { ...plain, contextTokens: 1_047_576, outputTokens: 32_768 },
  'gpt-oss': { ...unknown, efforts: ['low', 'medium', 'high'], outputTokens: 32_768, images: false },
  o1: { ...reasoning, contextTokens: 200_000, outputTokens: 100_000 },
  o3: { ...reasoning, contextTokens: 200_000, outputTokens: 100_000 },
  'o3-mini': { ...reasoning, contextTokens: 200_000, outputTokens: 100_000, images: false },
  'o4-mini': { ...reasoning, contextTokens: 200_000, outputTokens: 100_000 },
  'gpt-5': { ...reasoning, efforts: ['minimal', 'low', 'medium', 'high'] },
  'gpt-5-chat': { ...plain, contextTokens: 400_000 },
  'gpt-5-pro': { ...reasoning, efforts: ['high'] },
  'gpt-5.1': { ...reasoning, efforts: ['none', 'low', 'medium', 'high'] },
  'gpt-5.1-chat': { ...reasoning, efforts: ['medium'], contextTokens: 128_000, outputTokens: 16_384 },
  'gpt-5.2': { ...reasoning, efforts: fromNone },
  'gpt-5.2-chat': { ...reasoning, efforts: ['medium'], contextTokens: 128_000, outputTokens: 16_384 },
  'gpt-5.2-pro': { ...reasoning, strictSchemas: false, efforts: ['medium', 'high', 'xhigh'] },
  'gpt-5.3': { ...reasoning, efforts: fromLow },
  'gpt-5.3-chat': { ...plain, temperature: null },
  'gpt-5.4': { ...reasoning, efforts: fromNone, ...million },
  'gpt-5.4-mini': { ...reasoning, efforts: fromNone },
  'gpt-5.4-nano': { ...reasoning, efforts: fromNone },
  'gpt-5.4-pro': { ...reasoning, strictSchemas: false, efforts: ['medium', 'high', 'xhigh'], ...million },
  'gpt-5.5': { ...reasoning, efforts: fromNone, ...million },
  'gpt-5.5-pro': { ...reasoning, efforts: ['medium', 'high', 'xhigh'], ...million },
  'gpt-5.6': { ...reasoning, efforts: fromNone, ...million },
  // https://docs.litellm.ai/blog/gpt_6_sol_luna, https://vercel.com/ai-gateway/models/gpt-6.2-sol.md
  'gpt-6': { ...reasoning, efforts: fromNone, ...million },
  'gpt-6-astra': { ...reasoning, efforts: fromLow, ...million },
  'gpt-6.1': { ...reasoning, efforts: fromLow, ...million },
  'gpt-6.2': { ...reasoning, efforts: fromLow, ...million },

  'claude-3': { ...claude, efforts: [], outputTokens: 4_096 },
  'claude-3-5': { ...claude, efforts: [], outputTokens: 8_192 },
  'claude-3-7': claude,
  'claude-opus-4': { ...claude, outputTokens: 32_000 },
  'claude-sonnet-4': claude,
  'claude-haiku-4-5': { ...claude, strictSchemas: true },
  'claude-sonnet-4-5': { ...claude, strictSchemas: true },
  'claude-opus-4-5': { ...claude, strictSchemas: true },
  'claude-sonnet-4-6': { ...claude46, outputTokens: 64_000 },
  'claude-opus-4-6': claude46,
  'claude-opus-4-7': claude47,
  'claude-opus-4-8': claude47,
  'claude-opus-5': claude5,
  'claude-sonnet-5': claude5,
  'claude-haiku-5': claude5,
  // These never stop thinking, and neither do Fable, Mythos and whatever came later.
  'claude-opus-5-5': { ...claude5, efforts: fromLow },
  claude: { ...claude5, efforts: fromLow },

  // Among them gemini-3.1-pro-preview, the successor of gemini-3-pro-preview, which is shut down.
  gemini,
  'gemini-2.0': { ...gemini, efforts: [], outputTokens: 8_192 },
  // Only the Flash models of 2.5 can stop thinking.
  'gemini-2.5-flash': { ...gemini, efforts: ['none', ...gemini.efforts] },
  // Sampling parameters are deprecated from 3.6 on (https://ai.google.dev/gemini-api/docs/latest-model).
  'gemini-3.6': { ...gemini, temperature: null },
  'gemini-3.7': { ...gemini, temperature: null },
  'gemini-3.8': { ...gemini, temperature: null },
};

/** Routers write a family's version with either mark (`claude-opus-4.7`), and put a provider's name before it. */
const bare = (model: string): string => model.toLowerCase().split('/').at(-1)!.replaceAll('.', '-');

/** Looks a model up in a table by the beginnings of names, of which the longest counts that fits. */
export function byName<T>(table: Record<string, T>): (model: string) => T | undefined {
  const entries = Object.entries(table)
    .map(([name, value]) => ({ name: bare(name), value }))
    .sort((one, other) => other.name.length - one.name.length);
  return (model) => entries.find(({ name }) => bare(model) === name || bare(model).startsWith(`${name}-`))?.value;
}

const known = byName(models);

/** What a backend's model can do. A provider that says otherwise by a 400 is believed (models/parameter-quirks.ts). */
export function capabilitiesOf({ type, model = '' }: { type: string; model?: string | undefined }): Capabilities {
  // Nobody knows how a Claude model behind a name of its server's own is asked to think.
  return known(model) ?? (type === 'claude' ? { ...claude, efforts: [] } : unknown);
}

/** Why a model does not take an effort, with those that it takes; undefined if it does. */
export function effortProblem(type: string, model: string, effort: Effort): string | undefined {
  const taken = capabilitiesOf({ type, model }).efforts;
  if (taken.includes(effort)) return undefined;
  const choices = taken.length === 0 ? 'it takes none' : `it takes ${taken.join(' | ')}`;
  return `"${effort}" is no effort of ${model}: ${choices}`;
}
