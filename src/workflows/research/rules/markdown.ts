import type { Report } from '../../../protocol/research.ts';

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
