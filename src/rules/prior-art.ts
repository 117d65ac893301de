import type { Hit, Recalled, Work } from '../messages/search.ts';
export function similarWorks(hits: Hit[], recalled: Recalled[], threshold = 0.6): Work[] {
  const all = [...hits, ...recalled.flatMap((r) => (r.similarity >= threshold ? [r, ...r.similar.map((w) => ({ ...w, similarity: 1 }))] : []))].filter((h) => h.similarity >= threshold);
  return [...new Map(all.map(({ title, url }) => [url, { title, url }])).values()];
}
export const isPriorArt = (count: number, most: number): boolean => count > most;
