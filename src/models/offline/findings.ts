import { queryOf, type Hit, type Query } from '../../tools/sentence-search.ts';
import type { Sentence } from '../../tools/sentences.ts';
import { holdsNumber, wantsNumber } from './question.ts';
import type { Shelf } from './shelves.ts';

/** What was found on one part of a question; no sentences: nothing was. */
export interface Finding {
  part: string;
  sentences: Array<{ text: string; place: string }>;
}

/** A part is answered by a sentence that holds at least this share of what it asks for. */
const enough = 0.35;

/** How much the rest of the question counts for one of its parts: `the limit` is that of what was asked before. */
const contextWeight = 0.3;

/** One sentence for a whole question of several parts cannot hold as much. */
const enoughOfWhole = 0.25;

/** The measure in `how long…` is what is asked for, not what the answer says. */
const measure =
  /\bhow (?:many|much|long|old|far|often|large|big|tall|high|fast|hot|cold|deep|wide|heavy)\b/gi;

/** What is counted in `how many…` must be in the answer. */
const countedWeight = 2;

/** A number speaks for a sentence where one is asked for. */
const numberBonus = 1.4;

/** Sentences that lean on the one before them. */
export const leaning =
  /^(it|its|this|that|these|those|they|he|she|then|there|both|such|otherwise|however|also)\b/i;

/** The parts of one question are about one thing: what stands near another part's answer speaks for a sentence. */
const sameFileBonus = 1.3;
const sameHeadingBonus = 1.6;

/** What answers nothing: a question, and what this model has said in an earlier answer of its own doing. */
const idle = /\?$|nothing was found in |those asked had no answer\.$|^\(Offline model: /;

/**
 * Looks up each part; several shelves are asked in turn, and the first that knows something answers.
 *
 * @param whole its other words speak for a sentence too, which need not hold them
 */
export function findingsOn(parts: string[], whole: string, shelves: Shelf[], least = enough): Finding[] {
  const queries = parts.map((part) => {
    const query = queryFor(part);
    return { part, query, context: without(queryFor(whole, contextWeight), query) };
  });
  const find = (near: Sentence | undefined): Array<{ part: string; found: Found | undefined }> =>
    queries.map(({ part, query, context }) => {
      for (const shelf of shelves) {
        const hit = bestHit(part, shelf.index.search(query, context), least, near);
        if (hit !== undefined) return { part, found: { hit, shelf } };
      }
      return { part, found: undefined };
    });
  const surest = find(undefined)
    .flatMap(({ found }) => (found === undefined ? [] : [found.hit]))
    .reduce<Hit | undefined>(
      (best, hit) => (best === undefined || hit.score > best.score ? hit : best),
      undefined,
    );
  return find(surest?.sentence).map(({ part, found }) => ({
    part,
    sentences: found === undefined ? [] : quoted(found),
  }));
}

interface Found {
  hit: Hit;
  shelf: Shelf;
}

/** The one sentence that fits a question best, however little that is. */
export function bestSentence(question: string, shelves: Shelf[], whole = question): Finding {
  const [finding] = findingsOn([question], whole, shelves, enoughOfWhole);
  return finding ?? { part: question, sentences: [] };
}

function queryFor(text: string, weight = 1): Query {
  const counted = /\bhow (?:many|much)\s+(\w+)/i.exec(text)?.[1] ?? '';
  return new Map([
    ...queryOf(text.replace(measure, ' '), weight),
    ...queryOf(counted, weight * countedWeight),
  ]);
}

function without(query: Query, other: Query): Query {
  return new Map([...query].filter(([stem]) => !other.has(stem)));
}

function bestHit(part: string, hits: Hit[], least: number, near: Sentence | undefined): Hit | undefined {
  const numeric = wantsNumber(part);
  const worth = ({ score, sentence }: Hit): number =>
    score * nearness(sentence, near) * (numeric && holdsNumber(sentence.text) ? numberBonus : 1);
  const fitting = hits.filter(({ coverage, sentence }) => coverage >= least && !idle.test(sentence.text));
  return fitting.reduce<Hit | undefined>(
    (best, hit) => (best === undefined || worth(hit) > worth(best) ? hit : best),
    undefined,
  );
}

function nearness({ source, heading }: Sentence, near: Sentence | undefined): number {
  if (source !== near?.source) return 1;
  return heading === near.heading ? sameHeadingBonus : sameFileBonus;
}

function quoted({ hit, shelf }: Found): Finding['sentences'] {
  const { sentence } = hit;
  const before = shelf.index.at(hit.index - 1);
  const needed =
    leaning.test(sentence.text) && before?.source === sentence.source ? [before, sentence] : [sentence];
  return needed.map((each) => ({ text: each.text, place: shelf.placeOf(each) }));
}
