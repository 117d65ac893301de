import { bestSentence, findingsOn, type Finding } from './findings.ts';
import type { Library } from './library.ts';
import type { Prompt } from './prompt.ts';
import { partsOf, readQuestion } from './question.ts';

/** How the offline judge begins its instructions, and its agents read them. */
export const alsoAnswer = 'Also answer:';

/**
 * An answer made of sentences that stand in the text given, or in the folder, each with its place.
 * Personas differ in what they look for: one that is to be brief gives the single sentence that fits best,
 * every other one an answer to each part.
 */
export function answerTo(prompt: Prompt, library: Library): string {
  const question = readQuestion(prompt.task);
  const indexes = library.indexesFor([question.given, prompt.conversation]);
  const brief = /\b(brief|one sentence|short|terse|concise|few words)\b/i.test(prompt.persona);
  const parts = [
    ...question.parts,
    ...partsOf(prompt.instructions.replace(alsoAnswer, '')).filter((part) => part !== ''),
  ];
  const findings =
    brief && prompt.instructions === ''
      ? [bestSentence(question.text, indexes)]
      : findingsOn(unique(parts), question.text, indexes);
  return compose(findings, library.name);
}

function compose(findings: Finding[], folder: string): string {
  const said = new Set<string>();
  const lines: string[] = [];
  for (const { part, sentences } of findings) {
    if (sentences.length === 0) lines.push(`On "${part}" nothing was found in ${folder}.`);
    for (const { text, place } of sentences) {
      if (said.has(text)) continue;
      said.add(text);
      lines.push(`${text} (${place})`);
    }
  }
  return lines.join('\n');
}

const unique = (texts: string[]): string[] => [...new Set(texts)];
