import type { IncomingHttpHeaders } from 'node:http';

/** A request's body, as far as the rules read it. */
export interface AnthropicBody {
  model?: string;
  system?: unknown;
  tools?: Array<Record<string, unknown>>;
  tool_choice?: { type?: string };
  messages?: Array<{ role?: string; content?: unknown }>;
  thinking?: { type?: string; budget_tokens?: number; block_binding?: { prefix_mismatch_behavior?: string } };
  [parameter: string]: unknown;
}

/** What a model takes, read in the pages of the models and in the migration guides of https://platform.claude.com/docs. */
interface ModelRules {
  maxTokens: number;
  /** Absent: `temperature` is refused. */
  temperature?: true;
  thinking: string[];
  /** Whether it thinks when the request does not say whether to. */
  thinksUnasked: boolean;
  efforts: string[];
}

const all = ['low', 'medium', 'high', 'xhigh', 'max'];
const old: ModelRules = {
  maxTokens: 64_000,
  temperature: true,
  thinking: ['enabled', 'disabled'],
  thinksUnasked: false,
  efforts: [],
};
const claude46: ModelRules = {
  ...old,
  maxTokens: 128_000,
  thinking: ['enabled', 'adaptive', 'disabled'],
  efforts: ['low', 'medium', 'high', 'max'],
};
const claude47: ModelRules = {
  maxTokens: 128_000,
  thinking: ['adaptive', 'disabled'],
  thinksUnasked: false,
  efforts: all,
};
const claude5: ModelRules = { ...claude47, thinksUnasked: true };

const models: Record<string, ModelRules> = {
  'claude-haiku-4-5': old,
  'claude-sonnet-4-5': old,
  'claude-opus-4-5': { ...old, efforts: ['low', 'medium', 'high'] },
  'claude-sonnet-4-6': { ...claude46, maxTokens: 64_000 },
  'claude-opus-4-6': claude46,
  'claude-opus-4-7': claude47,
  'claude-opus-4-8': claude47,
  'claude-opus-5': claude5,
  'claude-sonnet-5': claude5,
  'claude-sonnet-5-5': { ...claude5, thinking: ['adaptive', 'between_tools'] },
  'claude-haiku-5-5': claude5,
  'claude-opus-5-5': { ...claude5, thinking: ['adaptive'] },
  'claude-fable-5-1': { ...claude5, thinking: ['adaptive'] },
};

/** All parameters of the API reference; anything else is refused. */
const parameters = new Set(
  (
    'model messages max_tokens cache_control container context_management inference_geo metadata output_config ' +
    'service_tier stop_sequences stream system temperature thinking tool_choice tools top_k top_p'
  ).split(' '),
);

const extra = (path: string): string => `${path}: Extra inputs are not permitted`;

/** What is wrong with the parameters of a request besides its messages. A model that is not in the table may do anything. */
export function parameterProblem(body: AnthropicBody, headers: IncomingHttpHeaders): string | undefined {
  const { model, max_tokens: limit, messages, system, tools, tool_choice: choice } = body;
  if (typeof model !== 'string') return 'model: Field required';
  if (typeof limit !== 'number') return 'max_tokens: Field required';
  if (!Array.isArray(messages)) return 'messages: Field required';
  const unknown = Object.keys(body).find((key) => !parameters.has(key));
  if (unknown !== undefined) return extra(unknown);
  if (Array.isArray(system) && system.length === 0) return 'system: List should have at least 1 item';
  // https://platform.claude.com/docs/en/api/messages, `tool_choice`
  if (choice !== undefined && !tools?.length) return 'tool_choice may only be specified while providing tools';
  const rules = models[model];
  return toolsProblem(tools ?? []) ?? (rules && modelProblem(body, rules, limit, model, headers));
}

function modelProblem(
  { temperature, thinking, tool_choice: choice, output_config: config }: AnthropicBody,
  rules: ModelRules,
  limit: number,
  model: string,
  headers: IncomingHttpHeaders,
): string | undefined {
  if (limit < 1 || limit > rules.maxTokens) {
    return `max_tokens: ${limit} > ${rules.maxTokens}, which is the maximum allowed number of output tokens for ${model}`;
  }
  // qodo-ai/pr-agent#2456: refused from Opus 4.7 on. Before, thinking wants 1.
  const isThinking = thinking === undefined ? rules.thinksUnasked : thinking.type !== 'disabled';
  if (temperature !== undefined) {
    if (!rules.temperature) return '`temperature` is deprecated for this model.';
    if (typeof temperature !== 'number' || temperature > 1) return 'temperature: range: 0..1';
    if (isThinking && temperature !== 1) return '`temperature` may only be set to 1 when thinking is enabled.';
  }
  if (thinking !== undefined && !rules.thinking.includes(thinking.type ?? '')) {
    // AAClause/nvda-OpenAI#126
    return `"thinking.type.${thinking.type}" is not supported for this model.`;
  }
  if (thinking?.type === 'enabled') {
    const budget = thinking.budget_tokens ?? 0;
    if (budget < 1024) return 'thinking.enabled.budget_tokens: Input should be greater than or equal to 1024';
    if (budget >= limit) return '`max_tokens` must be greater than `thinking.budget_tokens`.';
  }
  // Wei-Shaw/sub2api#6677
  const isBeta = String(headers['anthropic-beta'] ?? '').includes('thinking-binding-controls-2026-08-01');
  if (thinking?.block_binding !== undefined && !isBeta) return extra(`thinking.${thinking.type}.block_binding`);
  // "What's new in Claude Sonnet 5.5": forced tool use returns an error; so it did before wherever a model thinks.
  if (isThinking && (choice?.type === 'any' || choice?.type === 'tool')) {
    return 'Thinking may not be enabled when tool_choice forces tool use.';
  }
  const { effort } = (config ?? {}) as { effort?: string };
  if (effort === undefined) return undefined;
  if (rules.efforts.length === 0) return 'This model does not support the effort parameter.';
  return rules.efforts.includes(effort) ? undefined : `output_config.effort: ${effort} is not supported for this model`;
}

/** https://platform.claude.com/docs/en/build-with-claude/structured-outputs#json-schema-limitations */
const refusedInStrict = ['minimum', 'maximum', 'minLength', 'maxLength', 'pattern', 'maxItems', 'uniqueItems', '$ref'];

function toolsProblem(tools: Array<Record<string, unknown>>): string | undefined {
  const names = tools.map(({ name }) => String(name));
  if (new Set(names).size < names.length) return 'tools: Tool names must be unique.';
  for (const [index, { name, input_schema, strict }] of tools.entries()) {
    if (!/^[\w-]{1,128}$/.test(String(name))) return `tools.${index}.custom.name: String should match pattern`;
    const schema = (input_schema ?? {}) as Record<string, unknown>;
    if (schema['type'] !== 'object') return `tools.${index}.custom.input_schema.type: Field required`;
    const text = JSON.stringify(schema);
    if (strict !== true) continue;
    if (schema['additionalProperties'] !== false) {
      return `tools.${index}.custom: For 'object' type, 'additionalProperties' must be explicitly set to false`;
    }
    const refused = refusedInStrict.find((keyword) => text.includes(`"${keyword}":`));
    if (refused) return `tools.${index}.custom: property '${refused}' is not supported`;
  }
  return undefined;
}
