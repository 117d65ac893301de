import type { ToolCall, ToolSpec } from '../../protocol/message.ts';
import type { ReadArguments } from './arguments.ts';

type JsonObject = Record<string, unknown>;

/** A call that a model has written as text. */
interface WrittenCall {
  call: Omit<ToolCall, 'id'>;
  /** Whether the text is nothing else. */
  isWhole: boolean;
}

/** How many places of a text are tried, so that a hostile text takes no longer than a long one. */
const mostTries = 8;

/**
 * Finds the call in a reply that has none: small models write calls as text. It is an object with the tool's name and
 * its arguments, in a fenced block, in a tag such as `<tool_call>` or among other words; the tool's name with the arguments
 * right behind it; or the arguments of one tool alone, if the text is nothing else. Only where the tool's name is said
 * in so many words may its arguments be such as do not fit.
 *
 * @returns undefined for a text that is no call of a tool that takes texts
 */
export function writtenCall(text: string, specs: ToolSpec[], read: ReadArguments): WrittenCall | undefined {
  const tools = specs.filter(({ asText }) => asText);
  const fits = ({ name, arguments: input }: WrittenCall['call']): boolean =>
    tools.some((tool) => tool.name === name) && 'input' in read({ id: '', name, arguments: input }, 'stop').reply;
  let from = tools.length === 0 ? -1 : text.indexOf('{');
  for (let tries = 0; from !== -1 && tries < mostTries; tries++) {
    const found = objectAt(text, from);
    if (found !== undefined) {
      const isAlone = isWhole(text, from, found.end);
      const call = namedCall(found.value, tools) ?? otherCalls(text.slice(0, from), found.value).find(fits);
      if (call !== undefined) return { call, isWhole: isAlone };
      if (isAlone) {
        const calls = callsByArguments(found.value, tools).filter(fits);
        return calls[0] && calls.length === 1 ? { call: calls[0], isWhole: true } : undefined;
      }
    }
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

function namedCall(value: JsonObject, tools: ToolSpec[]): WrittenCall['call'] | undefined {
  if (isObject(value['function'])) return namedCall(value['function'], tools);
  const name = value['name'] ?? value['function'] ?? value['tool'];
  const input = value['arguments'] ?? value['parameters'] ?? value['input'] ?? value['args'];
  const isCall = typeof input === 'string' || isObject(input);
  return isCall && tools.some((tool) => tool.name === name) ? callOf(String(name), input) : undefined;
}

/** Calls by an object whose only key is the tool's name, and by the name before the arguments. */
function otherCalls(before: string, value: JsonObject): Array<WrittenCall['call']> {
  const [[key, only] = ['', undefined], ...others] = Object.entries(value);
  const [, name = ''] = /([\w-]+)[`"']?\s*[(>:=]?\s*$/.exec(before.slice(-100)) ?? [];
  return [...(others.length === 0 && isObject(only) ? [callOf(key, only)] : []), callOf(name, value)];
}

/** The calls of the tools that have all of the arguments. */
const callsByArguments = (input: JsonObject, tools: ToolSpec[]): Array<WrittenCall['call']> =>
  tools
    .filter(({ parameters }) => Object.keys(input).every((key) => Object.hasOwn(parameters.properties, key)))
    .map(({ name }) => callOf(name, input));

const callOf = (name: string, input: string | JsonObject): WrittenCall['call'] => ({
  name,
  arguments: typeof input === 'string' ? input : JSON.stringify(input),
});
