import { stemsOf } from '../../tools/words.ts';

/** A question, the parts that each want an answer, and the text that came with it. */
export interface Question {
  text: string;
  parts: string[];
  /** The rest of the task: a text to answer from. */
  given: string;
}

const asks =
  'what|how|when|who|whom|whose|where|which|why|is|are|was|were|does|do|did|can|could|should|will|would|has|have';

const boundaries = new RegExp(
  [
    String.raw`\?+\s*`,
    String.raw`;\s*`,
    String.raw`,?\s+(?:and|or|but)\s+(?:also\s+)?(?=(?:${asks})\b)`,
    String.raw`,\s+(?=(?:what|how|when|who|whom|whose|where|which|why)\b)`,
  ].join('|'),
  'i',
);

/** The most that a task without a question mark may have to be a question itself rather than a text. */
const shortTask = 300;

export function readQuestion(task: string): Question {
  const sentences = task.split(/(?<=[.!?])\s+|\n+/).map((sentence) => sentence.trim());
  const asked = sentences.filter((sentence) => sentence.endsWith('?'));
  const [first = '', ...others] = sentences;
  const isShort = task.length <= shortTask;
  const text = asked.length > 0 ? asked.join(' ') : isShort ? task : first;
  const rest = asked.length > 0 ? sentences.filter((sentence) => !asked.includes(sentence)) : others;
  return { text, parts: partsOf(text), given: isShort && asked.length === 0 ? '' : rest.join('\n') };
}

/** Splits a question where another one begins; what holds no word of its own stays with the part before. */
export function partsOf(question: string): string[] {
  const parts: string[] = [];
  for (const piece of question.split(boundaries)) {
    const part = piece.trim().replace(/[?.,;]+$/, '');
    if (stemsOf(part).length > 0) parts.push(part);
  }
  return parts.length > 0 ? parts : [question.trim()];
}

/** Whether a part begins as questions do. */
export const isQuestion = (part: string): boolean => new RegExp(`^(?:${asks})\\b`, 'i').test(part);

/** Whether a part asks for a number. */
export const wantsNumber = (part: string): boolean =>
  /\bhow (many|much|long|old|far|often|large|big|tall|high|fast|hot|deep|wide)\b|\bwhat (is the )?(number|price|cost|temperature|amount)\b/i.test(
    part,
  );

/** Whether a text holds a number, in digits or in words. */
export const holdsNumber = (text: string): boolean =>
  /\d|\b(zero|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|twenty|thirty|forty|fifty|hundred|thousand|once|twice|none|no|unlimited|dozen|half)\b/i.test(
    text,
  );

/** What a question says that is about something named before it. */
const following =
  /^(?:and|but|so|then|what about|how about)\b|\b(?:it|its|they|them|their|he|him|his|she|her|there|that|this|those|these)\b/i;

/** How many of the parts asked before a follow-up question is taken to be about. */
const mostBefore = 3;

/** A question with what was asked before it, where it is a follow-up question; else the question alone. */
export function followedUp(question: string, conversation: string): string {
  if (conversation === '' || !following.test(question)) return question;
  const before = partsOf(readQuestion(conversation).text).slice(-mostBefore);
  return [question, ...before].join(' ');
}
