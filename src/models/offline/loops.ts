import type { Message, ParameterSchema, ToolSpec } from '../../protocol/message.ts';
import { stemsOf } from '../../tools/words.ts';
import { parsed, type Call, type ToolResult } from './prompt-sections.ts';

/** What the loop `react` asks of a reply. */
export type Phase = 'thought' | 'action' | 'observation';

/**
 * The phase that the last message of a conversation asks for, where that is a system message: an action where it speaks
 * of the final answer or where there are tools, else what it names first. Undefined where it asks for none.
 */
export function phaseOf(messages: Message[], hasTools: boolean): Phase | undefined {
  const last = messages.at(-1);
  // At the beginning it says how to work.
  if (last?.role !== 'system' || messages.length === 1) return undefined;
  if (hasTools || /FINAL_ANSWER/i.test(last.content)) return 'action';
  const [word] = /\b(?:think|thought|action|observ)/i.exec(last.content) ?? [];
  return word === undefined ? undefined : phases[word.toLowerCase().charAt(0)];
}

const phases: Record<string, Phase> = { t: 'thought', a: 'action', o: 'observation' };

/** A thought of that loop. */
export function thoughtOn(parts: string[], texts: string): string {
  const list = parts.map((part) => `"${part}"`).join(' and ');
  return `Scripted thought of the offline model: look up ${list}, with a tool whose name fits, else in ${texts}.`;
}

/** An observation of that loop: what the last call has returned; undefined where there was none. */
export function observationOn(toolResults: ToolResult[]): string | undefined {
  const last = toolResults.at(-1);
  return last === undefined ? undefined : `${last.tool} returned: ${linesOf(last.result).join('; ')}`;
}

/** Only tools whose names say that they look something up: no other is called without understanding what it does. */
const lookup = /^(?:get|list|find|fetch|look_?up|read|search|show)(?=[_-]|[A-Z])/;

/** A tool that looks up what the part names: `get_weather`, `getWeather`: the weather. */
function isSubject(tool: string, part: string): boolean {
  const subject = stemsOf(tool.replace(lookup, '').replace(/_|([a-z\d])([A-Z])/g, '$1 $2'));
  return lookup.test(tool) && subject.every((stem) => stemsOf(part).includes(stem));
}

/** Whether a call was made for a part of a question: both name the same things. */
const isFor = (part: string, { input, tool }: Call): boolean =>
  isSubject(tool, part) &&
  Object.values(input).every((value) => part.toLowerCase().includes(String(value).toLowerCase()));

/**
 * The call of a tool that answers a part on which none was made: its name says what is asked for, its arguments stand in
 * the part, and the part says nothing that stands neither in these nor in its description. Undefined in any doubt.
 */
export function nextCall(parts: string[], toolResults: ToolResult[], tools: ToolSpec[]): Call | undefined {
  for (const part of parts.filter((each) => !toolResults.some((used) => isFor(each, used)))) {
    for (const { description, name, parameters } of tools.filter((tool) => isSubject(tool.name, part))) {
      const input = argumentsFrom(part, parameters);
      const known = new Set(stemsOf([description, ...Object.values(input ?? {})].join(' ')));
      if (input !== undefined && stemsOf(part).every((stem) => known.has(stem))) return { tool: name, input };
    }
  }
  return undefined;
}

/** The arguments that a tool requires, each the one word or name of a text that it can be; undefined: one is missing. */
function argumentsFrom(text: string, parameters: ParameterSchema): Record<string, unknown> | undefined {
  const words = text.split(/[\s,;:!?()"]+/);
  // The first word of a sentence has a capital anyway.
  const names = text.replace(/^\s*\S+/, '').match(/\p{Lu}[\p{L}-]+(?:\s+\p{Lu}[\p{L}-]+)*/gu) ?? [];
  const input: Record<string, unknown> = {};
  for (const name of parameters.required ?? []) {
    const { enum: choices, pattern }: { enum?: unknown[]; pattern?: string } = parameters.properties[name] ?? {};
    const isFitting = (word: string): boolean => choices?.includes(word) ?? new RegExp(pattern ?? '').test(word);
    const values = new Set(choices || pattern ? words.filter(isFitting) : names);
    if (values.size !== 1) return undefined;
    [input[name]] = values;
  }
  return input;
}

/** What tools have returned on a part, line by line. */
export const returnedOn = (part: string, toolResults: ToolResult[]): string[] =>
  toolResults
    .filter((used) => isFor(part, used))
    .flatMap(({ result, tool }) => linesOf(result).map((line) => `${line} (${tool})`));

/** What a tool returned, in lines: of a list in JSON one for each entry, with the names of its values. */
function linesOf(result: string): string[] {
  const lines = recordsIn(result) ?? result.split('\n').filter((line) => line.trim() !== '');
  return lines.length === 0 ? ['Nothing.'] : lines.slice(0, 5);
}

/** JSON in words, a line for each entry of a list; undefined: it is none. */
export function recordsIn(text: string): string[] | undefined {
  const value = parsed(text);
  return value === undefined ? undefined : [value].flat().map(inWords);
}

function inWords(value: unknown): string {
  if (typeof value !== 'object' || value === null) return String(value);
  return Object.entries(value)
    .map(([key, each]) => `${key}: ${typeof each === 'object' ? JSON.stringify(each) : String(each)}`)
    .join(', ');
}
