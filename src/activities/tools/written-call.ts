import type { ToolCall, ToolSpec } from '../../protocol/message.ts';
import type { ReadArguments } from './arguments.ts';
import { meantName } from './meant-name.ts';
import { isObject, parsedJson } from '../../util/values.ts';

type JsonObject = Record<string, unknown>;

type Call = Omit<ToolCall, 'id'>;

interface WrittenCalls {
  calls: Call[];
  content: string;
}

/** So that a hostile text takes no longer than a long one. */
const mostTries = 8;

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
  const fits = ({ name, arguments: input }: Call): boolean =>
    'input' in read({ id: '', name, arguments: input }, 'stop').reply;
  const isOf = (some: ToolSpec[]) => (call: Call) => some.some(({ name }) => name === call.name) && fits(call);
  const found = elementsIn(text);
  let from = text.indexOf('{');
  for (let tries = 0; from !== -1 && tries < mostTries; tries++) {
    const object = objectAt(text, from);
    if (object !== undefined) {
      const { end, value } = object;
      const isAlone = isWhole(text, from, end);
      const before = text.slice(0, from);
      const others = otherCalls(before, value);
      const replying = namedCall(value, asText) ?? others.find(isOf(asText));
      if (replying !== undefined) return { calls: [replying], content: isAlone ? '' : text };
      if (isAlone && asText.length > 0) {
        const [call, ...more] = callsByArguments(value, asText).filter(fits);
        if (call !== undefined && more.length === 0) return { calls: [call], content: '' };
      }
      const isTagged = tag.test(before.slice(-longestTag));
      const call = namedCall(value, tools, isTagged) ?? others.find(isOf(tools));
      if (call !== undefined) found.push({ call, isTagged, from, end });
    }
    from = text.indexOf('{', object?.end ?? from + 1);
  }
  return callsOf(text, found);
}

interface WrittenElement {
  call: Call;
  isTagged: boolean;
  from: number;
  end: number;
}

/** In characters, so much of a text is looked at. */
const tag = /(?:<\|?tool_?calls?(?:_begin)?\|?>|\[TOOL_CALLS?\]|<function=[\w.-]+>)[\s[]*$/i;
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
  const content = beside.slice(0, -longestTag) + beside.slice(-longestTag).replace(opening, '');
  return { calls: kept.map(({ call }) => call), content: content.trim() };
}

/** Such as `<function=view_file><parameter=path>a.md</parameter></function>`. */
function elementsIn(text: string): WrittenElement[] {
  const openings = text.matchAll(/<(?:function=|invoke name=)"?([\w.:-]{1,64})"?>/g);
  return [...openings].slice(0, mostTries).flatMap(({ 0: tag, 1: name = '', index: from }) => {
    const inside = text.slice(from + tag.length);
    const [content = ''] = inside.split(/<\/(?:function|invoke)>/, 1);
    const values = content.split('</parameter>').flatMap((piece) => {
      const [all = '', key] = /^\s*<parameter(?:=| name=)"?([\w-]{1,64})"?>\n?/.exec(piece) ?? [];
      return key === undefined ? [] : [[key, piece.slice(all.length).replace(/\n$/, '')] as const];
    });
    if (values.length === 0) return [];
    const end = from + tag.length + content.length;
    return [{ call: callOf(name, Object.fromEntries(values)), isTagged: true, from, end }];
  });
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
function namedCall(value: JsonObject, tools: ToolSpec[], isCertain = false): Call | undefined {
  if (isObject(value['function'])) return namedCall(value['function'], tools, isCertain);
  const name = value['name'] ?? value['function'] ?? value['tool'];
  const input = value['arguments'] ?? value['parameters'] ?? value['input'] ?? value['args'];
  const isCall = typeof input === 'string' || isObject(input);
  if (!isCall || typeof name !== 'string') return undefined;
  const names = tools.map((tool) => tool.name);
  const known = names.includes(name) ? name : meantName(name, names);
  return known !== undefined || isCertain ? callOf(known ?? name, input) : undefined;
}

/** By an object whose only key is the tool's name, and by the name before the arguments. */
function otherCalls(before: string, value: JsonObject): Call[] {
  const [[key, only] = ['', undefined], ...others] = Object.entries(value);
  const [, name = ''] = /([\w-]+)[`"']?\s*[(>:=]?\s*$/.exec(before.slice(-100)) ?? [];
  return [...(others.length === 0 && isObject(only) ? [callOf(key, only)] : []), callOf(name, value)];
}

/** Those of the tools that have all of the arguments. */
const callsByArguments = (input: JsonObject, tools: ToolSpec[]): Call[] =>
  tools
    .filter(({ parameters }) => Object.keys(input).every((key) => Object.hasOwn(parameters.properties, key)))
    .map(({ name }) => callOf(name, input));

const callOf = (name: string, input: string | JsonObject): Call => ({
  name,
  arguments: typeof input === 'string' ? input : JSON.stringify(input),
});
