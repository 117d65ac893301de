import type { Hit, Recalled, Work } from '../../../protocol/search.ts';

/** A work that holds at least this share of an idea's words is similar to it. */
const enoughWords = 0.6;

/** Addresses of stored reports. */
const reportPrefix = 'report:';

/** The same of a stored idea, whose words are compared both ways. */
const enoughInCommon = 0.55;

/**
 * The works that are similar to an idea, each once: those among the hits, the stored reports on ideas close to it, and
 * what these had found to be similar to theirs. A report counts by its own idea alone: neither as a text that was found,
 * nor since another report had found it, or a series of tries would count once more with each.
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

const isReport = ({ url }: Work): boolean => url.startsWith(reportPrefix);

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
