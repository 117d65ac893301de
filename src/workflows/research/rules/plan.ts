import type { Plan } from '../../../protocol/research.ts';
import { hasWords, objectIn } from '../../agent/text.ts';
import { beginningOf } from '../../runtime/size.ts';

const mostQueries = 5;
/** The longest idea and the longest query, in characters. */
const longestIdea = 500;
const longestQuery = 400;

export function planOf(input: Record<string, unknown>): Plan {
  const queries = (input['queries'] as string[])
    .map((query) => beginningOf(query.trim(), longestQuery))
    .filter((query) => query !== '');
  const idea = oneLine(String(input['idea']));
  return {
    idea,
    approach: String(input['approach']),
    queries: [...new Set(queries.length === 0 ? [idea] : queries)].slice(0, mostQueries),
  };
}

/**
 * From free text, which holds it as JSON or names its idea on a line `Idea: …`; else the first line with words is the idea.
 *
 * @param kept the idea if the text names none; undefined if it must change
 * @returns undefined if the text is blank
 */
export function planIn(text: string, kept: string | undefined): Plan | undefined {
  if (text.trim() === '') return undefined;
  const object = objectIn(text);
  if (object !== undefined && typeof object['idea'] === 'string' && oneLine(object['idea']) !== '') {
    const { approach, queries } = object;
    return planOf({
      idea: object['idea'],
      approach: typeof approach === 'string' ? approach : text,
      queries: Array.isArray(queries) ? queries.filter((query) => typeof query === 'string') : [],
    });
  }
  const lines = text.split('\n').map(plainLine);
  const labelled = lines.flatMap((line) => /^(?:new |changed |revised )?idea\s*:\s*(.+)$/i.exec(line)?.[1] ?? []);
  const idea = oneLine(labelled[0] ?? kept ?? lines.find(hasWords) ?? text);
  return { idea, approach: text, queries: [idea] };
}

/** A line without its Markdown: headings, quotes, list signs, emphasis and code. */
const plainLine = (line: string): string =>
  line
    .replace(/^[\s#>*\-•]+|^\s*\d+[.)]\s+/g, '')
    .replace(/\*\*|__|`/g, '')
    .trim();

const oneLine = (text: string): string =>
  beginningOf(
    text
      .replace(/\s+/g, ' ')
      .trim()
      .replace(/^["“]|["”]$/g, ''),
    longestIdea,
  );

/** Whether two ideas have the same words in the same order, apart from punctuation and case. */
export function isSameIdea(one: string, other: string): boolean {
  return wordsOf(one) === wordsOf(other);
}

const wordsOf = (idea: string): string =>
  idea
    .toLowerCase()
    .match(/[\p{L}\p{N}]+/gu)
    ?.join(' ') ?? '';
