import type { Hit, Recalled, Work } from '../messages/search.ts';

/** A work that holds at least this share of an idea's words is similar to it. */
const enoughWords = 0.6;

/** Addresses of stored reports. */
const reportPrefix = 'report:';

/** The same of a stored idea, whose words are compared both ways. */
const enoughInCommon = 0.55;

/**
 * The works that are similar to an idea, each once: those among the hits, the stored reports on ideas close to it, and
 * what these had found to be similar to theirs.
 */
export function similarWorks(hits: Hit[], recalled: Recalled[]): Work[] {
  const close = recalled.filter(({ similarity }) => similarity >= enoughInCommon);
  const works = [
    // A stored report that was found as a text is told by its idea.
    ...hits.filter(({ similarity, url }) => similarity >= enoughWords && !url.startsWith(reportPrefix)),
    ...close,
    ...close.flatMap(({ similar }) => similar),
  ];
  const byPlace = new Map<string, Work>();
  for (const { title, url } of works) {
    const place = placeOf(url);
    if (!byPlace.has(place)) byPlace.set(place, { title, url });
  }
  return [...byPlace.values()];
}

/** Addresses that lead to one page are one. */
const placeOf = (url: string): string =>
  url
    .replace(/^https?:\/\/(?:www\.)?/i, '')
    .replace(/#.*$/, '')
    .replace(/\/+$/, '');

/** Whether there is so much similar work that a plan is drawn anew before it is criticised. */
export function isPriorArt(similar: number, max_similar_implementations: number): boolean {
  return similar > max_similar_implementations;
}
