import { createHash } from 'node:crypto';
import { createContext, Script } from 'node:vm';
import { jsonrepair } from 'jsonrepair';
import { z } from 'zod';
import type { ParameterSchema, ToolCall, ToolSpec } from '../../protocol/message.ts';
import type { Finish, ReplyCall } from '../../protocol/model-call.ts';
import { shortened } from '../../workflows/runtime/size.ts';
import { caller } from '../../tools/mcp/find.ts';
import { meantName } from './meant-name.ts';
import { at, isObject } from '../../util/values.ts';

const longestMs = 1000;

const place: { work?: () => unknown } = createContext({});
const script = new Script('work()');

/** A pattern of somebody else may take for ever, and only a script can be ended. @returns undefined when late */
function inTime<T>(work: () => T): T | undefined {
  place.work = work;
  try {
    return script.runInContext(place, { timeout: longestMs }) as T;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_SCRIPT_EXECUTION_TIMEOUT') return undefined;
    throw error;
  } finally {
    delete place.work;
  }
}

interface ReadCall {
  reply: ReplyCall;
  /** JSON that says what was understood; absent if the model wrote just that, or nothing understandable. */
  arguments?: string;
  name?: string;
}

export type ReadArguments = (call: ToolCall, finish: Finish) => ReadCall;

type Json = Record<string, unknown>;

interface CheckedTool {
  parameters: ParameterSchema;
  schema: z.ZodType;
}

/** In characters. Providers refuse a conversation with a call whose name is longer, or has such as a dot. */
const longestName = 64;

export function argumentReader(specs: ToolSpec[]): ReadArguments {
  const tools = new Map<string, CheckedTool>();
  for (const { name, parameters } of specs)
    tools.set(name, { parameters, schema: z.fromJSONSchema(parameters as z.core.JSONSchema.JSONSchema) });
  const isSearching = specs.some(({ isSearched }) => isSearched);
  const read: ReadArguments = (call, finish) => {
    const inner = isSearching && call.name === caller ? innerCall(call) : undefined;
    if (inner !== undefined) return { reply: read(inner, finish).reply };
    const tool = tools.get(call.name);
    if (tool !== undefined) return readCall(call, tool, finish);
    const name = meantName(call.name, [...tools.keys()]);
    const meant = name === undefined ? undefined : tools.get(name);
    if (name !== undefined && meant !== undefined) return { ...readCall({ ...call, name }, meant, finish), name };
    const names = [...tools.keys()].join(', ') || 'none';
    const error = `No such tool available: ${call.name} (Tool ${call.name} not found; there are: ${names})`;
    const sent = call.name.replaceAll(/[^\w-]/g, '_').slice(0, longestName) || 'unnamed';
    return { reply: { id: call.id, name: call.name, error, digest: digestOf(call.arguments) }, name: sent };
  };
  return (call, finish) => inTime(() => read(call, finish)) ?? tooLong(call);
}

const tooLong = ({ arguments: text, id, name }: ToolCall): ReadCall => {
  const error = `it takes too long to check the arguments of ${name} against its schema; call it with shorter ones`;
  return { reply: { id, name, error, digest: digestOf(text) } };
};

/** By `call_tool`; undefined where it does not say which. */
function innerCall({ arguments: text, id }: ToolCall): ToolCall | undefined {
  const value = repaired(text);
  if (!isObject(value) || typeof value['name'] !== 'string' || value['name'] === caller) return undefined;
  const { arguments: input = {}, name } = value;
  return { id, name, arguments: typeof input === 'string' ? input : JSON.stringify(input) };
}

/**
 * Arguments that do not fit as they are are mended before they are refused, if the same is said. What is missing stays
 * missing. Of a reply that was cut off nothing is repaired, since its end is not known.
 */
function readCall(
  { id, name, arguments: text }: ToolCall,
  { parameters, schema }: CheckedTool,
  finish: Finish,
): ReadCall {
  const refused = (error: string): ReadCall => ({ reply: { id, name, error, digest: digestOf(text) } });
  const { value, problem } = parsed(text);
  if (finish === 'length' && (problem !== undefined || text.trim() === '')) {
    return refused(
      `your call of ${name} was cut off, since your reply reached the most tokens that it may have. ` +
        'Call it again, and be shorter',
    );
  }
  const read = unwrapped(problem === undefined ? value : repaired(text), parameters, name);
  const mended = schema.safeParse(read).success ? read : mendedBy(schema, read);
  const checked = schema.safeParse(mended);
  if (checked.success) {
    const isAsWritten = problem === undefined && mended === value;
    const reply = { id, name, input: checked.data as Json };
    return isAsWritten ? { reply } : { reply, arguments: JSON.stringify(mended) };
  }
  if (problem !== undefined) return refused(`the arguments of ${name} are not valid JSON: ${problem}`);
  const issues = checked.error.issues.map((issue) => inWords(issue, mended));
  return refused(`the arguments of ${name} do not fit: ${issues.join('; ')}`);
}

