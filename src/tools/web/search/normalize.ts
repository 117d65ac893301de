import type { SearchHit } from './provider.ts';

/** The longest parts of a work, in characters. */
const maxChars = { title: 200, url: 2000, text: 1200 };

/** The number of characters of a text that are read at all, since services sometimes send whole pages. */
const looked = 20_000;

/**
 * Works for models and people, as plain text on one line each, of a limited length. Left out are those without a title,
 * repeated addresses, and too long ones: a shortened one would lead elsewhere.
 */
export function normalized(found: SearchHit[]): SearchHit[] {
  const seen = new Set<string>();
  return found.flatMap(({ title, url, text }) => {
    const name = bounded(plain(title), maxChars.title);
    if (name === '' || url.length > maxChars.url || seen.has(url)) return [];
    seen.add(url);
    return [{ title: name, url, text: bounded(plain(text), maxChars.text) }];
  });
}

/** Removes tags, control characters and line breaks, so that nothing in a text can pass for a line of a prompt. */
export function plain(text: string): string {
  return text
    .slice(0, looked)
    .toWellFormed()
    .replace(/<\/?(?:b|em|i|mark|span|strong)(?:\s[^<>]*)?>/gi, '')
    .replace(/<[/!]?[a-z-][^<>]*>/gi, ' ')
    .replace(/[\p{Cc}\s]+/gu, ' ')
    .trim();
}

/** Shortens a text that is too long, between words. @param length the longest length in characters */
export function bounded(text: string, length: number): string {
  if (text.length <= length) return text;
  return `${text.slice(0, length - 1).replace(/\s+\S{0,40}$|[\uD800-\uDBFF]$/, '')}…`;
}
