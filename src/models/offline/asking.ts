import { isAbout, type Ask, type Exchange } from './heard.ts';
import { isQuestion } from './question.ts';

/** The question that a persona's line `Ask the others first: "…"` (or `Ask a person first: "…"`) puts. */
export function firstQuestionIn(persona: string): string | undefined {
  return /^[ \t]*Ask (?:the others|a person) first: "(.+)"[ \t]*$/m.exec(persona)?.[1];
}

/** A part of a task on which nothing was found, as a question for others. */
export function questionOn(part: string): string {
  const words = part.replace(/[?.!\s]+$/, '');
  return isQuestion(words)
    ? `${words.charAt(0).toUpperCase()}${words.slice(1)}?`
    : `What is known of this: ${words}?`;
}

/**
 * The first of the wanted questions that is still to be asked; undefined when none is, or when there is nobody to ask.
 * A question is asked once, and once more where what a person had answered before did not answer it.
 */
export function nextQuestion(wanted: string[], asks: Ask[], exchanges: Exchange[]): string | undefined {
  if (asks.some(isHopeless)) return undefined;
  return wanted.find((question) => {
    if (exchanges.some((exchange) => isAbout(question, exchange))) return false;
    const before = asks.filter((ask) => ask.question === question);
    return before.length === 0 || (before.length === 1 && before[0]?.result?.status === 'deferred');
  });
}

/** Refused, or nobody there: asking on would only take time. */
const isHopeless = ({ result }: Ask): boolean =>
  result === undefined ||
  result.status === 'error' ||
  (result.status === 'timeout' && result.responses.length === 0);
