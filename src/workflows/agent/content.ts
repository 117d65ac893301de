import type { Content, Text } from '../../protocol/message.ts';

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
