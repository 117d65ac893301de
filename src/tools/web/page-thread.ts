import { Readability } from '@mozilla/readability';
import { parseHTML } from 'linkedom/worker';
import { textOfElements } from '../../util/text/elements.ts';

/** `page`: its address; if that is absent, only complete links keep where they lead. */
export type PageTask = { html: string; page?: string; main?: boolean } | { json: string };

export interface PageText {
  /** All of its text, a line for each block, without scripts, styles and tags. Links have their address in parentheses. */
  whole: string;
  /** The same without menus and the like; undefined if that was not asked for, or is not clear. */
  main?: string;
}

/** A part with less text than this is not the main one of a page that has more than twice as much, in characters. */
const leastMain = 500;
/** Nor is one with a smaller share of the page's text than this. */
const leastShare = 0.05;

/**
 * In a thread of its own: the time for deeply nested elements grows with the square of their number.
 *
 * @param post is given the whole text first: it is there even if the main part takes more time or memory than there is
 */
export default function readPage(task: PageTask, post: (whole: string) => void): PageText {
  if ('json' in task) return { whole: prettyJson(task.json) };
  const { html, main: isMainWanted = false, page } = task;
  const place = page === undefined ? undefined : { page, base: baseOf(html, page) };
  const text = (part: string): string => textOfElements(part, (href) => addressOf(href, place));
  const whole = text(html);
  post(whole);
  const main = isMainWanted ? mainOf(html, text, whole) : undefined;
  return { whole, ...(main !== undefined && { main }) };
}

function prettyJson(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text.trim();
  }
}

function baseOf(html: string, page: string): string {
  const [, stated] = /<base\s[^>]*?href\s*=\s*["']?([^"'\s>]+)/i.exec(html) ?? [];
  return (stated !== undefined && URL.parse(stated, page)?.href) || page;
}

function mainOf(html: string, text: (html: string) => string, whole: string): string | undefined {
  try {
    const { document } = parseHTML(html);
    const { content, title } = new Readability(document).parse() ?? {};
    const main = text(content ?? '').trim();
    if (main.length < whole.length * leastShare) return undefined;
    if (main.length < leastMain && whole.length > 2 * main.length) return undefined;
    const heading = title?.replaceAll(/\s+/g, ' ').trim() ?? '';
    return heading === '' || main.slice(0, 2 * heading.length).includes(heading) ? main : `${heading}\n${main}`;
  } catch {
    return undefined;
  }
}

/** Within the page's site by its path, so that menus do not repeat the host. '' for the same page, scripts and mail. */
function addressOf(href: string, place: { page: string; base: string } | undefined): string {
  if (href.startsWith('#')) return '';
  if (place === undefined) return /^https?:/i.test(href) ? href : '';
  const url = URL.parse(href, place.base);
  if (url === null || !/^https?:$/.test(url.protocol)) return '';
  return url.origin === new URL(place.page).origin ? `${url.pathname}${url.search}${url.hash}` : url.href;
}
