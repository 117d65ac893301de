import type { ToolCall } from '../../protocol/message.ts';
import { isObject, parsedJson } from '../../util/values.ts';
import { pythonArguments } from './python-arguments.ts';

// How open models were trained to write calls, as their chat templates show it. A server reads them where it was started
// with the parser of its model; otherwise they are left in the text.

export type WrittenCall = Omit<ToolCall, 'id'>;

/** A call as it stands in a text. */
export interface WrittenElement {
  call: WrittenCall;
  /** Whether it stands between marks that nothing but a call has. */
  isTagged: boolean;
  from: number;
  end: number;
}

/** So that a hostile text takes no longer than a long one. */
export const mostTries = 8;

export const callOf = (name: string, input: string | Record<string, unknown>): WrittenCall => ({
  name,
  arguments: typeof input === 'string' ? input : JSON.stringify(input),
});

/** @param names of the tools that there are, for a form that looks like code */
export const nativeCalls = (text: string, names: string[]): WrittenElement[] => [
  ...elementsIn(text),
  ...pairsIn(text),
  ...quotedIn(text),
  ...pythonIn(text, names),
];

/** A prefix of elements, as `｜DSML｜` of DeepSeek's or `minimax:`. */
const prefix = String.raw`(?:｜\w{1,20}｜|\w{1,20}:)?`;
const elementOpening = new RegExp(`<${prefix}(?:function=|(?:function|invoke) name=)"?([\\w.:-]{1,64})"?>`, 'g');
const elementClosing = new RegExp(`</${prefix}(?:function|invoke)>`);
const parameter = new RegExp(
  `^\\s*<${prefix}param(?:eter)?(?:=| name=)"?([\\w-]{1,64})"?(?: string="(?:true|false)")?>\\n?`,
);
const parameterClosing = new RegExp(`</${prefix}param(?:eter)?>`);

/** Such as `<function=view_file><parameter=path>a.md</parameter></function>` (Qwen 3 Coder, DeepSeek V3.2, MiniMax M2). */
function elementsIn(text: string): WrittenElement[] {
  return [...text.matchAll(elementOpening)].slice(0, mostTries).flatMap(({ 0: opening, 1: name = '', index: from }) => {
    const [content = ''] = text.slice(from + opening.length).split(elementClosing, 1);
    const values = content.split(parameterClosing).flatMap((piece) => {
      const [all = '', key] = parameter.exec(piece) ?? [];
      return key === undefined ? [] : [[key, piece.slice(all.length).replace(/\n$/, '')] as const];
    });
    if (values.length === 0) return [];
    const end = from + opening.length + content.length;
    return [{ call: callOf(name, Object.fromEntries(values)), isTagged: true, from, end }];
  });
}

const pairsOpening = /<tool_call(?::\w{1,20})?>\s*([\w.:-]{1,64})\s*(?:<tool_sep(?::\w{1,20})?>\s*)?(?=<arg_key)/g;
const pair = /^\s*<arg_key(?::\w{1,20})?>([^<]{1,64})<\/arg_key(?::\w{1,20})?>\s*<arg_value(?::\w{1,20})?>/;

/** Such as `<tool_call>view_file<arg_key>path</arg_key><arg_value>a.md</arg_value></tool_call>` (GLM, Ling, Hunyuan). */
function pairsIn(text: string): WrittenElement[] {
  return [...text.matchAll(pairsOpening)].slice(0, mostTries).map(({ 0: opening, 1: name = '', index: from }) => {
    const [content = ''] = text.slice(from + opening.length).split(/<\/tool_call/, 1);
    const values = content.split(/<\/arg_value(?::\w{1,20})?>/).flatMap((piece) => {
      const [all = '', key] = pair.exec(piece) ?? [];
      return key === undefined ? [] : [[key, piece.slice(all.length)] as const];
    });
    const end = from + opening.length + content.length;
    return { call: callOf(name, Object.fromEntries(values)), isTagged: true, from, end };
  });
}

const quote = '<|"|>';

/** Such as `<|tool_call>call:view_file{path:<|"|>a.md<|"|>}<tool_call|>` (Gemma 4). */
function quotedIn(text: string): WrittenElement[] {
  const openings = [...text.matchAll(/<\|tool_call>call:([\w.-]{1,64})(?=\{)/g)].slice(0, mostTries);
  return openings.flatMap(({ 0: opening, 1: name = '', index: from }) => {
    const [content = ''] = text.slice(from + opening.length).split('<tool_call|>', 1);
    const pieces = content.split(quote).map((piece, index) =>
      // Every other piece is a text. What is between them has keys without quotes.
      index % 2 === 1 ? JSON.stringify(piece) : piece.replaceAll(/([{,]\s*)([\w-]+)(?=\s*:)/g, '$1"$2"'),
    );
    const input = parsedJson(pieces.join(''));
    if (!isObject(input)) return [];
    return [{ call: callOf(name, input), isTagged: true, from, end: from + opening.length + content.length }];
  });
}

/** Code in a list, in a fence of its own kind, or with nothing before it. */
const codeOpening = /(?:^|\[|\)\s*,|\|>|```tool_code)\s*([\w-]{1,64})\(/g;
const codeTag = /(?:<\|(?:tool_call|python)_start\|>|```tool_code)[\s[]*$/;

/** Such as `[view_file(path='a.md')]` (Llama 4, LFM 2, Gemma 3). */
function pythonIn(text: string, names: string[]): WrittenElement[] {
  const openings = [...text.matchAll(codeOpening)].filter(([, name = '']) => names.includes(name));
  return openings.slice(0, mostTries).flatMap(({ 0: opening, 1: name = '', index }) => {
    const found = pythonArguments(text, index + opening.length);
    if (found === undefined) return [];
    const from = index + opening.length - name.length - 1;
    const isTagged = codeTag.test(text.slice(Math.max(0, from - 40), from));
    return [{ call: callOf(name, found.input), isTagged, from, end: found.end }];
  });
}

/** What stands between a name and its arguments: marks such as `<|message|>` or `[ARGS]`, and words of their own kind. */
const mark = String.raw`<[|｜][^<>\s]{1,40}[|｜]>|\[TOOL_CALLS\]|\[ARGS\]|\[CALL_ID\]\w{1,20}`;
const markedName = new RegExp(
  String.raw`(?:${mark}|\bto=|^|\s)(?:functions\.)?([\w-]{1,64})(?::\d{1,4})?\s*(?:(?:${mark}|commentary|json)\s*){1,6}$`,
);
const namedInFence = new RegExp(String.raw`(?:${mark})\s*([\w-]{1,64})\s*\`\`\`json\s*$`);

/** The end of a text that leads to a call: marks, with a word behind each. */
export const leadingMarks = new RegExp(String.raw`(?:(?:${mark})\s*[\w=.]{0,40}\s*)+$`);

/** In characters, so much before the arguments is looked at. */
const longestMarks = 200;

/**
 * The name before JSON with marks in between, and where it begins: `[TOOL_CALLS]view_file[ARGS]{…` (Mistral),
 * `functions.view_file:0<|tool_call_argument_begin|>{…` (Kimi), `to=functions.view_file<|message|>{…` (gpt-oss),
 * `<｜tool▁sep｜>view_file` with a fence (DeepSeek R1).
 */
export function nameBeforeMarks(before: string): { name: string; from: number } | undefined {
  const end = before.slice(-longestMarks);
  const found = markedName.exec(end) ?? namedInFence.exec(end);
  if (found === null || !/[|｜]>|\[ARGS\]/.test(found[0])) return undefined;
  return { name: found[1] ?? '', from: before.length - end.length + found.index };
}