const digestOf = (text: string): string => createHash('sha256').update(text).digest('base64url').slice(0, 12);

function parsed(text: string): { value?: unknown; problem?: string } {
  try {
    return { value: JSON.parse(text.trim() === '' ? '{}' : text) as unknown };
  } catch (error) {
    return { problem: (error as Error).message };
  }
}

/** In characters. The time may grow with the square: 13 s for 200,000 apostrophes, and 0.1 s for these. */
const longestRepaired = 20_000;

/** Within arguments, since there may be many. */
const longestInside = 2000;

function repaired(text: string, longest = longestRepaired): unknown {
  const block = /```(?:json)?\s*\n([^]*?)\n?\s*```/.exec(text)?.[1] ?? text;
  const { value, problem } = parsed(block);
  if (problem === undefined || block.length > longest) return value;
  const closed = parsed(completed(block));
  if (closed.problem === undefined) return closed.value;
  try {
    return JSON.parse(jsonrepair(block)) as unknown;
  } catch {
    return undefined;
  }
}

/** First, since `jsonrepair` takes the `[` in `{"a": ["b["],}` for the beginning of a list. */
function completed(text: string): string {
  const ends: string[] = [];
  const kept = text.replace(/"(?:[^"\\]|\\[^])*"?|[[\]{}]|,(?=\s*(?:[\]}]|$))/g, (token) => {
    if (token === ',') return '';
    if (token === '{' || token === '[') ends.push(token === '{' ? '}' : ']');
    else if (!token.startsWith('"')) ends.pop();
    return token;
  });
  return kept + ends.toReversed().join('');
}

/** Models wrap arguments under such names once more. */
const wrappers = ['arguments', 'args', 'input', 'parameters'];

/** Such as texts that are JSON themselves, and an object whose only key is no parameter. */
function unwrapped(value: unknown, parameters: ParameterSchema, name: string): unknown {
  if (typeof value === 'string') {
    const inner = repaired(value);
    return typeof inner === 'string' && inner.length >= value.length ? value : unwrapped(inner, parameters, name);
  }
  if (!isObject(value)) return value;
  const [key = '', ...others] = Object.keys(value);
  if (others.length > 0 || ![...wrappers, name].includes(key) || Object.hasOwn(parameters.properties, key))
    return value;
  const inner = typeof value[key] === 'string' ? repaired(value[key]) : value[key];
  const holdsParameters =
    isObject(inner) && Object.keys(inner).some((each) => Object.hasOwn(parameters.properties, each));
  return holdsParameters ? inner : value;
}

type Issue = z.core.$ZodIssue;

type Mendable = z.core.$ZodIssueInvalidType | z.core.$ZodIssueInvalidValue;

/** Each level of lists, objects and texts that hold JSON takes up to three rounds. */
const mostRounds = 20;

const absent = Symbol('absent');

/** Where both say the same; any other part stays as it is. */
function mendedBy(schema: z.ZodType, value: unknown): unknown {
  const whole = { value: structuredClone(value) };
  const others = new Map<string, unknown[]>();
  for (let round = 0, isChanged = true; isChanged && round < mostRounds; round++) {
    isChanged = false;
    const issues = (schema.safeParse(whole.value).error?.issues ?? []).flatMap(mendable);
    for (const [place, alike] of Map.groupBy(issues, ({ path }) => JSON.stringify(path))) {
      const [key, ...above] = ['value', ...(alike[0]?.path ?? [])].toReversed();
      const parent = at(whole, above.toReversed()) as Record<PropertyKey, unknown> | null | undefined;
      if (typeof parent !== 'object' || parent === null || key === undefined) continue;
      const left = others.get(place) ?? alternatives(parent, key, alike);
      others.set(place, left);
      if (left.length === 0) continue;
      const [next] = left.splice(0, 1);
      if (next === absent) Reflect.deleteProperty(parent, key);
      else parent[key] = next;
      isChanged = true;
    }
  }
  return whole.value;
}

