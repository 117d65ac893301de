import type { Piece } from './amounts.ts';
import { reachOf } from './reach.ts';
import { suppositionOf } from './supposition.ts';
import { textAt } from './tokens.ts';
import { counters, givingVerbs, isViability, scoreNouns, wholeNouns, words } from './vocabulary.ts';

/**
 * How a score stands to the others of its text: `latest` and `usual` are its critic's; `first` and `supposed` (what it
 * would be) count where there is no other; `past` and `wished` (what it could be) never do.
 */
export type Standing = 'latest' | 'usual' | 'first' | 'supposed' | 'past' | 'wished';

const pastAdverbs = words('previously formerly');
const pastAdjectives = words('previous prior earlier last former old before');
const firstAdverbs = words('initially originally');
const firstAdjectives = words('initial original first preliminary');
const latestWords = words('final finally revised updated adjusted corrected new current currently now latest overall');
const rounds = words('iteration round cycle attempt pass draft version plan time run review idea one value');
const firstNumbers = words('1 one');
const comparing = words('over than unlike to with since on from');
const leading = words('( [ in for at the on during from my our');
const longestRemark = 12;

/** Whether an adjective tells when the number was given: `previous score`, but not `prior art` or `than the last one: 62`. */
function isOfTime(clause: string[], at: number): boolean {
  const before = clause[at - 1] === 'the' ? clause[at - 2] : clause[at - 1];
  const behind = clause.slice(at + 1);
  const isVerb = (word: string): boolean =>
    word === ':' || word === 'is' || (givingVerbs.has(word) && !scoreNouns.has(word));
  if (comparing.has(before ?? '') && behind.some(isVerb)) return false;
  if (behind.length === 0 || behind[0] === ':') return true;
  const isRound = (word: string): boolean =>
    rounds.has(word) || scoreNouns.has(word) || wholeNouns.has(word) || isViability(word);
  return clause[at] !== 'before' && behind.slice(0, 3).some(isRound);
}

/** Whether what is bracketed here speaks of another number: `62 (previous: 45)`. */
function hasOwnNumber(pieces: Piece[], open: number): boolean {
  if (textAt(pieces, open) !== '(') return false;
  const inside = pieces.slice(open, open + longestRemark);
  const close = inside.findIndex(({ text }) => text === ')');
  return inside
    .slice(0, close < 0 ? inside.length : close)
    .some(({ kind }, at) => kind === 'amount' && !counters.has(textAt(inside, at - 1)));
}

/** By what stands right behind the number: `45 (previous)`, `45 in iteration 1`, `62 (revised)`. */
function standingAfter(pieces: Piece[], number: number): Standing | undefined {
  if (hasOwnNumber(pieces, number + 1)) return undefined;
  let at = number + 1;
  while (leading.has(textAt(pieces, at))) at += 1;
  const text = textAt(pieces, at);
  if (pastAdverbs.has(text)) return 'past';
  if (pastAdjectives.has(text)) return textAt(pieces, at + 1) === 'art' ? undefined : 'past';
  const firstRound = counters.has(text) && firstNumbers.has(textAt(pieces, at + 1));
  if (firstRound || firstAdverbs.has(text) || firstAdjectives.has(text)) return 'first';
  return latestWords.has(text) ? 'latest' : undefined;
}

function standingBefore(clause: string[]): Standing | undefined {
  const has = (adverbs: Set<string>, adjectives: Set<string>): boolean =>
    clause.some((word, at) => adverbs.has(word) || (adjectives.has(word) && isOfTime(clause, at)));
  if (has(pastAdverbs, pastAdjectives)) return 'past';
  const firstRound = clause.some(
    (word, at) => (word === 'iteration' || word === 'round') && firstNumbers.has(clause[at + 1] ?? ''),
  );
  if (firstRound || has(firstAdverbs, firstAdjectives)) return 'first';
  return clause.some((word) => latestWords.has(word)) ? 'latest' : undefined;
}

/** @param label index of the last piece of the number's name; -1: it has none */
export function standingOf(pieces: Piece[], number: number, label: number): Standing {
  const reach = reachOf(pieces, number, label);
  const supposition = suppositionOf(reach);
  if (supposition === 'wished') return supposition;
  const time = standingAfter(pieces, number) ?? standingBefore(reach.clause);
  return time === 'past' ? time : (supposition ?? time ?? 'usual');
}
