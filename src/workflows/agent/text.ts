import type { Content, Text } from '../../protocol/message.ts';

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

/** What every sentence of a text must have to be taken for words of its instructions, in words. */
export const sentenceWords = 3;

/** For comparisons: without case, marks and numbers. */
export const plain = (text: string): string =>
  text
    .toLowerCase()
    .replaceAll(/[*_`"']/g, '')
    .replaceAll(/\d+/g, '#')
    .replaceAll(/\s+/g, ' ')
    .trim();

/** Whether a text is nothing but sentences of its instructions. A label before one, such as `THOUGHT:`, is part of it. */
export function isEcho(text: string, instructions: string): boolean {
  const sentences = text
    .split(/(?<=[.!?:])\s+|\n+/)
    .map(plain)
    .filter(hasWords);
  const plainInstructions = plain(instructions);
  const isWhole = (sentence: string): boolean => sentence.split(' ').length >= sentenceWords;
  return (
    sentences.some(isWhole) &&
    sentences.every((each) => (isWhole(each) || each.endsWith(':')) && plainInstructions.includes(each))
  );
}
