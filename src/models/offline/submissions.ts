import { headings } from '../../protocol/headings.ts';
import { restartKinds } from '../../protocol/research.ts';
import type { Message, ParameterSchema, ToolSpec } from '../../protocol/message.ts';
import { similarityOf, stemsOf, wordsShared } from '../../util/text/words.ts';
import { queryOf } from '../../util/text/sentence-search.ts';
import { guidanceFor } from '../../workflows/research/prompts.ts';
import type { Action } from './coordination.ts';
import { oneLine, promptSections } from './prompt-sections.ts';
import { nothingOn, relevant, saysNothing, type TextIndex } from './retrieval.ts';
import { solveAction } from './solving.ts';

/** Undefined if the messages belong to neither research nor a plan. */
export const submission = (messages: Message[], tools: ToolSpec[], texts: TextIndex): Action | string | undefined =>
  researchAction(messages, tools, texts) ?? solveAction(messages, tools, texts);

const joint = ', and also: ';
const same = (plan: string): string => ` (plan ${plan}, the same)`;

const scoreFor = { found: 60, nothing: 20 };

/** The share of an idea's words in a passage that passes for the same idea. */
const similar = 0.6;

const scripted = 'Scripted by the offline model, which quotes and judges nothing.';

const maxChars = { idea: 250, addition: 60, query: 100 };

function researchAction(messages: Message[], tools: ToolSpec[], texts: TextIndex): Action | undefined {
  const userTexts = messages.flatMap(({ content, role }) => (role === 'user' ? [content] : []));
  const brief = userTexts.findLast((text) => text.startsWith(headings.idea));
  if (brief === undefined) return undefined;
  for (const { name: tool, parameters } of tools) {
    if (tool === 'submit_plan') return { tool, input: planFrom(brief, messages, texts) };
    if (tool === 'submit_criticism') return { tool, input: criticismOf(brief, parameters, texts) };
    if (tool === 'submit_report') return { tool, input: reportOn(brief, texts) };
  }
  return undefined;
}

/** The first plan has the idea unchanged. Each later one adds something that was not tried before. */
function planFrom(brief: string, messages: Message[], texts: TextIndex): Action['input'] {
  const sections = promptSections(brief);
  const brought = oneLine(sections.get(headings.idea) ?? '', maxChars.idea).replace(/(?<=\w)[?!]+$/, '');
  const lessons = sections.get(headings.earlierResearch) ?? '';
  const restart = messages.findLast(({ content }) => content.startsWith(headings.planningIteration))?.content;
  const added = restart === undefined ? [] : additionsTo(brought, restart, texts);
  const [, number = ''] = /^\S+ \S+ iteration (\d+)/.exec(restart ?? '') ?? [];
  const change = added.length > 0 ? joint + added.join('; ') : same(number);
  const words = brought.split(' ').filter((word) => stemsOf(word).length > 0);
  const main = words.slice(0, 3).join(' ');
  const queries = [brought, ...added, `${main} risks limits`, `${main} data tests`].slice(0, 5);
  return {
    idea: restart === undefined ? brought : brought + change,
    approach: [
      added.length === 0 ? 'The idea is kept as it was brought.' : `Added to the idea: ${added.join('; ')}.`,
      `Queries: ${queries.join('; ')}.`,
      ...(lessons === '' ? [] : [`Earlier research is known: ${oneLine(lessons, maxChars.idea)}.`]),
      scripted,
    ].join(' '),
    queries: queries.map((query) => oneLine(query, maxChars.query)),
  };
}

/**
 * A person's wish, or else a heading of the folder if that speaks of the idea. An idea that is not new gets headings
 * from texts about other things, which makes most of its words new.
 * @param restart has everything that was tried
 */
function additionsTo(brought: string, restart: string, { sentences }: TextIndex): string[] {
  const sections = promptSections(restart);
  const guidance = sections.get(headings.guidance) ?? '';
  const tried = sections.get(headings.tried) ?? '';
  // What a critic wants to be changed stands behind the guidance.
  const isStandard = restartKinds.some((kind) => guidance.startsWith(guidanceFor(kind)));
  const wish = oneLine(guidance, maxChars.addition);
  if (!isStandard && !tried.includes(joint + wish)) return [wish];
  const isNotNew = guidance.startsWith(guidanceFor('prior_art'));
  const hits = sentences.search(queryOf(brought));
  const known = hits.filter(({ coverage }) => coverage >= relevant).map(({ sentence }) => sentence.source);
  if (!isNotNew && known.length === 0) return [];
  const others = isNotNew ? sentences.all : [];
  const fresh = [...hits.map(({ sentence }) => sentence), ...others]
    .filter(({ heading, source }) => heading.includes(' / ') && !(isNotNew && known.includes(source)))
    .map(({ heading }) => oneLine(heading.split(' / ').at(-1) ?? '', maxChars.addition))
    .filter((heading) => wordsShared(heading, brought) < 1 && !tried.includes(heading));
  return [...new Set(fresh)].slice(0, isNotNew ? 3 : 1);
}

