import { whyDebris } from './rules/debris.ts';
import type { Attempt, Candidate, GivenAnswer, OrchestrationContext } from './context.ts';
import { isDebris } from './participant.ts';
import { decisionPrompt, decisionRepair, finalText, presentPrompt } from './prompts.ts';

/** What a final agent is told, which is no answer. */
const instructions = (): string =>
  [presentPrompt, finalText(), decisionPrompt(1, 1, undefined), decisionRepair].join(' ');

type Words = Pick<GivenAnswer, 'content' | 'isCut'>;

/** Why a text that was presented is worse than the elected answer, whatever the task: in words; undefined if it may be better. */
export function whyWorse(presented: Words, elected: Words, task: string): string | undefined {
  const occasion = { task, instructions: instructions() };
  const debris = whyDebris(presented.content, occasion);
  if (debris === undefined && (!presented.isCut || elected.isCut)) return undefined;
  if (whyDebris(elected.content, occasion) !== undefined) return undefined;
  return debris === undefined ? "the final agent's text was cut off at its limit" : `the final agent wrote ${debris}`;
}

/**
 * What is delivered for an answer whose model has called nothing by itself, and would often present something else: the
 * answer, or in words why it is. Undefined where it is to be presented.
 */
export function asElected(
  { plain }: OrchestrationContext,
  attempt: Attempt,
  { answer, teamAgent }: Candidate,
): GivenAnswer | string | undefined {
  const author = attempt.participants.find((participant) => participant.teamAgent === teamAgent);
  if (author?.calling !== 'by_schema' || attempt.isPlanning || answer.isCut || isDebris(answer, plain.task))
    return undefined;
  return author.out === undefined ? answer : 'the final agent is out of the attempt';
}