/** Of several alternatives the first that is of the value's type, if there is one. */
function mendable(issue: Issue): Mendable[] {
  if (issue.code === 'invalid_type' || issue.code === 'invalid_value') return [issue];
  if (issue.code !== 'invalid_union') return [];
  const branches = issue.errors.map((issues) => issues.flatMap(mendable));
  const alike = branches.find((issues) => issues.every(({ path }) => path.length > 0));
  return (alike ?? branches.flat()).map((inner) => ({ ...inner, path: [...issue.path, ...inner.path] }));
}

/** Last what is there now. A null is first left out: with an empty list something may hold for nothing. */
function alternatives(parent: object, key: PropertyKey, issues: Mendable[]): unknown[] {
  if (!Object.hasOwn(parent, key)) return [];
  const given = (parent as Record<PropertyKey, unknown>)[key];
  const types = issues.flatMap((issue) => (issue.code === 'invalid_type' ? issue.expected : []));
  const choices = issues.flatMap((issue) => (issue.code === 'invalid_value' ? issue.values : []));
  const turned = [choiceFor(given, [...new Set(choices)]), ...types.map((type) => turnedInto(type, given))];
  const found = turned.filter((each) => each !== undefined);
  if (given === null && !Array.isArray(parent)) found.unshift(absent);
  if (given !== null && types.some(isList)) found.push([given]);
  return found.length === 0 ? [] : [...found, given];
}

/** A value may differ in letter case, in space, or in being a text. */
function choiceFor(value: unknown, choices: unknown[]): unknown {
  if (!['string', 'number', 'boolean'].includes(typeof value)) return undefined;
  const same = choices.filter((choice) => choice !== null && plain(choice) === plain(value));
  return same.length === 1 ? same[0] : undefined;
}

const plain = (value: unknown): string => String(value).trim().toLowerCase();

const isList = (type: string): boolean => type === 'array' || type === 'tuple';

function turnedInto(type: string, value: unknown): unknown {
  if (type === 'string') return ['number', 'boolean'].includes(typeof value) ? String(value) : undefined;
  // A model that writes null for a list has nothing to give.
  if (isList(type) && value === null) return [];
  if (typeof value !== 'string') return undefined;
  if (isList(type)) return Array.isArray(jsonIn(value)) ? jsonIn(value) : undefined;
  if (type === 'object' || type === 'record') return isObject(jsonIn(value)) ? jsonIn(value) : undefined;
  if (type === 'boolean') return { true: true, false: false }[plain(value)];
  if (type === 'null') return plain(value) === 'null' ? null : undefined;
  return type === 'number' && /^\s*[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?\s*$/i.test(value) ? Number(value) : undefined;
}

function jsonIn(text: string): unknown {
  const value = /^\s*(?:[[{]|```)/.test(text) ? repaired(text, longestInside) : undefined;
  return typeof value === 'object' && value !== null ? value : undefined;
}

const kinds: Record<string, string> = {
  string: 'a text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  tuple: 'a list',
  object: 'an object',
  record: 'an object',
};

/** In words that a weak model understands. */
function inWords(issue: Issue, input: unknown): string {
  const { path } = issue;
  const given = at(input, path);
  const must = mustBe(issue);
  const place = path.join('.') || 'arguments';
  if (given === undefined) return `${place}: it is missing, and must be ${must}`;
  return `${place}: it must be ${must}, and not ${shown(given)}`;
}

function mustBe(issue: Issue): string {
  if (issue.code === 'invalid_type') return kinds[issue.expected] ?? issue.expected;
  if (issue.code === 'invalid_value') return `one of ${issue.values.map((value) => JSON.stringify(value)).join(', ')}`;
  if (issue.code === 'too_small' || issue.code === 'too_big') {
    const [limit, word] = issue.code === 'too_small' ? [issue.minimum, 'least'] : [issue.maximum, 'most'];
    const unit = issue.origin === 'string' ? ' characters long' : issue.origin === 'array' ? ' items long' : '';
    return `at ${word} ${limit}${unit}`;
  }
  return `something else (${issue.message})`;
}

const longestShown = 60;

const shown = (value: unknown): string => shortened(JSON.stringify(value) ?? 'nothing', longestShown);