/** A hit of a search. It is cited by its `mark`, such as `1.2`. */
type Passage = Record<'mark' | 'title' | 'address' | 'text', string>;

/** A hit in a dossier: `[1.2] Title (address)`, and the text on the next line. */
const hit = /^\[(\d+\.\d+)\] (.+?)(?: \((\S*)\))?$(?:\n(.+)$)?/gm;

const marks = /\s?\[\d+\.\d+\]/g;

function readDossier(dossier: string): { idea: string; whole: string; added: string[]; passages: Passage[] } {
  const sections = promptSections(dossier);
  const whole = oneLine(sections.get(headings.idea) ?? '')
    .replaceAll(marks, '')
    .replace(/ \(plan \d+, the same\)$/, '');
  const [idea = '', additions = ''] = whole.split(joint);
  const hits = (sections.get(headings.material) ?? '').matchAll(hit);
  const passages = [...hits].map(([, mark = '', title = '', address = '', text = '']) => {
    return { mark, title, address, text: text.replaceAll(marks, '') };
  });
  const added = additions.split('; ').filter((each) => each !== '');
  return { idea, whole, added, passages };
}

/** With two of its words by weight, or all in the title. Stored reports do not count: research would confirm itself. */
const passagesOn = (subject: string, passages: Passage[], { sentences }: TextIndex): Passage[] =>
  passages.filter(({ address, text, title }) => {
    const whole = `${title} ${text}`;
    const isSupported = wordsShared(subject, whole) * queryOf(subject).size >= 2 || wordsShared(subject, title) === 1;
    const isRelevant = isSupported && sentences.shareOf(queryOf(subject), whole) >= relevant;
    return isRelevant && !address.startsWith('report:');
  });

/** The sentence of a passage that shares the most words with a subject, with the passage's mark: `Prices rise [1.2].` */
function cited({ mark, text, title }: Passage, subject: string): string {
  const sentences = (text || title).split(/(?<=[.!?])\s+/);
  const shares = sentences.map((sentence) => wordsShared(subject, sentence));
  const best = sentences[shares.indexOf(Math.max(...shares))];
  return `${best?.replace(/[.!]$/, '')} [${mark}].`;
}

function criticismOf(dossier: string, { properties }: ParameterSchema, texts: TextIndex): Action['input'] {
  const { idea, passages, whole } = readDossier(dossier);
  const found = passagesOn(idea, passages, texts);
  const alike = passages.filter(
    ({ address, text, title }) => similarityOf(whole, `${title} ${text}`) >= similar && !address.startsWith('report:'),
  );
  const { required = [] } = properties['scores'] as { required?: string[] };
  const given = found.length > 0 ? scoreFor.found : scoreFor.nothing;
  const lines = [
    `Offline model: scores by a fixed rule, nothing was judged. Every aspect gets ${scoreFor.found} where a passage of ` +
      `the material holds two thirds of the idea's words (rare ones weigh more), else ${scoreFor.nothing}. A passage ` +
      "with 60% of the idea's words counts as similar.",
    ...found.slice(0, 3).map((passage) => cited(passage, idea)),
    ...(found.length > 0 ? [] : [nothingOn(idea, 'the material')]),
  ];
  const scores = Object.fromEntries(required.map((aspect) => [aspect, given]));
  return { criticism: lines.join('\n'), scores, similar: alike.map(({ mark }) => mark) };
}

function reportOn(dossier: string, texts: TextIndex): Action['input'] {
  const { added, idea, passages } = readDossier(dossier);
  const quotes = [idea, ...added].map((subject) => {
    const found = passagesOn(subject, passages, texts).slice(0, 8);
    return found.length > 0 ? found.map((passage) => cited(passage, subject)) : [nothingOn(subject, 'the material')];
  });
  // Several queries may have found the same sentence.
  const lines = new Map(quotes.flat().map((line) => [line.replace(marks, ''), line]));
  const text = [...lines.values()].join('\n');
  const quoted = passages.filter(({ mark }) => text.includes(`[${mark}]`)).map(({ address }) => address);
  const rest = new Map(passages.map(({ address, mark }) => [address, `[${mark}]`]));
  for (const address of quoted) rest.delete(address);
  const gaps = [...dossier.matchAll(/^Not searched: .+$/gm)].map(([line]) => line);
  const [first = ''] = quotes[0] ?? [];
  return {
    title: `${idea.charAt(0).toUpperCase()}${idea.slice(1)}`.trim() || 'Research',
    summary: `${saysNothing(first) ? first : `Passages on "${idea}" were found, and are quoted.`} ${scripted}`,
    sections: [
      { heading: 'What was found', text },
      { heading: 'Found by the search, and not quoted', text: [...rest.values()].join(', ') },
      { heading: 'What was not searched', text: gaps.join('\n') },
    ].filter((section) => section.text !== ''),
  };
}
