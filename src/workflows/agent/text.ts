import type { Content, Text } from '../../protocol/message.ts';

/** Whether a text has a letter or a digit. */
export const hasWords = (text: string): boolean => /[\p{L}\p{N}]/u.test(text);

/** The JSON object in a text, in a fenced block or among other words; undefined when there is none. */
export function objectIn(text: string): Record<string, unknown> | undefined {
  const fenced = /```(?:json)?\s*\n([^]*?)\n\s*```/.exec(text)?.[1];
  const from = text.indexOf('{');
  const until = text.lastIndexOf('}');
  const whole = from === -1 || until < from ? undefined : text.slice(from, until + 1);
  for (const candidate of [fenced, whole]) {
    if (candidate === undefined) continue;
    try {
      const value: unknown = JSON.parse(candidate);
      if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
    } catch {
      // The braces are not JSON.
    }
  }
  return undefined;
}

/** Joins contents without a separator, and adjacent strings into one. */
export function joinContent(parts: Content[]): Text[] {
  const joined: Text[] = [];
  for (const part of parts.flat()) {
    const last = joined.at(-1);
    if (typeof part === 'string' && typeof last === 'string') joined[joined.length - 1] = last + part;
    else joined.push(part);
  }
  return joined;
}
