import type { Body } from '../scripted.ts';
import { chatParameters, responsesParameters } from './openai-parameters.ts';
import { openaiSchemaProblem } from './tool-schemas.ts';

// What OpenAI enforced in November 2026. Each rule names the page or thread that it was read in, and answers in the API's
// own words where these were seen. Names of models that are not OpenAI's are held to the rules for all models alone.

/** Why OpenAI refuses a request, as its error's `message`, `param` and `code`. */
export interface Problem {
  message: string;
  param?: string;
  code?: string;
}

export type Part = Record<string, unknown>;

export const partsOf = (value: unknown): Part[] => (Array.isArray(value) ? (value as Part[]) : []);

/** The version of a gpt model; 0 for those that do not reason, and for all other models. */
function versionOf({ model }: Body): number {
  const [, version = '0'] = /^gpt-(\d(?:\.\d)?)(?!.*chat)/.exec(model) ?? [];
  // Astra is like the models after it.
  return model.includes('astra') ? 6.1 : Number(version) >= 5 ? Number(version) : 0;
}

const isOld = ({ model }: Body): boolean => /^gpt-(3|4)/.test(model);
const isOSeries = ({ model }: Body): boolean => /^o\d/.test(model);

/** Whether a model thinks before it answers. */
export const reasonsOf = (body: Body): boolean => (versionOf(body) > 0 || isOSeries(body)) && effortOf(body) !== 'none';

const effortOf = (body: Body): string | undefined =>
  (body['reasoning_effort'] ?? (body['reasoning'] as Part | undefined)?.['effort']) as string | undefined;

/** Each version with the efforts that came with it, the latest first. */
const efforts: Array<[from: number, taken: string[]]> = [
  // litellm-docs#1173, dev.to/aihubmix "Choosing a reasoning effort for GPT-6.1 Sol"
  [6.1, ['low', 'medium', 'high', 'xhigh']],
  // livekit/agents#7169
  [5.2, ['none', 'low', 'medium', 'high', 'xhigh']],
  // https://developers.openai.com/api/docs/guides/reasoning
  [5.1, ['none', 'low', 'medium', 'high']],
  [5, ['minimal', 'low', 'medium', 'high']],
];

/** Why `/v1/chat/completions` refuses a request; undefined if it takes it. */
export function chatProblem(body: Body): Problem | undefined {
  return (
    unknownParameter(body, chatParameters) ??
    toolsOnChatProblem(body) ??
    settingsProblem(body, 'reasoning_effort') ??
    limitProblem(body) ??
    toolsProblem(
      body,
      partsOf(body['tools']).map((tool) => tool['function'] as Part),
      ({ strict }) => strict === true,
    ) ??
    chatMessagesProblem(partsOf(body['messages']))
  );
}

/** Why `/v1/responses` refuses a request; undefined if it takes it. @param thoughts encrypted reasoning by call id */
export function responsesProblem(body: Body, thoughts: ReadonlyMap<string, string>): Problem | undefined {
  const least = body['max_output_tokens'] as number | undefined;
  const isEncrypted = JSON.stringify(body['include'] ?? []).includes('encrypted');
  // https://platform.openai.com/docs/api-reference/responses/create
  if (least !== undefined && least < 16) {
    return {
      message: `Invalid 'max_output_tokens': expected a value >= 16, but got ${least}.`,
      param: 'max_output_tokens',
    };
  }
  // openai/openai-agents-python#919
  if (isEncrypted && isOld(body)) {
    return { message: 'Encrypted content is not supported with this model.', param: 'include' };
  }
  return (
    unknownParameter(body, responsesParameters) ??
    settingsProblem(body, 'reasoning.effort') ??
    // Here `strict` is true unless it is said to be false (https://platform.openai.com/docs/guides/function-calling).
    toolsProblem(body, partsOf(body['tools']), ({ strict }) => strict !== false) ??
    inputProblem(partsOf(body['input']), body, thoughts)
  );
}

function unknownParameter(body: Body, known: readonly string[]): Problem | undefined {
  const unknown = Object.keys(body).find((name) => !known.includes(name));
  if (unknown === undefined) return undefined;
  return { message: `Unknown parameter: '${unknown}'.`, param: unknown, code: 'unknown_parameter' };
}

