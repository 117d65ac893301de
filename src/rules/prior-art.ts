import type { Hit, Recalled, Work } from '../messages/search.ts';

/** How much of an idea is in a work that counts as similar, 0 to 1. */
const similarFrom = 0.6;

/** What two addresses of the same page have in common: no scheme, `www.`, fragment or slash at the end. */
function samePage(url: string): string {
  const [page = ''] = url.split('#', 1);
  const bare = page.replace(/^https?:\/\/(?:www\.)?([^/?]*)/i, (_, host: string) => host.toLowerCase());
  return bare.replace(/(?<!\/)\/+$/, '');
}

/**
 * The works that are similar to an idea (the document "Conditional Restart Logic", Usage Examples, Prior Art Restart),
 * each once, in their order: those found, then for each stored run on a similar idea itself and what it had found.
 */
export function similarWorks(hits: Hit[], recalled: Recalled[], threshold = similarFrom): Work[] {
  const near = ({ similarity }: Hit): boolean => similarity >= threshold;
  const works = [...hits.filter(near), ...recalled.filter(near).flatMap((run) => [run, ...run.similar])];
  const distinct = new Map<string, Work>();
  for (const { title, url } of works) {
    const page = samePage(url);
    if (!distinct.has(page)) distinct.set(page, { title, url });
  }
  return [...distinct.values()];
}

/** Whether so many similar works send the planning back for novelty; `max_similar_implementations` are still accepted. */
export function isPriorArt(count: number, max_similar_implementations: number): boolean {
  return count > max_similar_implementations;
}
