import type { Report } from '../../../protocol/research.ts';
import type { Work } from '../../../protocol/search.ts';
import { hasWords, objectIn } from '../../agent/text.ts';
import { cutToBytes, jsonBytes } from '../../runtime/size.ts';

/** A report whose texts cite hits by their marks, as in `[1.2]`. */
export type Draft = Omit<Report, 'sources'>;

/** The works that a report may cite, by the marks of their hits. */
export type Marks = Map<string, Work>;

/** Stands for a mark without a source until the space before it is removed as well. */
const leftOut = '\0';

const mark = /\[(\d+\.\d+(?:\s*[,;]\s*\d+\.\d+)*)\]/g;

export function draftOf(input: Record<string, unknown>): Draft {
  const sections = (input['sections'] as Draft['sections'])
    .map(({ heading, text }) => ({ heading: heading.trim(), text: text.trim() }))
    .filter(({ text }) => text !== '');
  return { title: String(input['title']).trim(), summary: String(input['summary']).trim(), sections };
}

/**
 * From free text, which holds it as JSON or as Markdown with headings; undefined if blank. @param title if the text has
 * none
 */
export function draftIn(text: string, title: string): Draft | undefined {
  const whole = text.trim();
  if (whole === '') return undefined;
  const object = objectIn(text);
  if (object !== undefined && isDraft(object)) return draftOf(object);
  const blocks = whole.split(/^(?=#{1,4} )/m);
  const named = blocks.flatMap((block) => {
    const [, heading, body = ''] = /^#{1,4} +(.*)\n?([^]*)$/.exec(block) ?? [];
    return heading === undefined ? [] : [{ heading: heading.trim(), text: body.trim() }];
  });
  const [first] = named;
  const opening = blocks[0]?.startsWith('#') === true ? '' : (blocks[0] ?? '').trim();
  const hasTitle = whole.startsWith('# ') && first !== undefined;
  const rest = (hasTitle ? named.slice(1) : named).filter((section) => section.text !== '');
  const summary = (hasTitle ? first.text : opening) || (rest[0]?.text.split('\n\n')[0] ?? whole);
  return {
    title: hasTitle ? first.heading : title,
    summary,
    sections: rest.length > 0 ? rest : [{ heading: 'Report', text: whole }],
  };
}

function isDraft({ sections, summary, title }: Record<string, unknown>): boolean {
  const isSection = (each: Record<string, unknown> | null): boolean =>
    typeof each?.['heading'] === 'string' && typeof each['text'] === 'string';
  return (
    typeof title === 'string' && typeof summary === 'string' && Array.isArray(sections) && sections.every(isSection)
  );
}

/** Says what is wrong with a draft, in words for its writer; undefined if nothing is. */
export function problemOf(draft: Draft, marks: Marks): string | undefined {
  const { sections, summary, title } = draft;
  if (!hasWords(title) || !hasWords(summary) || !sections.some(({ text }) => hasWords(text)))
    return 'a report has a title, a summary and at least one section with text';
  const texts = [summary, ...sections.map(({ text }) => text)];
  const cited = texts.flatMap((text) => [...text.matchAll(mark)].flatMap(([, list = '']) => splitMarks(list)));
  const unknown = [...new Set(cited)].filter((each) => !marks.has(each));
  const valid = [...marks.keys()].map((each) => `[${each}]`).join(' ');
  if (unknown.length > 0)
    return `there is no source ${unknown.map((each) => `[${each}]`).join(', ')}; the marks are: ${valid || 'none'}`;
  if (cited.length === 0 && marks.size > 0) return `the report cites no source; the marks are: ${valid}`;
  return undefined;
}

/**
 * The parts that a draft lacks are made of those that it has, where its writer did not mend it.
 *
 * @param title if the draft has none
 * @returns undefined if the draft says nothing, except perhaps marks without a source
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

const splitMarks = (list: string): string[] => list.split(/\s*[,;]\s*/);

/** Numbers the sources in the order in which a draft cites them: `[1.2]` becomes `[1]`. Marks without a source are left out. */
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
  return { title: draft.title, summary, sections, sources };
}

/** The most bytes of a report's parts as JSON: with the rest of a result they have to fit into one payload. */
const maxChars = { title: 2000, summary: 50_000, sections: 350_000 };

/** Cuts a report that is too large for a result. @returns the same report if it is not */
export function truncateReport(report: Report): Report {
  const { title, summary, sections } = report;
  let left = maxChars.sections;
  const kept = sections.flatMap(({ heading, text }) => {
    if (left <= 0) return [];
    const section = { heading: cutToBytes(heading, Math.min(left, maxChars.title)), text: cutToBytes(text, left) };
    left -= jsonBytes(section);
    return [section];
  });
  const cut = {
    ...report,
    title: cutToBytes(title, maxChars.title),
    summary: cutToBytes(summary, maxChars.summary),
    sections: kept,
  };
  return jsonBytes(cut) === jsonBytes(report) ? report : cut;
}

/** As Markdown. */
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
