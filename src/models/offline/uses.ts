import type { Message, ToolSpec } from '../../protocol/message.ts';
import { stemsOf } from '../../tools/words.ts';
import { argumentsFrom } from './arguments.ts';
import type { Finding } from './findings.ts';

/** A call of a tool. */
export interface Call {
  tool: string;
  input: Record<string, unknown>;
}

/** The same with what came of it. */
export interface Use extends Call {
  result: string;
}

/** Only tools whose names say that they look something up: no other is called without understanding what it does. */
const lookup = /^(?:get|list|find|fetch|look_?up|read|search|show)(?=[_-]|[A-Z])/;

/** What a question about the present says besides: tools speak of no other time. */
const present = stemsOf('now, right now, today, current, currently, at the moment');

/** How many lines of one result are quoted. */
const mostLines = 5;

/** What a tool looks up, by its name: `get_weather`, `getWeather`: the weather. Empty for tools that do anything else. */
const subjectOf = (tool: string): string[] =>
  lookup.test(tool) ? stemsOf(tool.replace(lookup, '').replace(/([a-z\d])([A-Z])/g, '$1 $2')) : [];

function isSubject(tool: string, part: string): boolean {
  const subject = subjectOf(tool);
  const asked = new Set(stemsOf(part));
  return subject.length > 0 && subject.every((stem) => asked.has(stem));
}

/** The calls of tools that look something up, in order, as far as they have results. */
export const usesIn = (messages: Message[]): Use[] =>
  callsIn(messages).filter(({ tool }) => lookup.test(tool));

/** All calls, in order, as far as they have results. */
export function callsIn(messages: Message[]): Use[] {
  const results = new Map(
    messages.flatMap((message) => (message.role === 'tool' ? [[message.callId, message.content]] : [])),
  );
  return messages
    .flatMap((message) => (message.role === 'assistant' ? (message.toolCalls ?? []) : []))
    .flatMap(({ id, name, arguments: text }) => {
      const result = results.get(id);
      const input = parsed(text);
      if (result === undefined || typeof input !== 'object' || input === null) return [];
      return [{ tool: name, input: input as Use['input'], result }];
    });
}

/**
 * A call that answers a part of a question: its tool's name says what is asked for, its arguments stand in the part, and
 * the part says nothing that stands neither in these nor in the tool's description. Undefined in any doubt.
 */
function callFor(part: string, tools: ToolSpec[]): Call | undefined {
  for (const { name, description, parameters } of tools.filter((tool) => isSubject(tool.name, part))) {
    const input = argumentsFrom(part, parameters);
    if (input === undefined) continue;
    const known = new Set([...stemsOf([description, ...Object.values(input)].join(' ')), ...present]);
    if (stemsOf(part).every((stem) => known.has(stem))) return { tool: name, input };
  }
  return undefined;
}

/** Whether a call was made for a part of a question: both name the same things. */
export function isFor(part: string, { tool, input }: Call): boolean {
  const words = part.toLowerCase();
  return (
    isSubject(tool, part) &&
    Object.values(input).every((value) => words.includes(String(value).toLowerCase()))
  );
}

/** The first part that no use was made for and that a tool fits, as a call of that tool. */
export function nextCall(parts: string[], uses: Use[], tools: ToolSpec[]): Call | undefined {
  for (const part of parts.filter((each) => !uses.some((use) => isFor(each, use)))) {
    const call = callFor(part, tools);
    if (call !== undefined) return call;
  }
  return undefined;
}

/** What tools have returned on a part; undefined where none was used for it. */
export function returnedOn(part: string, uses: Use[]): Finding | undefined {
  const fitting = uses.filter((use) => isFor(part, use));
  if (fitting.length === 0) return undefined;
  return {
    part,
    sentences: fitting.flatMap((use) => linesOf(use).map((text) => ({ text, place: use.tool }))),
  };
}

/** What a tool returned, in lines: of a list in JSON one for each entry, with the names of its values. */
export function linesOf({ result }: Use): string[] {
  const value = parsed(result);
  const lines =
    value === undefined
      ? result.split('\n').filter((line) => line.trim() !== '')
      : [value].flat().map(inWords);
  return lines.length === 0 ? ['Nothing.'] : lines.slice(0, mostLines);
}

/** Undefined: no JSON. Another model may have written it, before this one went on. */
export function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

function inWords(value: unknown): string {
  if (typeof value !== 'object' || value === null) return String(value);
  return Object.entries(value)
    .map(([key, each]) => `${key}: ${typeof each === 'object' ? JSON.stringify(each) : String(each)}`)
    .join(', ');
}
