import { placed, quotesOn, relevant, type TextIndex } from './retrieval.ts';
import { askedIn, leaning, termKey, topicsKey, topicsOf, type Section } from './sections.ts';

/** How questions are worded that ask what something is, and where their subjects stand. */
const frames = [
  /^(?:(?:what(?:['’]s| is| are)|explain|describe) )?(?:the )?differences? between (.+?) and (.+)$/i,
  /^(?:how|what) (?:is|are|does|do|makes) (.+?) (?:differ|different) (?:from|to|than) (.+)$/i,
  /^(.+?) (?:vs\.?|versus) (.+)$/i,
  /^what(?:['’]s| is| are) (.+?) (?:all )?about$/i,
  /^(?:what|who)(?:['’]s| is| are) (?:meant by )?(.+)$/i,
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
 * soon repetitions count no more, and how far a length counts; and what is left of a score for each folder around a file,
 * since what is basic lies on top.
 */
const bm25 = { heading: 6, above: 5, k1: 1.2, b: 0.5, deeper: 0.8 };

/** The least share of a question that a heading holds: with the rest in the text, and if the whole heading is asked for. */
const minShare = { share: 0.22, alone: 0.4 };

/**
 * How much a question and a wording in which people ask for a section have in common, of both together: of one that asks for
 * it, and of one that asks for it so clearly that no sentence answers it better.
 */
const sameQuestion = { likely: 0.7, clearly: 0.9 };

/** The most sentences of a section that are quoted, and the most characters. */
const limits = { sentences: 3, chars: 600 };

/**
 * What is said on a part of a question. A definition of its subject, or of both subjects that are to be told apart, comes
 * first, with the section on it. Any other question is answered by the section whose heading speaks of it, or else by a
 * sentence.
 *
 * @param before the question before, whose subject `it` is
 */
export function linesOn(part: string, texts: TextIndex, context = '', before = ''): string[] {
  const subjects = subjectsOf(part, before);
  const defined = definitionsOf(subjects.length > 0 ? subjects : [part.replace(where, '')], texts);
  if (defined.length > 0) return defined;
  const isFactual = factual.test(part);
  const named = sectionNaming(part, texts);
  const quotes = isFactual && named?.isClear !== true ? quotesOn(part, texts, context) : [];
  if (quotes.length > 0) return quotes;
  const section = named?.section ?? sectionOn(subjects.join(' ') || part, subjects.length > 0 || isFactual, texts);
  if (section !== undefined) return [excerptOf(section, part, texts), pointerTo(section, texts)];
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

/** The section that names a wording of the same question. Where a word stands in no text, it is another question. */
function sectionNaming(question: string, texts: TextIndex): { section: Section; isClear: boolean } | undefined {
  const asked = topicsIn(question, texts);
  if (!asked.every(texts.sections.isKnown)) return undefined;
  const likenessTo = (wording: Set<string>): number => {
    const shared = asked.filter((each) => wording.has(each));
    // A single word may be about much else.
    if (shared.length < 2 && (asked.length > 1 || wording.size > 1)) return 0;
    return (2 * weightOf(shared, texts)) / (weightOf(asked, texts) + weightOf([...wording], texts));
  };
  const likeness = (section: Section): number => Math.max(0, ...section.asked.map(likenessTo));
  const section = best(texts.sections.all, likeness);
  if (section === undefined || likeness(section) < sameQuestion.likely) return undefined;
  return { section, isClear: likeness(section) >= sameQuestion.clearly };
}

/** Words weigh by their rarity. */
const weightOf = (topics: string[], { sections }: TextIndex): number =>
  topics.reduce((sum, each) => sum + sections.rarityOf(each), 0);

/**
 * The section whose heading speaks of what is asked.
 *
 * @param isWhole whether the heading must hold all of it; otherwise the file may hold the rest
 */
function sectionOn(question: string, isWhole: boolean, texts: TextIndex): Section | undefined {
  const { all, properNames } = texts.sections;
  const asked = topicsIn(question, texts);
  const weigh = (topics: string[]): number => weightOf(topics, texts);
  const isOn = ({ above, counts, file, names }: Section): boolean =>
    names.some((name) => {
      const named = asked.filter((each) => name.has(each));
      const share = weigh(named) / weigh(asked);
      if (named.length === 0 || named.length * 2 < name.size) return false;
      if (named.length === asked.length) return named.length > 1 || name.size === 1;
      const isWholeName = named.length === name.size;
      if (isWhole || share < (isWholeName ? minShare.share : 2 * minShare.share)) return false;
      // A page is about what its text speaks of, and a section inside it only about its own.
      const rest = names.length > 1 ? [file] : [new Set(counts.keys()), ...above];
      const held = asked.filter((each) => name.has(each) || rest.some((other) => other.has(each)));
      return (
        (isWholeName && share >= minShare.alone && (name.size > 1 || names.length > 1)) ||
        (held.length > named.length && weigh(held) >= relevant * weigh(asked))
      );
    }) ||
    (!isWhole && asked.every((each) => properNames.has(each) && (counts.get(each) ?? 0) > 1));
  return asked.length === 0 ? undefined : best(all.filter(isOn), (section) => scoreOf(section, question, texts));
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
  return scores.reduce((sum, score) => sum + score, 0) * bm25.deeper ** (source.split('/').length - 1);
}

/** The item with the highest score, of equals the first; undefined if none has one above 0. */
function best<T>(items: T[], score: (item: T) => number): T | undefined {
  const [first] = items.map((item) => ({ item, score: score(item) })).sort((one, other) => other.score - one.score);
  return first !== undefined && first.score > 0 ? first.item : undefined;
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
