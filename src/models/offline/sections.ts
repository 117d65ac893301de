import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Yielder } from '../../util/yielder.ts';
import type { SentenceIndex } from '../../util/text/sentence-search.ts';
import type { Sentence } from '../../util/text/sentences.ts';
import { stem, stemsOf } from '../../util/text/words.ts';

/** The sentences below one heading. */
export interface Section {
  source: string;
  /** Its own heading; the file's name without its ending if it has none. */
  title: string;
  sentences: Sentence[];
  /** The topics of its own heading. The first section of a file has the headings above it and the file's name too. */
  names: Topics[];
  /** The topics of each wording in which people ask for it. */
  asked: Topics[];
  /** The topics of each heading above it, and of its file's name. */
  above: Topics[];
  /** The topics of all headings and wordings of its file. */
  page: Topics;
  /** The topics of its whole file. */
  file: Topics;
  /** How often its sentences hold each topic. */
  counts: Map<string, number>;
  /** How many topics its sentences hold in all. */
  length: number;
}

export type Topics = Set<string>;

export interface Sections {
  all: Section[];
  meanLength: number;
  /** The inverse frequency of a topic in sentences, which is highest if none holds it. */
  rarityOf: (topic: string) => number;
  /** Whether a topic stands in any sentence, or in a wording in which people ask. */
  isKnown: (topic: string) => boolean;
  /** The sentence that defines a term, by `termKey` and in a glossary by `topicsKey`, with the rest of its entry. */
  definitions: Map<string, Sentence>;
  /** The topics that are mostly written with a capital within sentences, such as `Docker`. */
  properNames: Topics;
}

/** Words for the same, of which each stands for all. */
const synonyms = new Map(
  [
    'end stop cancel abort quit',
    'cost price pay paid expensive cheap cheaper cheapest charge bill',
    'spend spent dollar cent',
    'start begin launch',
    'folder directory',
    'old previous earlier past yesterday',
    'computer laptop machine pc',
    'web internet online google',
    'answer reply respond response',
    'excel spreadsheet',
    'attach upload',
    'image picture photo screenshot',
    'delete remove erase clean wipe rid discard',
    'phone mobile smartphone telephone',
    'choose pick select decide',
    'plug connect integrate integration hook',
    'change overwrite modify edit',
    'person human user',
    'die dies died crash kill fail failure reboot',
    'install setup',
    'key credential',
    'write create build',
    'leave approval approve permission confirm',
    'store database keep kept',
    'trust safe secure security dangerous',
    'postgresql postgres',
    'deployment deploy production host',
    'stuck hang frozen freeze',
    'conversation chat',
    'troubleshooting debug',
    'continue resume',
    'fast faster fastest quick slow slower speed',
    'upgrade update',
    'new newest latest',
    'good better best',
    'limit maximum max cap',
    'configuration config',
    'variable env',
    'model llm',
    'deny forbid block prohibit',
    'retry redo repeat rerun',
    'documentation docs manual',
    'repository repo',
    'kubernetes k8s',
    'privacy private confidential',
    'compare comparison',
    'big bigger biggest large largest huge',
    'notify notification',
    'automatic automatically auto',
    'scale scalable scalability',
    'parallel concurrent concurrency simultaneous',
    'tutorial guide walkthrough',
    'license licence',
  ].flatMap((line) =>
    line.split(' ').map((word) => [topicOf(stem(word)), topicOf(stem(line.split(' ')[0] ?? ''))] as const),
  ),
);

/** A stem without the endings of nouns: `configuration` and `configure` are about the same. */
function topicOf(base: string): string {
  const trimmed = base.replace(/(?:ation|ion|ment)$/, '');
  return trimmed.length < 4 ? base : trimmed;
}

/** What a text is about: its stems without stop words, where synonyms are the same. */
export const topicsOf = (text: string): string[] =>
  stemsOf(text)
    .map(topicOf)
    .map((topic) => synonyms.get(topic) ?? topic);

/** The key of a term, which is the same for its plural, and with or without an article. */
export const termKey = (term: string): string =>
  (term.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [])
    .filter((word, place) => place > 0 || !/^(?:an?|the)$/.test(word))
    .map(stem)
    .join(' ');

/** Topics of words that only ask whether and how something can be done. */
const vague = new Set(
  topicsOf(
    'work support possible able want way set instead thing stuff now back go see put sure somehow already always still ever ' +
      'actually properly directly easy easily whole anything everything something somebody someone anyone everybody ai',
  ),
);

/** What a question is about: its topics without vague ones, if any is left. */
export function askedIn(question: string): string[] {
  const topics = [...new Set(topicsOf(question))];
  const own = topics.filter((topic) => !vague.has(topic));
  return own.length > 0 ? own : topics;
}

/** The key of all questions about the same topics. */
export const topicsKey = (text: string): string => `about ${askedIn(text).sort().join(' ')}`;

/** How sentences begin that cannot be understood without the one before them. */
export const leaning = /^(it|its|this|that|these|those|they|he|she|then|there|both|such|otherwise|however|also)\b/i;

