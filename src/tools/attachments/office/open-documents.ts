import { linkTo, type Parts } from './documents.ts';
import { parseXml, textOfXml, type Attributes, type TextRules } from './xml-text.ts';

const open: TextRules = {
  text: new Set(['p', 'h']),
  // Between who has commented, when, and what.
  paragraph: new Set(['p', 'h', 'creator', 'creator-initials']),
  marks: {
    s: ({ c = '1' }) => ' '.repeat(Math.min(100, Number(c) || 1)),
    tab: () => '\t',
    'line-break': () => '\n',
    h: ({ 'outline-level': level = '1' }) => `${'#'.repeat(Math.min(6, Number(level) || 1))} `,
    'list-item': () => '- ',
    a: ({ href }) => linkTo(href),
    page: () => slideMark,
    notes: () => '[notes]\n',
  },
  skipped: new Set(['tracked-changes', 'forms', 'note-citation', 'creator-initials']),
  inline: { note: [' [note: ', ']'], annotation: [' [comment: ', ']'] },
  cell: new Set(['table-cell', 'covered-table-cell']),
  row: 'table-row',
};

/** Stands where a slide begins, since its number is not in the file. It is no character of XML. */
const slideMark = '\n\u0001\n';

/** The text of an .odt or .odp, whose slides get headings such as `[slide 3]`. @throws `Error` if it is encrypted */
export async function textOfOpenDocument(parts: Parts): Promise<string> {
  await refuseEncrypted(parts);
  let slide = 0;
  const xml = await parts.read('content.xml');
  const raising = raisingStyles(xml);
  const span = ({ 'text:style-name': style = '' }: Attributes): string => raising.get(style) ?? '';
  // The number of a slide that stands in its notes is not in the file.
  const numbered = xml.replaceAll(/(<text:page-number[^<>]*>)&lt;number&gt;/g, '$1');
  const marked = textOfXml(numbered, { ...open, marks: { ...open.marks, span } });
  const text = marked.replaceAll('\u0001', () => `[slide ${++slide}]`);
  return [...(await edgesOf(parts)), text, ...(await objectsIn(parts))].join('\n\n');
}

function raisingStyles(xml: string): Map<string, '^' | '_'> {
  const found = new Map<string, '^' | '_'>();
  let style = '';
  parseXml(xml, {
    open(name, { 'style:name': called = '', 'style:text-position': position = '' }) {
      if (name === 'style') style = called;
      const [how] = /^(super|sub|-?[\d.]*[1-9][\d.]*%)/.exec(position) ?? [];
      if (how !== undefined) found.set(style, /^(sub|-)/.test(how) ? '_' : '^');
    },
  });
  return found;
}

/** The headers and footers of an .odt. Those of slides say where one would write. */
async function edgesOf({ names, read }: Parts): Promise<string[]> {
  if (!names.includes('styles.xml')) return [];
  const edges = (await read('styles.xml')).match(/<style:(header|footer)[ >].*?<\/style:\1>/gs) ?? [];
  const texts = new Set(edges.map((edge) => textOfXml(edge, open)).filter((text) => text !== ''));
  return texts.size === 0 ? [] : [`[headers and footers]\n${[...texts].join('\n')}`];
}

/** The charts and formulas of an OpenDocument file: each is a document of its own, a chart with the table of its values. */
export async function objectsIn({ names, read }: Parts): Promise<string[]> {
  const texts: string[] = [];
  for (const name of names.filter((each) => /^(\.\/)?Object [^/]+\/content\.xml$/.test(each))) {
    const xml = await read(name);
    if (xml.includes('<chart:chart'))
      texts.push(`[chart]\n${textOfXml(xml.replaceAll('<text:p>NaN</text:p>', ''), open)}`);
    // As one writes it: the elements beside it would lose what is above what.
    else if (xml.includes('annotation'))
      texts.push(`[formula]\n${textOfXml(xml, { ...open, text: new Set(['annotation']), inline: {}, marks: {} })}`);
  }
  return texts;
}

export async function refuseEncrypted({ names, read }: Parts): Promise<void> {
  const manifest = 'META-INF/manifest.xml';
  if (names.includes(manifest) && (await read(manifest)).includes('encryption-data')) throw new Error(needsPassword);
}

export const needsPassword = 'it needs a password';
