import { stemsOf } from '../../tools/words.ts';
import { readQuestion } from './question.ts';

/** The share of a part's words that an answer must hold to cover it. */
const enough = 0.5;

/** How much of a question's words an answer holds, 0 to 1. */
export function coverage(question: string, answer: string): number {
  const wanted = new Set(stemsOf(question));
  if (wanted.size === 0) return 1;
  const held = new Set(stemsOf(answer));
  return [...wanted].filter((stem) => held.has(stem)).length / wanted.size;
}

/** The parts of a task that an answer does not speak of. That nothing was found on a part speaks of it. */
export function uncoveredParts(task: string, answer: string): string[] {
  return readQuestion(task).parts.filter((part) => coverage(part, answer) < enough);
}

/** The answer that covers the most parts, then the most words; of equals the shorter, then the first. */
export function bestAnswer<T extends { content: string }>(task: string, answers: T[]): T | undefined {
  const rank = ({ content }: T): number[] => [
    -uncoveredParts(task, content).length,
    -(content.match(/nothing was found/g)?.length ?? 0),
    coverage(task, content),
    -content.length,
  ];
  return answers.reduce<T | undefined>(
    (best, answer) => (best === undefined || isHigher(rank(answer), rank(best)) ? answer : best),
    undefined,
  );
}

function isHigher(one: number[], other: number[]): boolean {
  const index = one.findIndex((value, place) => value !== other[place]);
  return index !== -1 && (one[index] ?? 0) > (other[index] ?? 0);
}