/** A sentence that says what something is: `A vote is an agent's choice`. Its first group is the term. */
const defining =
  /^(?:(?:an?|the)\s+)?(\S+(?:\s+\S+){0,3}?),?\s+(?:is|are)\s+(?:an?|the|what|how|where|one|all|something|somebody)\b/i;

const isGlossary = ({ source }: { source: string }): boolean => /glossary/i.test(source);

const known = new WeakMap<SentenceIndex, Promise<Sections>>();

/**
 * The sections of a folder's index in the order of its texts, made once, with breaks for other work. In which words people
 * ask for them is in the folder's `asked.list`, if it has one.
 */
export function sectionsOf(index: SentenceIndex, folder: string): Promise<Sections> {
  const list = (): Promise<string> => readFile(join(folder, 'asked.list'), 'utf8').catch(() => '');
  const made = known.get(index) ?? list().then((read) => readSections(index.all, wordingsIn(read)));
  known.set(index, made);
  return made;
}

const increase = (counts: Map<string, number>, topic: string, by = 1): unknown =>
  counts.set(topic, (counts.get(topic) ?? 0) + by);

/** The wordings in a list by their section, such as `costs.md > Limits`. Those of a section stand below it, after spaces. */
export function wordingsIn(list: string): Map<string, string[]> {
  const blocks = list.split(/\r?\n(?=\S)/).map((block) => block.split(/\r?\n/));
  return new Map(blocks.map(([section = '', ...lines]) => [section, lines.flatMap(wordingsOf)]));
}

const wordingsOf = (line: string): string[] =>
  line.split(';').flatMap((wording) => (wording.trim() === '' ? [] : [wording.trim()]));

async function readSections(sentences: Sentence[], wordings: Map<string, string[]>): Promise<Sections> {
  const all: Section[] = [];
  const definitions = new Map<string, Sentence>();
  const [capitals, frequency] = [new Map<string, number>(), new Map<string, number>()];
  const yielder = new Yielder();
  let last: Section | undefined;
  let heading = '';
  let entry: Sentence = { text: '', source: '', line: 0, heading: '' };
  for (const sentence of sentences) {
    // What is set in bold before a paragraph is no heading.
    const own = sentence.heading.replace(/ \/ [^/]*[.:]$/, '');
    if (last?.source !== sentence.source || heading !== own) {
      last = sectionFrom(sentence, own, wordings, last);
      heading = own;
      all.push(last);
    }
    last.sentences.push(sentence);
    const topics = topicsOf(sentence.text);
    for (const topic of topics) {
      increase(last.counts, topic);
      last.file.add(topic);
    }
    last.length += topics.length;
    for (const topic of new Set(topics)) increase(frequency, topic);
    // What is code, or begins a sentence, may have a capital for that.
    const words = sentence.text.replace(/`[^`]*`|^\S+/g, '');
    for (const topic of topicsOf(words)) increase(capitals, topic, -1);
    for (const topic of topicsOf((words.match(/\b\p{Lu}[\p{L}.]+/gu) ?? []).join(' '))) increase(capitals, topic, 2);
    if (isGlossary(sentence) && entry.source === sentence.source && entry.line === sentence.line)
      entry.text += ` ${sentence.text}`;
    else {
      entry = { ...sentence };
      const [, names = ''] = defining.exec(sentence.text) ?? [];
      const terms = leaning.test(names) ? [] : names.split(', or ');
      const keys = [...terms.map(termKey), ...(isGlossary(sentence) ? terms.map(topicsKey) : [])];
      for (const key of keys) if (!definitions.has(key) || isGlossary(sentence)) definitions.set(key, entry);
    }
    if (yielder.due) await yielder.yield();
  }
  for (const key of ['', topicsKey('')]) definitions.delete(key);
  const inWordings = new Set(all.flatMap(({ asked }) => asked.flatMap((each) => [...each])));
  return {
    all: all.filter((section) => !isGlossary(section)),
    meanLength: all.reduce((sum, section) => sum + section.length, 0) / Math.max(1, all.length),
    rarityOf: (topic) => Math.log(1 + (sentences.length + 1) / ((frequency.get(topic) ?? 0) + 0.5)),
    isKnown: (topic) => frequency.has(topic) || inWordings.has(topic),
    definitions,
    properNames: new Set([...capitals].flatMap(([topic, surplus]) => (surplus > 0 ? [topic] : []))),
  };
}

function sectionFrom(
  { source }: Sentence,
  heading: string,
  wordings: Map<string, string[]>,
  last: Section | undefined,
): Section {
  const fileName = source.replace(/^.*\/|\.\w+$/g, '');
  const headings = heading === '' ? [] : heading.split(' / ');
  const title = headings.pop() ?? fileName;
  const [name = new Set<string>(), ...above] = [title, fileName, ...headings].map((each) => new Set(topicsOf(each)));
  const isFirst = last?.source !== source;
  const { file, page } = isFirst ? { file: new Set<string>(), page: new Set<string>() } : last;
  const names = isFirst ? [name, ...above] : [name];
  const asked = (wordings.get(`${source} > ${title}`) ?? []).map((each) => new Set(askedIn(each)));
  for (const topics of [...names, ...asked]) for (const topic of topics) page.add(topic);
  return { source, title, names, asked, above, page, file, sentences: [], counts: new Map(), length: 0 };
}
