import type { Amount, Piece } from './amounts.ts';
import type { Naming } from './labels.ts';
import { labelling, nameOf, type Name } from './names.ts';
import { standingOf, type Standing } from './standing.ts';
import { isBound, isCompared, isListed } from './surroundings.ts';
import { titlesOf, type Title } from './titles.ts';
import { textAt } from './tokens.ts';
import { words } from './vocabulary.ts';

/** A number of the text that may be its score. */
export interface Candidate {
  /** 0 to 100 */
  score: number;
  rank: 'viability' | 'whole' | 'unnamed';
  standing: Standing;
}

const precision = 1e6;
const articles = words('a any each every');

/** The score that an amount gives, 0 to 100; undefined: it is out of range. */
export function scoreOf({ value, base = 100 }: { value: number; base: number | undefined }): number | undefined {
  if (!(base > 0) || !(value >= 0) || value > base) return undefined;
  return Math.round(((value * 100) / base) * precision) / precision;
}

function rankOf(naming: Naming, title: Title | undefined): Candidate['rank'] | undefined {
  if (naming === 'viability' || naming === 'whole') return naming;
  if (naming === 'aspect' || naming === 'bound') return undefined;
  if (title?.about === 'viability') return 'viability';
  if (title?.about === 'aspect') return title.close ? undefined : 'unnamed';
  return naming === 'score' ? 'whole' : 'unnamed';
}

/** Whether a number is merely spoken of: `below 51`, `needs a score of 71`, `51 is the minimum`. */
function isQuoted(pieces: Piece[], at: number, { label }: Name): boolean {
  const start = label?.from ?? at;
  const article = articles.has(textAt(pieces, start));
  return isCompared(pieces, at) || isCompared(pieces, start) || isBound(pieces, at, article);
}

/** The numbers of a text that may be its score, in their order. */
export function candidatesOf(pieces: Piece[]): Candidate[] {
  const titles = titlesOf(pieces);
  const labelAt = labelling(pieces);
  const candidates: Candidate[] = [];
  let scale: number | undefined;
  // A line's title names its first score; those that follow are named by themselves.
  let used: Title | undefined;
  const baseOf = ({ base, value }: Amount, beside: number | undefined): number | undefined =>
    base ?? beside ?? (scale !== undefined && value <= scale ? scale : undefined);

  for (const [at, piece] of pieces.entries()) {
    if (piece.kind === 'scale' && piece.form === 'named') scale = piece.base;
    if (piece.kind !== 'amount') continue;
    const { label, former } = labelAt(at);
    const name = piece.sound && !isListed(pieces, at) ? nameOf(pieces, at, piece, label) : undefined;
    if (name === undefined) continue;
    if (name.naming === 'aspect') used = titles[at];
    const rank = rankOf(name.naming, titles[at] === used ? undefined : titles[at]);
    const score = scoreOf({ value: piece.value, base: baseOf(piece, label?.base) });
    if (rank === undefined || score === undefined || isQuoted(pieces, at, name)) continue;
    const standing = standingOf(pieces, former ?? at, name.label?.to ?? -1);
    const isChange = former !== undefined && (standing !== 'wished' || pieces[former]?.kind === 'amount');
    candidates.push({ score, rank, standing: isChange ? 'latest' : standing });
  }
  return candidates;
}
