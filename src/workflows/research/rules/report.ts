import type { Report } from '../../../protocol/research.ts';
import type { Work } from '../../../protocol/search.ts';
import { hasWords, objectIn } from '../../agent/text.ts';

/** A report whose texts cite hits by their marks, as `[1.2]`. */
export type Draft = Omit<Report, 'sources'>;

/** A work by the mark of its hit. */
export type Marks = Map<string, Work>;

/** Stands for a mark of no source until the space before it is gone too. */
const leftOut = '\0';

const mark = /\[(\d+\.\d+(?:\s*[,;]\s*\d+\.\d+)*)\]/g;

/** A report from arguments that fit the tool's schema; empty sections are left out. */
export function draftOf(input: Record<string, unknown>): Draft {
  const sections = (input['sections'] as Draft['sections'])
    .map(({ heading, text }) => ({ heading: heading.trim(), text: text.trim() }))
    .filter(({ text }) => text !== '');
  return { title: String(input['title']).trim(), summary: String(input['summary']).trim(), sections };
}

/** A report from free text: as JSON, or as Markdown with headings. @returns undefined where there is no text */
export function draftIn(text: string, title: string): Draft | undefined {
  if (text.trim() === '') return undefined;
  const object = objectIn(text);
  if (object !== undefined && isDraft(object)) return draftOf(object);
  const blocks = text.trim().split(/^(?=#{1,4} )/m);
  const named = blocks.flatMap((block) => {
    const [, heading, body = ''] = /^#{1,4} +(.*)\n?([^]*)$/.exec(block) ?? [];
    return heading === undefined ? [] : [{ heading: heading.trim(), text: body.trim() }];
  });
  const [first] = named;
  const opening = blocks[0]?.startsWith('#') === true ? '' : (blocks[0] ?? '').trim();
  const hasTitle = text.trim().startsWith('# ') && first !== undefined;
  const rest = (hasTitle ? named.slice(1) : named).filter((section) => section.text !== '');
  const summary = (hasTitle ? first.text : opening) || (rest[0]?.text.split('\n\n')[0] ?? text.trim());
  return {
    title: hasTitle ? first.heading : title,
    summary,
    sections: rest.length > 0 ? rest : [{ heading: 'Report', text: text.trim() }],
  };
}

function isDraft(value: Record<string, unknown>): boolean {
  const { sections, summary, title } = value;
  const areSections =
    Array.isArray(sections) &&
    sections.every(
      (each: unknown) =>
        typeof (each as Record<string, unknown> | null)?.['heading'] === 'string' &&
        typeof (each as Record<string, unknown>)['text'] === 'string',
    );
  return typeof title === 'string' && typeof summary === 'string' && areSections;
}

/** What is wrong with a draft, in words for its writer; undefined: nothing. */
export function problemOf(draft: Draft, marks: Marks): string | undefined {
  const { sections, summary, title } = draft;
  if (!hasWords(title) || !hasWords(summary) || !sections.some(({ text }) => hasWords(text)))
    return 'a report has a title, a summary and at least one section with text';
  const cited = marksIn(draft);
  const unknown = cited.filter((each) => !marks.has(each));
  const valid = [...marks.keys()].map((each) => `[${each}]`).join(' ');
  if (unknown.length > 0)
    return `there is no source ${unknown.map((each) => `[${each}]`).join(', ')}; the marks are: ${valid || 'none'}`;
  if (cited.length === 0 && marks.size > 0) return `the report cites no source; the marks are: ${valid}`;
  return undefined;
}

/**
 * What a draft with a problem comes to where nobody mends it: the parts that it lacks are made of those that it has.
 *
 * @param title where it has none
 * @returns undefined where it says nothing but marks of no source
 */
export function completed(draft: Draft, title: string, marks: Marks): Draft | undefined {
  const says = (text: string): boolean =>
    hasWords(
      text.replace(mark, (cited, list: string) => (splitMarks(list).some((each) => marks.has(each)) ? cited : '')),
    );
  const sections = draft.sections.filter(({ text }) => says(text));
  const [summary] = [draft.summary, ...sections.map(({ text }) => text)].filter(says);
  if (summary === undefined) return undefined;
  return {
    title: hasWords(draft.title) ? draft.title : title,
    summary,
    sections: sections.length > 0 ? sections : [{ heading: 'Report', text: summary }],
  };
}

const textsOf = ({ summary, sections }: Draft): string[] => [summary, ...sections.map(({ text }) => text)];

const splitMarks = (list: string): string[] => list.split(/\s*[,;]\s*/);

const marksIn = (draft: Draft): string[] => [
  ...new Set(textsOf(draft).flatMap((text) => [...text.matchAll(mark)].flatMap(([, list = '']) => splitMarks(list)))),
];

/**
 * Numbers the sources of a draft in the order in which it cites them: `[1.2]` becomes `[1]`. Marks of no source are
 * left out. A draft that cites nothing gets all that was found as its sources.
 */
export function finished(draft: Draft, marks: Marks): Report {
  const sources: Work[] = [];
  const numberOf = (each: string): number | undefined => {
    const work = marks.get(each);
    if (work === undefined) return undefined;
    const known = sources.findIndex(({ url }) => url === work.url);
    return known === -1 ? sources.push({ title: work.title, url: work.url }) : known + 1;
  };
  const numbered = (text: string): string => {
    const cited = text.replace(mark, (_, list: string) => {
      const numbers = splitMarks(list).flatMap((each) => numberOf(each) ?? []);
      return numbers.map((number) => `[${number}]`).join('') || leftOut;
    });
    return cited
      .replace(/(\[\d+\])\1+/g, '$1')
      .replaceAll(` ${leftOut}`, '')
      .replaceAll(leftOut, '');
  };
  const summary = numbered(draft.summary);
  const sections = draft.sections.map(({ heading, text }) => ({ heading, text: numbered(text) }));
  if (sources.length === 0) for (const each of marks.keys()) numberOf(each);
  return { title: draft.title, summary, sections, sources };
}

/** A report as Markdown, its sources numbered as its texts cite them. */
export function markdownOf({ title, summary, sections, sources }: Report): string {
  return [
    `# ${title}`,
    summary,
    ...sections.flatMap(({ heading, text }) => [`## ${heading}`, text]),
    ...(sources.length === 0 ? [] : ['## Sources', sources.map(sourceLine).join('\n')]),
  ].join('\n\n');
}

const sourceLine = ({ title, url }: Report['sources'][number], index: number): string =>
  `${index + 1}. ${title === url ? '' : `${title}: `}${url}`;
