import { coverage } from '../judging.ts';
import { saysNothing, wantsFinalAnswer } from './form.ts';
import { readAnswerBrief, type AnswerBrief } from './reading.ts';
import { openingOn, valueIn } from './statement.ts';

/** The share of a requirement's words that a line must hold to meet it. */
const enough = 0.5;

/** The answer: the line of the results that meets each requirement best, and on which there is none. */
export function answerFrom(message: string): string {
  const { problem, requirements, results } = readAnswerBrief(message);
  const lines = linesOf(results);
  const found = requirements.map((each) => bestLine(each, lines));
  const said = requirements.map((each, place) => found[place] ?? `On "${each}" nothing was found.`);
  const values = found.map((line) => (line === undefined ? undefined : valueIn(line)));
  const isComputed = values.length > 0 && values.every((value) => value !== undefined);
  return [
    ...new Set(said),
    `\n(Offline model: put together from ${results.length} ${results.length === 1 ? 'result' : 'results'}.)`,
    ...(isComputed && wantsFinalAnswer(problem) ? [`\nFINAL ANSWER: ${values.join(', ')}`] : []),
  ].join('\n');
}

/** Arguments of `submit_validation`: complete where a line of the answer meets every requirement. */
export function validationOf(message: string): Record<string, unknown> {
  const { answer, failures, requirements, results }: AnswerBrief = readAnswerBrief(message);
  const said = linesOf([answer]);
  const missing = requirements.filter((each) => bestLine(each, said) === undefined);
  const share = 1 - missing.length / Math.max(1, requirements.length);
  const silent = results.flatMap((each) => each.split('\n')).filter(saysNothing);
  return {
    is_complete: missing.length === 0,
    missing_requirements: missing,
    quality: share === 1 ? 'high' : share >= enough ? 'medium' : 'low',
    warnings: [...silent, ...failures.map((line) => `failed: ${line}`)],
  };
}

/** The lines that say something. */
const linesOf = (texts: string[]): string[] =>
  texts.flatMap((text) => text.split('\n')).filter((line) => line.trim() !== '' && !saysNothing(line));

/** A line that was said on exactly this, else the one with the most of its words, if these are enough. */
function bestLine(requirement: string, lines: string[]): string | undefined {
  const own = lines.find((line) => line.startsWith(openingOn(requirement)));
  if (own !== undefined) return own;
  const covered = lines.map((line) => ({ line, share: coverage(requirement, line) }));
  const best = Math.max(0, ...covered.map(({ share }) => share));
  return best < enough ? undefined : covered.find(({ share }) => share === best)?.line;
}