/** BerriAI/litellm#34569 (5.6 and later, also without an effort), openai/openai-openapi#541 (5.4, 5.5). */
function toolsOnChatProblem(body: Body): Problem | undefined {
  const [version, effort] = [versionOf(body), effortOf(body)];
  const isRefused = version >= 5.6 ? effort !== 'none' : version >= 5.4 && effort !== undefined && effort !== 'none';
  if (!isRefused || body['tools'] === undefined) return undefined;
  const way =
    version >= 5.6
      ? "To use function tools, use /v1/responses or set reasoning_effort to 'none'."
      : 'Please use /v1/responses instead.';
  const message = `Function tools with reasoning_effort are not supported for ${body.model} in /v1/chat/completions. ${way}`;
  return { message, param: 'reasoning_effort' };
}

/** khoj-ai/khoj#1377, ItzCrazyKns/Vane#1173; https://developers.openai.com/api/docs/guides/latest-model */
export function settingsProblem(body: Body, name: string): Problem | undefined {
  const [effort, version] = [effortOf(body), versionOf(body)];
  const temperature = body['temperature'] as number | undefined;
  if (temperature !== undefined && temperature !== 1 && reasonsOf(body)) {
    const message = `Unsupported value: 'temperature' does not support ${temperature} with this model. Only the default (1) value is supported.`;
    return { message, param: 'temperature', code: 'unsupported_value' };
  }
  if (effort === undefined) return undefined;
  if (isOld(body)) {
    const message = `Unsupported parameter: '${name}' is not supported with this model.`;
    return { message, param: name, code: 'unsupported_parameter' };
  }
  const [, taken] = efforts.find(([from]) => version >= from) ?? [0, ['low', 'medium', 'high']];
  const isKnown = version === 0 && !isOSeries(body);
  if (isKnown || taken.includes(effort)) return undefined;
  const values = taken.map((each) => `'${each}'`).join(', ');
  const message = `Unsupported value: '${name}' does not support '${effort}' with this model. Supported values are: ${values}.`;
  return { message, param: name, code: 'unsupported_value' };
}

/** https://platform.openai.com/docs/api-reference/chat/create#chat-create-max_tokens */
function limitProblem(body: Body): Problem | undefined {
  if (body['max_tokens'] === undefined || (versionOf(body) === 0 && !isOSeries(body))) return undefined;
  const message =
    "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.";
  return { message, param: 'max_tokens', code: 'unsupported_parameter' };
}

function toolsProblem(body: Body, tools: Part[], isStrict: (tool: Part) => boolean): Problem | undefined {
  const { tools: given, tool_choice: choice } = body;
  if (given === undefined) {
    if (choice === undefined) return undefined;
    return { message: "'tool_choice' is only allowed when 'tools' are specified.", param: 'tool_choice' };
  }
  if (tools.length === 0) return { message: "Invalid 'tools': empty array.", param: 'tools', code: 'empty_array' };
  const names = tools.map((tool) => String(tool?.['name']));
  const odd = names.findIndex((name) => !/^[\w-]{1,64}$/.test(name));
  if (odd >= 0 || new Set(names).size < names.length)
    return { message: `Invalid names: ${names.join()}`, param: 'tools' };
  const forced = ((choice as Part)?.['name'] ?? ((choice as Part)?.['function'] as Part | undefined)?.['name']) as
    | string
    | undefined;
  if (forced !== undefined && !names.includes(forced)) {
    return { message: `Tool choice '${forced}' not found in 'tools' parameter.`, param: 'tool_choice' };
  }
  const loose = tools.findIndex((tool) => isStrict(tool) && !isClosed(tool['parameters'] as Part));
  if (loose < 0) return openaiSchemaProblem(tools);
  const why = "'additionalProperties' is required to be supplied and to be false, and 'required' to have every key";
  const message = `Invalid schema for function '${names[loose]}': In context=(), ${why}.`;
  return { message, param: `tools[${loose}].parameters`, code: 'invalid_function_parameters' };
}

/** https://developers.openai.com/api/docs/guides/structured-outputs#supported-schemas */
function isClosed(schema: Part): boolean {
  const inner = [...partsOf(schema['anyOf']), ...(schema['items'] ? [schema['items'] as Part] : [])];
  const hasForm = schema['type'] !== undefined || schema['anyOf'] !== undefined || schema['enum'] !== undefined;
  const isForeign = ['allOf', 'oneOf', 'not', 'default', 'patternProperties'].some((key) => key in schema);
  if (!hasForm || isForeign || (schema['type'] === 'array' && schema['items'] === undefined)) return false;
  if (schema['type'] !== 'object') return inner.every(isClosed);
  const properties = (schema['properties'] ?? {}) as Record<string, Part>;
  const required = (schema['required'] ?? []) as string[];
  const isWhole = Object.keys(properties).every((name) => required.includes(name));
  return schema['additionalProperties'] === false && isWhole && Object.values(properties).every(isClosed);
}

