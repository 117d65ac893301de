import type { Message, ParameterSchema, ToolSpec } from '../../protocol/message.ts';
import { stemsOf } from '../../util/text/words.ts';
import { parsedJson } from '../../util/values.ts';
import type { Call, ToolResult } from './prompt-sections.ts';

export type Phase = 'thought' | 'action' | 'observation';

/**
 * What the last message asks for, if it is a system message: an action if it speaks of the final answer or there are
 * tools, else the phase that it names first.
 */
export function phaseOf(messages: Message[], hasTools: boolean): Phase | undefined {
  const last = messages.at(-1);
  // A system message at the beginning says how to work.
  if (last?.role !== 'system' || messages.length === 1) return undefined;
  if (hasTools || /FINAL_ANSWER/i.test(last.content)) return 'action';
  const [word] = /\b(?:think|thought|action|observ)/i.exec(last.content) ?? [];
  return word === undefined ? undefined : phases[word.toLowerCase().charAt(0)];
}

const phases: Record<string, Phase> = { t: 'thought', a: 'action', o: 'observation' };

export function thoughtOn(parts: string[], texts: string): string {
  const list = parts.map((part) => `"${part}"`).join(' and ');
  return `Scripted thought of the offline model: look up ${list}, with a tool whose name fits, else in ${texts}.`;
}

export function observationOn(toolResults: ToolResult[]): string | undefined {
  const last = toolResults.at(-1);
  return last === undefined ? undefined : `${last.tool} returned: ${linesOf(last.result).join('; ')}`;
}

/** How the names of tools begin that only look something up. Calling any other would require understanding it. */
const lookup = /^(?:get|list|find|fetch|look_?up|read|search|show)(?=[_-]|[A-Z])/;

/** As `get_weather` or `getWeather` does with the weather. */
function isSubject(tool: string, part: string): boolean {
  const subject = stemsOf(tool.replace(lookup, '').replace(/_|([a-z\d])([A-Z])/g, '$1 $2'));
  return lookup.test(tool) && subject.every((stem) => stemsOf(part).includes(stem));
}

/** A part of a question names the tool's subject and all arguments. */
const isFor = (part: string, { input, tool }: Call): boolean =>
  isSubject(tool, part) &&
  Object.values(input).every((value) => part.toLowerCase().includes(String(value).toLowerCase()));

/** The part names the tool's subject and its arguments, and has no word that these and the description lack. */
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

/** Each the only fitting word or name of a text; undefined if one is not clear. */
function argumentsFrom(text: string, parameters: ParameterSchema): Record<string, unknown> | undefined {
  const words = text.split(/[\s,;:!?()"]+/);
  // The first word of a sentence has a capital whether it is a name or not.
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

export const returnedOn = (part: string, toolResults: ToolResult[]): string[] =>
  toolResults
    .filter((used) => isFor(part, used))
    .flatMap(({ result, tool }) => linesOf(result).map((line) => `${line} (${tool})`));

function linesOf(result: string): string[] {
  const lines = recordsIn(result) ?? result.split('\n').filter((line) => line.trim() !== '');
  return lines.length === 0 ? ['Nothing.'] : lines.slice(0, 5);
}

export function recordsIn(text: string): string[] | undefined {
  const value = parsedJson(text);
  return value === undefined ? undefined : [value].flat().map(inWords);
}

function inWords(value: unknown): string {
  if (typeof value !== 'object' || value === null) return String(value);
  return Object.entries(value)
    .map(([key, each]) => `${key}: ${typeof each === 'object' ? JSON.stringify(each) : String(each)}`)
    .join(', ');
}
