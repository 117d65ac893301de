import type { Plan } from '../../../protocol/research.ts';
import type { Message } from '../../../protocol/message.ts';
import { headings } from '../../../protocol/headings.ts';
import { guidanceFor } from '../../../workflows/research/prompts.ts';
import { planTool } from '../../../workflows/research/prompts.ts';
import { stemsOf } from '../../../tools/words.ts';
import { coverage } from '../judging.ts';
import type { Library } from '../library.ts';
import { parsed } from '../uses.ts';
import { keyWords } from './evidence.ts';
import { newIdea, type Idea } from './ideas.ts';
import { fallbacks, fitting, headingsOn, namedIn, ownWords, triedPhrases } from './phrases.ts';
import { linesIn, oneLine, sectionsOf, shortened } from './sections.ts';

/** The most characters of an idea as it was brought, of what an idea is drawn anew from, and of a query. */
const longestIdea = 500;
const longestSubject = 80;
const longestQuery = 100;

/** How many of an idea's words stand for it in a query. */
const mainWords = 3;

/** A plan for the idea as it was brought; where it is to be drawn anew, for another one on the same subject. */
export function planFrom(messages: Message[], library: Library): Plan {
  const told = messages.flatMap(({ role, content }) => (role === 'user' ? [content] : []));
  const opening = sectionsOf(told.find((text) => text.startsWith(headings.idea)) ?? '');
  const brought = shortened(oneLine(opening.get(headings.idea) ?? ''), longestIdea);
  const lessons = linesIn(opening.get(headings.earlierResearch));
  const restart = told.findLast((text) => text.startsWith(headings.planningIteration));
  if (restart === undefined) return planOf({ idea: brought, added: [] }, brought, lessons);
  const subject = shortened(brought.split(/(?<=[.!?])\s/)[0] ?? '', longestSubject);
  const before = [brought, ...plannedIn(messages), ...lessons];
  return planOf(drawnAnew(subject, restart, before, library), subject, lessons);
}

function drawnAnew(subject: string, restart: string, before: string[], library: Library): Idea {
  const sections = sectionsOf(restart);
  const guidance = sections.get(headings.guidance) ?? '';
  const wantsNew = guidance.includes(guidanceFor('prior_art', undefined));
  const tried = [...linesIn(sections.get(headings.tried)), ...before];
  const named = namedIn(sections.get(headings.criticism) ?? '');
  const direction = [guidance, ...named].join('\n');
  const phrases = [
    ...(isPersons(guidance) ? ownWords(guidance) : []),
    ...named,
    ...triedPhrases(tried, subject),
    ...headingsOn(direction, subject, library, wantsNew),
    ...fallbacks(wantsNew),
  ];
  // Two more than the old ones: a work on the subject has little of the idea then, even with one of the new words.
  const least = wantsNew ? new Set(stemsOf(subject)).size + 2 : 1;
  return newIdea(subject, fitting(phrases, subject), tried, least);
}

/** Whether a guidance says in a person's own words what to do. */
const isPersons = (guidance: string): boolean =>
  (['prior_art', 'viability', 'no_score', 'person'] as const).every(
    (kind) => guidance !== guidanceFor(kind, undefined),
  );

function planOf({ idea, added }: Idea, subject: string, lessons: string[]): Plan {
  const words = keyWords(subject);
  const main = words.slice(0, mainWords).join(' ');
  const queries = [
    idea,
    ...(added.length > 0 ? [added.join(' ')] : words.length > mainWords ? [words.slice(-2).join(' ')] : []),
    `${main} risks limits`,
    `${main} data tests`,
  ].map((query) => shortened(query.trim(), longestQuery));
  const lesson = lessons.toSorted((one, other) => coverage(idea, other) - coverage(idea, one))[0];
  const approach = [
    `Search for what is known of ${quoted(idea)}.`,
    'Weigh what speaks for it against what speaks against it.',
    ...(added.length === 0 ? [] : [`What is new in it: ${added.join('; ')}.`]),
    ...(lesson === undefined ? [] : [`Earlier research is taken into account: ${quoted(lesson)}.`]),
    `Queries: ${queries.map(quoted).join('; ')}.`,
  ];
  return { idea, approach: approach.join(' '), queries: [...new Set(queries)] };
}

const quoted = (text: string): string => `"${text.replaceAll('"', "'")}"`;

/** The ideas of the plans that it gave before. */
function plannedIn(messages: Message[]): string[] {
  return messages
    .flatMap((message) => (message.role === 'assistant' ? (message.toolCalls ?? []) : []))
    .filter(({ name }) => name === planTool.name)
    .flatMap((call) => {
      const plan = parsed(call.arguments) as Partial<Plan> | null | undefined;
      return typeof plan?.idea === 'string' ? [plan.idea] : [];
    });
}