/** https://platform.openai.com/docs/api-reference/chat/create#chat-create-messages */
function chatMessagesProblem(messages: Part[]): Problem | undefined {
  let open: string[] = [];
  for (const [index, { role, content, tool_calls: calls, tool_call_id: id }] of messages.entries()) {
    const param = `messages.[${index}]`;
    if (role === 'tool') {
      if (!open.includes(String(id))) {
        const message = "messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.";
        return { message, param: `${param}.role` };
      }
      open = open.filter((each) => each !== id);
      continue;
    }
    if (open.length > 0) return unanswered(open, param);
    const made = partsOf(calls);
    const isText = typeof content === 'string' || (Array.isArray(content) && content.length > 0);
    if (!isText && !(role === 'assistant' && made.length > 0)) {
      return {
        message: `Invalid value for 'content': expected a string, got ${String(content)}.`,
        param: `${param}.content`,
      };
    }
    if (calls !== undefined && made.length === 0)
      return { message: `Invalid '${param}.tool_calls': empty array.`, param };
    open = made.map((call) => String(call['id']));
    if (new Set(open).size < open.length) return { message: 'Duplicate tool call ids', param };
    const unreadable = made.find((call) => !isObject((call['function'] as Part)['arguments']));
    if (unreadable) return { message: `Invalid arguments of ${String(unreadable['id'])}: not a JSON object`, param };
  }
  return open.length > 0 ? unanswered(open, 'messages') : undefined;
}

const unanswered = (open: string[], param: string): Problem => ({
  message: `An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: ${open.join(', ')}`,
  param,
});

/** Gateways parse the arguments of earlier calls again: vllm-project/vllm#19419, sgl-project/sglang#7700. */
function isObject(text: unknown): boolean {
  try {
    const value: unknown = JSON.parse(String(text));
    return typeof value === 'object' && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
}

/** https://platform.openai.com/docs/guides/reasoning#encrypted-reasoning-items, vercel/ai#7099 for the API's words. */
function inputProblem(items: Part[], body: Body, thoughts: ReadonlyMap<string, string>): Problem | undefined {
  if (items.length === 0) return { message: "Missing required parameter: 'input'.", param: 'input' };
  const called = items.filter(({ type }) => type === 'function_call').map((item) => String(item['call_id']));
  const answered = items.filter(({ type }) => type === 'function_call_output').map((item) => String(item['call_id']));
  const silent = called.find((id) => !answered.includes(id));
  if (silent) return { message: `No tool output found for function call ${silent}.`, param: 'input' };
  const stray = answered.find((id) => !called.includes(id));
  if (stray) return { message: `No tool call found for function call output with call_id ${stray}.`, param: 'input' };
  let thought: unknown;
  for (const [index, item] of items.entries()) {
    const { type = 'message', role, content, id, call_id: call, encrypted_content: encrypted } = item;
    const param = `input[${index}]`;
    if (type === 'reasoning') {
      if (body['store'] === false && !encrypted) {
        return {
          message: `Item with id '${String(id)}' not found. Items are not persisted when \`store\` is set to false.`,
          param,
        };
      }
      const { type: next = 'message', role: by } = items[index + 1] ?? { type: 'nothing' };
      if (next !== 'function_call' && !(next === 'message' && by === 'assistant')) {
        return {
          message: `Item '${String(id)}' of type 'reasoning' was provided without its required following item.`,
          param,
        };
      }
      thought = encrypted;
    } else if (type === 'function_call') {
      if (!isObject(item['arguments']))
        return { message: `Invalid arguments of ${String(call)}: not a JSON object`, param };
      const required = thoughts.get(`${body.model} ${String(call)}`);
      if (required !== undefined && required !== thought) {
        return {
          message: `Item '${String(call)}' of type 'function_call' was provided without its required 'reasoning' item.`,
          param,
        };
      }
    } else if (type === 'message') {
      const isText = typeof content === 'string' ? content !== '' || role !== 'assistant' : partsOf(content).length > 0;
      if (!isText) return { message: `Invalid value for '${param}.content': ${JSON.stringify(content)}.`, param };
      if (role !== 'assistant') thought = undefined;
    } else if (type === 'function_call_output') thought = undefined;
    else return { message: `Invalid value: '${String(type)}'.`, param };
  }
  return undefined;
}
