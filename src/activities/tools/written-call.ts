import type { ToolSpec } from '../../protocol/message.ts';
import type { ReadArguments } from './arguments.ts';
import { meantName } from './meant-name.ts';
import {
  callOf,
  leadingMarks,
  mostTries,
  nameBeforeMarks,
  nativeCalls,
  type WrittenCall,
  type WrittenElement,
} from './native-calls.ts';
import { isObject, parsedJson } from '../../util/values.ts';

type JsonObject = Record<string, unknown>;

interface WrittenCalls {
  calls: WrittenCall[];
  content: string;
}

/**
 * Small models write calls as text: an object with the tool's name and its arguments, in a fence, in a tag such as
 * `<tool_call>` or among words; the name with the arguments behind it; an element with one for each argument; or the
 * arguments of one tool alone. Only where the name is said may arguments be such as do not fit. A tool by which agents
 * reply (`asText`) is called anywhere. Any other is called in a tag or at the end of the text: before that the words
 * may be about a call.
 * @param mayCall if not, tools with `asText` are called as any other
 * @returns undefined for a text without a call
 */
export function writtenCalls(
  text: string,
  tools: ToolSpec[],
  read: ReadArguments,
  mayCall = true,
): WrittenCalls | undefined {
  if (tools.length === 0) return undefined;
  const asText = tools.filter((tool) => mayCall && tool.asText);
  const fits = ({ name, arguments: input }: WrittenCall): boolean =>
    'input' in read({ id: '', name, arguments: input }, 'stop').reply;
  const isOf = (some: ToolSpec[]) => (call: WrittenCall) => some.some(({ name }) => name === call.name) && fits(call);
  const names = tools.map(({ name }) => name);
  const native = nativeCalls(text, names);
  const found = [...native];
  let from = text.indexOf('{');
  for (let tries = 0; from !== -1 && tries < mostTries; tries++) {
    const object = objectAt(text, from);
    // What is in an argument is no call.
    const outer = native.find((each) => from > each.from && from < each.end);
    if (object !== undefined && outer === undefined) {
      const { end, value } = object;
      const isAlone = isWhole(text, from, end);
      const before = text.slice(0, from);
      const marked = nameBeforeMarks(before);
      const known = marked && knownName(marked.name, names);
      const others = [...otherCalls(before, value), ...(known === undefined ? [] : [callOf(known, value)])];
      const replying = namedCall(value, asText) ?? others.find(isOf(asText));
      if (replying !== undefined) return { calls: [replying], content: isAlone ? '' : text };
      if (isAlone && asText.length > 0) {
        const [call, ...more] = callsByArguments(value, asText).filter(fits);
        if (call !== undefined && more.length === 0) return { calls: [call], content: '' };
      }
      const isTagged = known !== undefined || tag.test(before.slice(-longestTag));
      const call = known === undefined ? namedCall(value, tools, isTagged) : callOf(known, value);
      const other = call ?? others.find(isOf(tools));
      if (other !== undefined) found.push({ call: other, isTagged, from: known && marked ? marked.from : from, end });
    }
    from = text.indexOf('{', outer?.end ?? object?.end ?? from + 1);
  }
  return callsOf(text, found);
}

/** In characters, so much of a text is looked at. */
const tag = /(?:<\|?tool_?calls?(?:_begin)?\|?>|<\|START_ACTION\|>|\[TOOL_CALLS?\]|<function=[\w.-]+>)[\s[]*$/i;
const longestTag = 200;

/** And a tool's name right before its arguments. */
const marks = /```\w*|<\/?[\w|=."-]{1,60}>|\[\/?TOOL_CALLS?\]|[\][(){}`"';,\s]/gi;
const opening = /(?:[\w.-]{1,64}[`"']?\s*[(>:=]\s*|```\w*\s*|<[^<>]{1,60}>\s*|\[TOOL_CALLS?\]\s*|\[\s*)+$/i;

/** In a tag, or with nothing behind them but other calls. */
function callsOf(text: string, found: WrittenElement[]): WrittenCalls | undefined {
  let isEnd = true;
  let next = text.length;
  const kept: WrittenElement[] = [];
  for (const each of found.toSorted((one, other) => other.from - one.from)) {
    const { end, from, isTagged } = each;
    isEnd &&= text.slice(end, next).slice(0, longestTag).replace(opening, '').replaceAll(marks, '') === '';
    if (!isEnd && !isTagged) continue;
    kept.unshift(each);
    next = from;
  }
  const [first] = kept;
  if (first === undefined) return undefined;
  const beside = text.slice(0, first.from);
  const end = beside.slice(-longestTag).replace(leadingMarks, '').replace(opening, '');
  const content = beside.slice(0, -longestTag) + end;
  return { calls: kept.map(({ call }) => call), content: content.trim() };
}

/** Strings may have line breaks, as small models write them. */
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
    if (depth > 0) continue;
    const value = parsedJson(json);
    return isObject(value) ? { value, end: at + 1 } : undefined;
  }
  return undefined;
}

function isWhole(text: string, from: number, end: number): boolean {
  const around = `${text.slice(0, from)}${text.slice(end)}`;
  return around.length < 100 && around.replace(/```\w*|<\/?[\w|]+>/g, '').trim() === '';
}

/** @param isCertain whether it is a call even if there is no such tool */
function namedCall(value: JsonObject, tools: ToolSpec[], isCertain = false): WrittenCall | undefined {
  if (isObject(value['function'])) return namedCall(value['function'], tools, isCertain);
  const name = value['name'] ?? value['function'] ?? value['tool'] ?? value['tool_name'];
  const input = value['arguments'] ?? value['parameters'] ?? value['input'] ?? value['args'];
  const isCall = typeof input === 'string' || isObject(input);
  if (!isCall || typeof name !== 'string') return undefined;
  const known = knownName(
    name,
    tools.map((tool) => tool.name),
  );
  return known !== undefined || isCertain ? callOf(known ?? name, input) : undefined;
}

const knownName = (name: string, names: string[]): string | undefined =>
  names.includes(name) ? name : meantName(name, names);

/** By an object whose only key is the tool's name, and by the name before the arguments. */
function otherCalls(before: string, value: JsonObject): WrittenCall[] {
  const [[key, only] = ['', undefined], ...others] = Object.entries(value);
  const [, name = ''] = /([\w-]+)[`"']?\s*[(>:=]?\s*$/.exec(before.slice(-100)) ?? [];
  return [...(others.length === 0 && isObject(only) ? [callOf(key, only)] : []), callOf(name, value)];
}

/** Those of the tools that have all of the arguments. */
const callsByArguments = (input: JsonObject, tools: ToolSpec[]): WrittenCall[] =>
  tools
    .filter(({ parameters }) => Object.keys(input).every((key) => Object.hasOwn(parameters.properties, key)))
    .map(({ name }) => callOf(name, input));
