import type { Found } from './provider.ts';

/** In characters. */
const longest = { title: 200, url: 2000, text: 1200 };

/** What is read of a text at all: services send whole pages at times. */
const looked = 20_000;

/**
 * Works as they are shown to models and people: plain text on one line each, bounded. What is left without a title is
 * left out, and so are addresses that come again, or are too long: a shortened one would lead elsewhere.
 */
export function tidied(found: Found[]): Found[] {
  const seen = new Set<string>();
  return found.flatMap(({ title, url, text }) => {
    const name = bounded(plain(title), longest.title);
    if (name === '' || url.length > longest.url || seen.has(url)) return [];
    seen.add(url);
    return [{ title: name, url, text: bounded(plain(text), longest.text) }];
  });
}

/** Without tags and control characters, on one line: nothing in it can pass for a line of its own. */
function plain(text: string): string {
  return text
    .slice(0, looked)
    .toWellFormed()
    .replace(/<\/?(?:b|em|i|mark|span|strong)(?:\s[^<>]*)?>/gi, '')
    .replace(/<[/!]?[a-z-][^<>]*>/gi, ' ')
    .replace(/[\p{Cc}\s]+/gu, ' ')
    .trim();
}

/** Cut between words where it is too long. */
export function bounded(text: string, length: number): string {
  if (text.length <= length) return text;
  return `${text.slice(0, length - 1).replace(/\s+\S{0,40}$|[\uD800-\uDBFF]$/, '')}…`;
}
