import { piecesOf, type Amount, type Piece } from './score/amounts.ts';
import { candidatesOf, scoreOf, type Candidate } from './score/candidates.ts';
import { plainText } from './score/plain-text.ts';
import { standsAlone } from './score/surroundings.ts';
import { tokensOf } from './score/tokens.ts';
import { fillerMarks, fillers, judgements, words } from './score/vocabulary.ts';

/** What is read at the most: a critic concludes at the end, and workflow code must come to rest within two seconds. */
const longest = 100_000;

const ends = words('# . ! ) ] }');

/** The number that is the whole text, but for words such as `approximately`. */
function soleAmount(pieces: Piece[]): Amount | undefined {
  const amounts = pieces.filter((piece) => piece.kind === 'amount');
  const bare = pieces.every(({ kind, text }) => {
    if (kind === 'mark') return fillerMarks.has(text) || ends.has(text);
    return kind !== 'word' || fillers.has(text) || judgements.has(text);
  });
  const [amount] = amounts;
  if (amount === undefined || amounts.length > 1 || !amount.sound || !bare) return undefined;
  const usual = [undefined, 10, 100].includes(amount.base);
  if (!usual || !standsAlone(pieces, pieces.indexOf(amount), true)) return undefined;
  const scale = pieces.find((piece) => piece.kind === 'scale');
  return { ...amount, base: amount.base ?? scale?.base };
}

/** The last of those that its critic stands by most; of numbers that nothing names only one that is alone. */
function chosenOf(candidates: Candidate[]): number | undefined {
  for (const rank of ['viability', 'whole'] as const) {
    const ranked = candidates.filter((each) => each.rank === rank);
    const latest = ranked.filter((each) => each.standing === 'latest');
    const chosen = (latest.length > 0 ? latest : ranked).at(-1);
    if (chosen !== undefined) return chosen.score;
  }
  const scores = new Set(candidates.map(({ score }) => score));
  return scores.size === 1 ? candidates[0]?.score : undefined;
}

/**
 * The viability score, 0 to 100, that a critic's text gives (the document "Conditional Restart Logic", section Scoring
 * System); undefined: it gives none. Fractions and percentages are scaled. A score of the viability comes before one of
 * the whole, and that before a fraction without a name; scores of single aspects, bands, thresholds and numbers out of
 * range are none. Of several of a kind the last counts, or the one that is called final. Of a long text the last 100,000
 * characters are read.
 */
export function scoreIn(text: string): number | undefined {
  const pieces = piecesOf(tokensOf(plainText(text.slice(-longest))));
  const sole = soleAmount(pieces);
  if (sole !== undefined) return scoreOf(sole);
  const candidates = candidatesOf(pieces);
  const by = (...standings: Array<Candidate['standing']>): number | undefined =>
    chosenOf(candidates.filter(({ standing }) => standings.includes(standing)));
  return by('latest', 'usual') ?? by('first') ?? by('supposed');
}
