import type { Reach } from './reach.ts';
import { words } from './vocabulary.ts';

const conditions = words('if unless assuming provided were once');
const within = words('if when whenever unless once until assuming provided eg example potentially');
const able = words('could can might');
const would = words('would');
const mild = words('would may should will');
const beforeVerb = words('to would could can will might may should');
const raising = words('raise improve increase bring push lift boost move get reach achieve attain hit rise climb');
const raisingNow = words('raises improves increases brings pushes lifts boosts makes moves gets');
const judging = words('rate give put assign say place set grade call award argue judge estimate');
const critics = words('i we');
const adverbs = words('only still just currently therefore thus i we not at best most now easily probably likely');

/**
 * Whether a number is what the score could be (`wished`: `could reach 85`, `80 if the data were there`), or may well be
 * what it is (`supposed`: `would be 40`); undefined: it is neither.
 */
export function suppositionOf({ behindColon, sentence, ahead }: Reach): 'wished' | 'supposed' | undefined {
  const has = (some: Set<string>): boolean => behindColon.some((word) => some.has(word));
  /** Whether a verb of that kind follows one of the auxiliaries. */
  const says = (auxiliaries: Set<string>, fits: (verb: string) => boolean): boolean =>
    behindColon.some((word, at) => {
      if (!auxiliaries.has(word)) return false;
      const verb = behindColon.slice(at + 1).find((each) => !adverbs.has(each)) ?? '';
      // `I would score it`, but `it would score`.
      return fits(verb === 'score' && critics.has(behindColon[at - 1] ?? '') ? 'rate' : verb);
    });
  const conditional = [...sentence, ...ahead].some((word) => conditions.has(word));
  const first = behindColon[0] ?? '';
  const wished =
    has(within) ||
    says(able, (verb) => !judging.has(verb)) ||
    says(would, (verb) => verb !== 'be' && !judging.has(verb)) ||
    says(beforeVerb, (verb) => raising.has(verb)) ||
    (conditional && has(mild)) ||
    first === 'should';
  if (wished) return 'wished';
  const supposed =
    says(mild, (verb) => !judging.has(verb)) ||
    (first.endsWith('ing') && has(raisingNow)) ||
    sentence.includes('if') ||
    ahead[0] === 'if';
  return supposed ? 'supposed' : undefined;
}
