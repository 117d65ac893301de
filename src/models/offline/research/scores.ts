import { stemsOf } from '../../../tools/words.ts';
import type { Evidence } from './evidence.ts';
import { kindOf, speaksOf } from './kinds.ts';
import type { Passage } from './material.ts';

/** Without any material nothing can be said for an idea. */
const nothingFound = 20;

/** Passages beyond these do not make a thing better known. */
const enoughPassages = 4;
const enoughOfKind = 2;

/** What each failure of much the same idea takes away, and how many count. */
const failureCost = 5;
const mostFailures = 2;

/** The share of the idea's words that a passage must hold for what it says to be about the idea. */
const aboutIdea = 0.3;

/** A score from 0 to 100; the rules are in docs/offline-model.md. */
export function scoreOf(aspect: string, evidence: Evidence): number {
  if (evidence.material.passages.length === 0) return nothingFound;
  const lowered = failureCost * Math.min(mostFailures, evidence.failures);
  return Math.round(Math.min(100, Math.max(0, rawScore(aspect, evidence) - lowered)));
}

function rawScore(aspect: string, evidence: Evidence): number {
  const { found, material, missing, plan, idea, similar, support } = evidence;
  const { passages } = material;
  const known = found.length / Math.max(1, found.length + missing.length);
  if (aspect.toLowerCase() === 'feasibility')
    return 20 + 55 * support + 10 * Math.min(1, passages.length / enoughPassages);
  if (aspect.toLowerCase() === 'novelty') {
    // That nothing is known of an idea does not make it a new one.
    return Math.min(30 + 50 * known, Math.max(20, 80 - 10 * similar));
  }
  const about = passagesOn(evidence);
  const planned = (stems: string[]): number => (speaksOf(`${idea}\n${plan}`, { stems }) ? 10 : 0);
  const kind = kindOf(aspect);
  if (kind !== undefined) {
    const speaking = about.filter((passage) => shareIn(passage, kind.stems) > 0).length;
    return 20 + 25 * support + 15 * known * Math.min(enoughOfKind, speaking) + planned(kind.stems);
  }
  const own = stemsOf(aspect);
  const share = Math.max(0, ...about.map((passage) => shareIn(passage, own)));
  return 20 + 25 * support + 30 * known * share + planned(own);
}

function passagesOn({ idea, material }: Evidence): Passage[] {
  const stems = stemsOf(idea);
  return material.passages.filter((passage) => shareIn(passage, stems) >= aboutIdea);
}

function shareIn({ stems }: Passage, wanted: string[]): number {
  return wanted.filter((stem) => stems.has(stem)).length / Math.max(1, wanted.length);
}
