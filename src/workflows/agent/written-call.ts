import type { ParameterSchema } from '../../protocol/message.ts';

/** A tool call that a model has written as text. */
export interface WrittenCall {
  name: string;
  input: Record<string, unknown>;
}

/** A tool that a call may name. Without `parameters` any arguments fit, and the call must name the tool. */
interface CallableTool {
  name: string;
  parameters?: ParameterSchema;
}

type JsonObject = Record<string, unknown>;

/** How many places of a text are tried, so that a hostile text takes no longer than a long one. */
const mostTries = 8;

/**
 * Reads the tool call in a reply that has none: small models write calls as text. It is an object with the tool's name and
 * its arguments, in a fenced block, in a tag such as `<tool_call>` or among other words; the tool's name with the arguments
 * right behind it; or the arguments of one tool alone, if the text is nothing else.
 *
 * @returns undefined for a text that is no call, and for arguments that do not fit
 */
export function writtenCall(text: string, tools: CallableTool[]): WrittenCall | undefined {
  let from = text.indexOf('{');
  for (let tries = 0; from !== -1 && tries < mostTries; tries++) {
    const found = objectAt(text, from);
    const call = found && (namedCall(found.value, tools) ?? callBehindName(text.slice(0, from), found.value, tools));
    if (call !== undefined) return call;
    if (found !== undefined && isWhole(text, from, found.end)) return callByArguments(found.value, tools);
    from = text.indexOf('{', found?.end ?? from + 1);
  }
  return undefined;
}

const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Reads the JSON object that begins at a place. Strings may have line breaks, as small models write them. */
function objectAt(text: string, from: number): { value: JsonObject; end: number } | undefined {
  let json = '';
  let depth = 0;
  let isInString = false;
  for (let at = from; at < text.length; at++) {
    const character = text.charAt(at);
    if (isInString && character === '\\') {
      json += character + text.charAt(++at);
      continue;
    }
    if (character === '"') isInString = !isInString;
    json += isInString && character < ' ' ? JSON.stringify(character).slice(1, -1) : character;
    if (isInString) continue;
    if (character === '{') depth += 1;
    if (character === '}') depth -= 1;
    if (depth === 0) return parsed(json, at + 1);
  }
  return undefined;
}

function parsed(json: string, end: number): { value: JsonObject; end: number } | undefined {
  try {
    return { value: JSON.parse(json) as JsonObject, end };
  } catch {
    return undefined;
  }
}

/** Whether there is nothing but a fence or a tag around the object. */
function isWhole(text: string, from: number, end: number): boolean {
  const around = `${text.slice(0, from)}${text.slice(end)}`;
  return around.length < 100 && around.replace(/```\w*|<\/?[\w|]+>/g, '').trim() === '';
}

function namedCall(value: JsonObject, tools: CallableTool[]): WrittenCall | undefined {
  if (isObject(value['function'])) return namedCall(value['function'], tools);
  const name = value['name'] ?? value['function'] ?? value['tool'];
  const given = value['arguments'] ?? value['parameters'] ?? value['input'] ?? value['args'];
  const input = typeof given === 'string' ? objectAt(given.trim(), 0)?.value : given;
  const [key = '', ...others] = Object.keys(value);
  if (typeof name === 'string') return isObject(input) ? callOf(name, input, tools) : undefined;
  const only = value[key];
  return others.length === 0 && isObject(only) ? callOf(key, only, tools) : undefined;
}

function callBehindName(before: string, value: JsonObject, tools: CallableTool[]): WrittenCall | undefined {
  const [, name] = /([\w-]+)[`"']?\s*[(>:=]?\s*$/.exec(before.slice(-100)) ?? [];
  return name === undefined ? undefined : callOf(name, value, tools);
}

function callOf(name: string, input: JsonObject, tools: CallableTool[]): WrittenCall | undefined {
  const tool = tools.find((each) => each.name === name);
  const fitted = tool?.parameters === undefined ? input : fittedTo(input, tool.parameters);
  return tool === undefined || fitted === undefined ? undefined : { name, input: fitted };
}

/** The call of the one tool that arguments are those of. */
function callByArguments(input: JsonObject, tools: CallableTool[]): WrittenCall | undefined {
  const calls = tools.flatMap(({ name, parameters }): WrittenCall[] => {
    if (parameters === undefined || !Object.keys(input).every((key) => key in parameters.properties)) return [];
    const fitted = fittedTo(input, parameters);
    return fitted === undefined ? [] : [{ name, input: fitted }];
  });
  return calls.length === 1 ? calls[0] : undefined;
}

/** The arguments that a tool has, each of the type that it is to be; undefined if one lacks or does not fit. */
function fittedTo(input: JsonObject, { properties, required = [] }: ParameterSchema): JsonObject | undefined {
  const fitted: JsonObject = {};
  for (const [key, schema] of Object.entries(properties)) {
    if (!Object.hasOwn(input, key) || input[key] === null) continue;
    const value = coerced(input[key], (schema as { type?: string }).type);
    if (value === undefined) return undefined;
    fitted[key] = value;
  }
  return required.every((key) => key in fitted) ? fitted : undefined;
}

/** A string or a boolean out of what a model has written in its place; undefined if it cannot be one. */
function coerced(value: unknown, type: string | undefined): unknown {
  if (type === 'string') {
    const text = typeof value === 'number' || typeof value === 'boolean' ? String(value) : value;
    return typeof text === 'string' && text.trim() !== '' ? text : undefined;
  }
  if (type !== 'boolean') return value;
  if (typeof value === 'boolean') return value;
  return value === 'true' ? true : value === 'false' ? false : undefined;
}
