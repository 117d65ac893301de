import type { Hit, Recalled, Work } from '../../../protocol/search.ts';

/** A work that holds at least this share of an idea's words is similar to it. */
const enoughWords = 0.6;

/** A stored report is similar if its idea and the new one share at least this share of the words of both. */
const enoughInCommon = 0.55;

/**
 * The works that are similar to an idea, each once: similar hits, stored reports on close ideas, and the works that
 * these reports had found to be similar. A stored report counts by its own idea alone, and not because a search or
 * another report has found it: otherwise each try of one idea would count all the earlier tries again.
 */
export function similarWorks(hits: Hit[], recalled: Recalled[]): Work[] {
  const close = recalled.filter(({ similarity }) => similarity >= enoughInCommon);
  const works = [
    ...hits.filter((hit) => hit.similarity >= enoughWords && !isReport(hit)),
    ...close,
    ...close.flatMap(({ similar }) => similar.filter((work) => !isReport(work))),
  ];
  const byPlace = new Map<string, Work>();
  for (const { title, url } of works) {
    const place = placeOf(url);
    if (!byPlace.has(place)) byPlace.set(place, { title, url });
  }
  return [...byPlace.values()];
}

const isReport = ({ url }: Work): boolean => url.startsWith('report:');

/** An address without what may differ between links to one page. */
const placeOf = (url: string): string =>
  url
    .replace(/^https?:\/\/(?:www\.)?/i, '')
    .replace(/#.*$/, '')
    .replace(/\/+$/, '');

/** Whether there is so much similar work that planning starts again before the plan is criticised. */
export function isPriorArt(similar: number, max_similar_implementations: number): boolean {
  return similar > max_similar_implementations;
}
