import type { Work } from '../../../protocol/search.ts';

/** A hit with the mark by which models cite it, as in `[1.2]`. */
export interface MarkedHit {
  mark: string;
  hit: Work;
}

/** Reads the marks that a critic names: `1.2` or `[1.2]`. @returns those that belong to a hit, and those that do not */
export function readMarks(named: unknown, hits: MarkedHit[]): { known: string[]; unknown: string[] } {
  const texts = Array.isArray(named) ? named.map(String) : [];
  const marks = new Set(texts.map((text) => text.replace(/^\s*\[|\]\s*$/g, '').trim()).filter((mark) => mark !== ''));
  const isKnown = (named: string): boolean => hits.some(({ mark }) => mark === named);
  return { known: [...marks].filter(isKnown), unknown: [...marks].filter((mark) => !isKnown(mark)) };
}

/** The works behind marks, each once. The reports of earlier runs are lessons, and never prior art. */
export function worksAt(marks: string[], hits: MarkedHit[]): Work[] {
  return once(hits.filter(({ mark }) => marks.includes(mark)).map(({ hit }) => hit)).filter((work) => !isReport(work));
}

/** Whether there is so much similar work that planning starts again, whatever the plan's score. */
export function isPriorArt(similar: number, max_similar_implementations: number): boolean {
  return similar > max_similar_implementations;
}

function once(works: Work[]): Work[] {
  const byPlace = new Map<string, Work>();
  for (const { title, url } of works) {
    const place = placeOf(url);
    if (!byPlace.has(place)) byPlace.set(place, { title, url });
  }
  return [...byPlace.values()];
}

export const isReport = ({ url }: Work): boolean => url.startsWith('report:');

/** An address without what may differ between links to one page. */
const placeOf = (url: string): string =>
  url
    .replace(/^https?:\/\/(?:www\.)?/i, '')
    .replace(/#.*$/, '')
    .replace(/\/+$/, '');
