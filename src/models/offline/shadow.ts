import { bestSentence, findingsOn } from './findings.ts';
import { linesOf, nothingFound } from './heard.ts';
import type { Library } from './library.ts';
import type { Prompt, PutQuestion } from './prompt.ts';
import { partsOf, readQuestion } from './question.ts';
import { shelfOf, shelvesOf } from './shelves.ts';

/** How many sentences a response has at the most; one that is to be brief has one. */
const mostSentences = 3;

/**
 * A shadow's response to another agent's question: sentences that stand in its agent's conversation, in the folder,
 * or in the answers it has seen, each with its place.
 */
export function responseTo({ text: question, brief }: PutQuestion, prompt: Prompt, library: Library): string {
  const answers = prompt.answers.map(({ name, content }) => shelfOf(linesOf({ who: name, text: content })));
  const shelves = [...shelvesOf(prompt, library), ...answers];
  const { parts, given } = readQuestion(question);
  // What is told before the question proper says what it is about.
  const told = given === '' ? [] : given.split('\n').flatMap(partsOf);
  const findings = findingsOn([...parts, ...told], question, shelves);
  const found = [...findings, bestSentence(question, shelves)].flatMap(({ sentences }) => sentences);
  const lines = new Set(found.map(({ text, place }) => `${text} (${place})`));
  if (lines.size === 0) return `${nothingFound} in ${library.name}.`;
  return [...lines].slice(0, brief ? 1 : mostSentences).join('\n');
}
