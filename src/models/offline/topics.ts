import { placed, quotesOn, type TextIndex } from './retrieval.ts';
import { askedIn, leaning, termKey, topicsKey, topicsOf, type Section, type Topics } from './sections.ts';

/** How questions are worded that ask what something is, and where their subjects stand. */
const frames = [
  /^(?:(?:what(?:['’]?s| is| are)|explain|describe) )?(?:the )?differences? between (.+?) and (.+)$/i,
  /^(?:how|what) (?:is|are|does|do|makes) (.+?) (?:differ|different) (?:from|to|than) (.+)$/i,
  /^(.+?) (?:vs\.?|versus) (.+)$/i,
  /^what(?:['’]?s| is| are) (.+?) (?:all )?about$/i,
  /^(?:what|who)(?:['’]?s| is| are) (?:meant by )?(.+)$/i,
  /^what (?:do|does|can) (.+?) (?:mean|do|stand for)$/i,
  /^how do(?:es)? (.+?) work$/i,
  /^(?:define|explain|describe|tell me about|what about) (.+)$/i,
];

/** Words at the end of a subject that only say where it is meant. */
const where = /\s+(?:in|of|for|by|with)\s+(?:reprise|this \w+)$|\s+here$/i;

/** What stands for the subject of the question before, or for what all texts are about. */
const pronoun = /^(?:it|this|that|they|these|(?:this|the) (?:project|tool|program|software|thing))$/i;

/** Questions after a fact, which a sentence answers better than a section. */
const factual =
  /^(?:how (?:many|much|long|often|old|tall|far|is|are)|when|where|who|which|what \w+ (?:is|are|does|do))\b/i;

/**
 * The parameters of BM25F: how much a word counts in a section's heading and in those above it, beside 1 in its text, how
 * soon repetitions count no more, and how far a length counts.
 */
const bm25 = { heading: 6, above: 5, k1: 1.2, b: 0.5 };

/** What is left of a section's score for each folder around its file, since what is basic lies on top. */
const deeper = 0.8;

/**
 * What a word of a question counts where a section holds it: in the heading or wording that is most like the question, in
 * another one of the section or of its file, in its text, or in that of its file.
 */
const held = { most: 1, own: 0.8, page: 0.5, text: 0.45, file: 0.2 };

/** How a section must fit a question. */
const fit = {
  /** The share of the question that it holds at least. */
  least: 0.5,
  /** That with which no sentence answers better. */
  clear: 0.9,
  /** The share that a name of a single word must be, and of a proper one. */
  single: 0.6,
  name: 0.5,
  /** How far what a name says besides counts against it. */
  besides: 0.35,
  /** What a wording is before a heading of the same words. */
  asked: 0.01,
  /** The weight of a word that stands nowhere; others have 1 to 9 by their rarity. */
  unknown: 7,
  /** How many times as much a proper name weighs. */
  proper: 1.5,
};

/** The most sentences of a section that are quoted, and the most characters. */
const limits = { sentences: 3, chars: 600 };

/**
 * What is said on a part of a question. A definition of its subject, or of both subjects that are to be told apart, comes
 * first, with the section on it. Any other question is answered by the section that holds most of it, or else by a
 * sentence.
 *
 * @param before the question before, whose subject `it` is
 */
export function linesOn(part: string, texts: TextIndex, context = '', before = ''): string[] {
  const subjects = subjectsOf(part, before);
  // Without such a frame a term is all that is said: a question with few words of its own is about more than its term.
  const bare = part.replace(where, '');
  const terms = texts.sections.definitions.has(termKey(bare)) ? [bare] : [];
  const defined = definitionsOf(subjects.length > 0 ? subjects : terms, texts);
  if (defined.length > 0) return defined;
  const isFactual = factual.test(part);
  const found = sectionOn(part, texts);
  const quotes = isFactual && found?.isClear !== true ? quotesOn(part, texts, context) : [];
  if (quotes.length > 0) return quotes;
  if (found !== undefined) return [excerptOf(found.section, part, texts), pointerTo(found.section, texts)];
  return subjects.some((subject) => pronoun.test(subject))
    ? definitionsOf([texts.about], texts)
    : quotesOn(part, texts, context);
}

/** The subjects of a question that asks what they are; none if it asks something else. */
function subjectsOf(part: string, before = ''): string[] {
  const bare = part.replace(/[?.!]+$/, '').replace(where, '');
  const [, ...subjects] = frames.map((frame) => frame.exec(bare)).find((found) => found !== null) ?? [];
  const of = (subject: string): string | undefined => (pronoun.test(subject) ? subjectsOf(before)[0] : undefined);
  return subjects.map((subject) => (before === '' ? subject : (of(subject) ?? subject)));
}

/** Definitions of all subjects, with the section on a single one; nothing if one is not defined. */
function definitionsOf(subjects: string[], texts: TextIndex): string[] {
  const { all, definitions } = texts.sections;
  const found = subjects.flatMap((each) => definitions.get(termKey(each)) ?? definitions.get(topicsKey(each)) ?? []);
  if (found.length < subjects.length) return [];
  // What all texts are about is nowhere told as well as where they begin.
  const pages = subjects.flatMap((subject) => {
    const isAll = termKey(subject) === termKey(texts.about);
    const fitting = isAll ? all.filter(({ source }) => source === 'README.md').slice(0, 1) : all;
    return best(fitting, (each) => (isAll ? 1 : scoreOf(each, subject, texts))) ?? [];
  });
  const more = subjects.length === 1 ? pages.map((page) => excerptOf(page, subjects.join(' '), texts)) : [];
  const pointers = pages.map((page) => pointerTo(page, texts));
  return [...found.map((each) => placed(each.text, each, texts.folder)), ...more, ...new Set(pointers)];
}

const pointerTo = ({ source, title }: Section, { folder }: TextIndex): string => `More: ${folder}${source}, "${title}"`;

/** What a question asks for besides what all texts are about. */
function topicsIn(question: string, { about }: TextIndex): string[] {
  const own = askedIn(question).filter((topic) => !topicsOf(about).includes(topic));
  return own.length > 0 ? own : askedIn(question);
}

/** The section that holds most of what is asked, if it holds enough, and whether that is nearly all. */
function sectionOn(question: string, texts: TextIndex): { section: Section; isClear: boolean } | undefined {
  const { all, isKnown, properNames, rarityOf } = texts.sections;
  const asked = topicsIn(question, texts);
  const weightOf = (topic: string): number =>
    (isKnown(topic) ? rarityOf(topic) : fit.unknown) * (properNames.has(topic) ? fit.proper : 1);
  const weigh = (topics: Iterable<string>): number => [...topics].reduce((sum, topic) => sum + weightOf(topic), 0);
  const sharedWith = (name: Topics): string[] => asked.filter((topic) => name.has(topic));
  const whole = weigh(asked);
  /** Tversky's index: what the question says besides counts less against a name than what the name says besides. */
  const likeness = (name: Topics): number => {
    const shared = weigh(sharedWith(name));
    return shared === 0 ? 0 : shared / (shared + 0.3 * (whole - shared) + 0.5 * (weigh(name) - shared));
  };
  const scoreIn = ({ asked: wordings, counts, file, names, page, source }: Section): number => {
    const own = [...wordings, ...names];
    const most = best(own, likeness) ?? new Set();
    const shared = sharedWith(most);
    // A single word may be about much else.
    const isOn =
      shared.length > 1 ||
      (shared.length === most.size &&
        weigh(shared) >= (shared.some((topic) => properNames.has(topic)) ? fit.name : fit.single) * whole);
    if (!isOn) return 0;
    const shareOf = (topic: string): number => {
      if (most.has(topic)) return held.most;
      if (own.some((name) => name.has(topic))) return held.own;
      if (page.has(topic)) return held.page;
      if (counts.has(topic)) return held.text;
      return file.has(topic) ? held.file : 0;
    };
    const found = asked.reduce((sum, topic) => sum + shareOf(topic) * weightOf(topic), 0) / whole;
    const besides = 1 - weigh(shared) / weigh(most);
    const score = (found - fit.besides * besides) * deeper ** (source.split('/').length - 1);
    return wordings.includes(most) ? score + fit.asked : score;
  };
  const section = best(all, scoreIn);
  if (section === undefined) return undefined;
  const score = scoreIn(section);
  return score < fit.least ? undefined : { section, isClear: score >= fit.clear };
}

/** How well a section fits by BM25F. */
function scoreOf({ above, counts, length, names, source }: Section, question: string, texts: TextIndex): number {
  const size = 1 - bm25.b + (bm25.b * length) / texts.sections.meanLength;
  // A long heading is less about each of its words.
  const share = (topic: string, headings: Array<Set<string>>): number =>
    Math.max(0, ...headings.map((each) => (each.has(topic) ? 2 / (1 + each.size) : 0)));
  const scores = topicsIn(question, texts).map((topic) => {
    const named = bm25.heading * share(topic, names) + bm25.above * share(topic, above);
    const count = named + (counts.get(topic) ?? 0) / size;
    return (texts.sections.rarityOf(topic) * count) / (count + bm25.k1);
  });
  return scores.reduce((sum, score) => sum + score, 0) * deeper ** (source.split('/').length - 1);
}

/** The item with the highest score, of equals the first; undefined if none has one above 0. */
function best<T>(items: Iterable<T>, score: (item: T) => number): T | undefined {
  let found: T | undefined;
  let most = 0;
  for (const item of items) {
    const scored = score(item);
    if (scored > most) [found, most] = [item, scored];
  }
  return found;
}

/** Sentences of a section, one after the other: its beginning, or what speaks of what its heading leaves out. */
function excerptOf({ names, sentences }: Section, question: string, texts: TextIndex): string {
  const asked = topicsOf(question).filter((topic) => !names.some((name) => name.has(topic)));
  const weigh = (from: number, to: number): number => {
    const own = new Set(sentences.slice(from, to).flatMap(({ text }) => topicsOf(text)));
    return [...new Set(asked)].reduce((sum, each) => sum + (own.has(each) ? texts.sections.rarityOf(each) : 0), 0);
  };
  const start = best([...sentences.keys()], (at) => weigh(at, at + limits.sentences) + weigh(at, at + 1)) ?? 0;
  const first = leaning.test(sentences[start]?.text ?? '') ? Math.max(0, start - 1) : start;
  const chosen = sentences.slice(first, first + limits.sentences);
  // A row of a table stands alone, and what ends with a colon leads to something that is not quoted.
  const isTooMuch = (): boolean =>
    chosen.map(({ text }) => text).join(' ').length > limits.chars || chosen.some(({ text }) => /[^.!?)]$/.test(text));
  while (chosen.length > 1 && isTooMuch()) chosen.pop();
  return placed(chosen.map(({ text }) => text).join(' '), chosen[0] ?? { source: '', line: 1 }, texts.folder);
}
