import { firstQuestionIn, nextQuestion, questionOn } from './asking.ts';
import { bestSentence, findingsOn, type Finding } from './findings.ts';
import { exchangesIn, isAbout, saidOn } from './heard.ts';
import type { Library } from './library.ts';
import type { Prompt } from './prompt.ts';
import { followedUp, partsOf, readQuestion } from './question.ts';
import { shelvesOf } from './shelves.ts';
import { returnedOn } from './uses.ts';

/** How the offline judge begins its instructions, and its agents read them. */
export const alsoAnswer = 'Also answer:';

/**
 * An answer made of sentences that stand in the text given, in the folder, or in what others or tools have told, each
 * with its place. Personas differ in what they look for: one that is to be brief gives the single sentence that fits best,
 * every other one an answer to each part.
 */
export function answerTo(prompt: Prompt, library: Library): string {
  const found = findingsFor(prompt, library);
  const exchanges = exchangesIn(prompt.asks);
  const asked = wantedQuestions(prompt, found).filter(
    ({ question }) =>
      exchanges.some((exchange) => isAbout(question, exchange)) ||
      prompt.asks.some((ask) => ask.question === question),
  );
  const heard = asked.map(({ part, question }) => ({ ...saidOn(question, exchanges), part }));
  return compose(found, heard, library.name);
}

/** What the agent wants to ask others before it answers; undefined when it is ready to. */
export function questionBefore(prompt: Prompt, library: Library): string | undefined {
  const wanted = wantedQuestions(prompt, findingsFor(prompt, library));
  return nextQuestion(
    wanted.map(({ question }) => question),
    prompt.asks,
    exchangesIn(prompt.asks),
  );
}

/** What the persona asks first, then the parts on which nothing was found. */
function wantedQuestions({ persona }: Prompt, found: Finding[]): Array<{ part: string; question: string }> {
  const first = firstQuestionIn(persona);
  return [
    ...(first === undefined ? [] : [{ part: first, question: first }]),
    ...found.filter(isEmpty).map(({ part }) => ({ part, question: questionOn(part) })),
  ];
}

function findingsFor(prompt: Prompt, library: Library): Finding[] {
  const question = readQuestion(prompt.task);
  const shelves = shelvesOf(prompt, library);
  const whole = followedUp(question.text, prompt.conversation);
  const brief = /\b(brief|one sentence|short|terse|concise|few words)\b/i.test(prompt.persona);
  const returned = question.parts.flatMap((part) => returnedOn(part, prompt.uses) ?? []);
  if (brief && prompt.instructions === '') {
    return returned.length > 0 ? returned : [bestSentence(question.text, shelves, whole)];
  }
  const more = partsOf(prompt.instructions.replace(alsoAnswer, '')).filter((part) => part !== '');
  const parts = [...new Set([...question.parts, ...more])];
  const open = parts.filter((part) => !returned.some((finding) => finding.part === part));
  const found = [...returned, ...findingsOn(open, whole, shelves)];
  return parts.flatMap((part) => found.find((finding) => finding.part === part) ?? []);
}

function compose(found: Finding[], heard: Finding[], folder: string): string {
  const told = heard.filter((finding) => !isEmpty(finding));
  const said = new Set<string>();
  const lines: string[] = [];
  const quote = ({ sentences }: Finding, opening: string): void =>
    sentences
      .filter(({ text }) => !said.has(text))
      .forEach(({ text, place }, index) => {
        said.add(text);
        lines.push(`${index === 0 ? opening : ''}${text} (${place})`);
      });
  for (const finding of found) {
    if (!isEmpty(finding)) quote(finding, '');
    else if (!told.some(({ part }) => part === finding.part)) {
      lines.push(`On "${finding.part}" nothing was found in ${folder}.`);
    }
  }
  for (const finding of heard) {
    if (isEmpty(finding)) lines.push(`On "${finding.part}" those asked had no answer.`);
    else quote(finding, `On "${finding.part}": `);
  }
  return lines.join('\n');
}

const isEmpty = ({ sentences }: Finding): boolean => sentences.length === 0;
