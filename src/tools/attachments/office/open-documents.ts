import type { FullProperties } from '@e965/xlsx';
import { linkTo, type Parts } from './documents.ts';
import { type Attributes, parseXml, textOfXml, type TextRules } from './xml-text.ts';
import { propertiesText } from '../readable.ts';

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
  const marked = textOfXml(xml, { ...open, marks: { ...open.marks, span } });
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
    if (xml.includes('<chart:chart')) texts.push(`[chart]\n${textOfXml(xml, open)}`);
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

const elements: Readonly<Record<string, string>> = {
  title: 'title',
  subject: 'subject',
  description: 'description',
  keywords: 'keywords',
  keyword: 'keywords',
  created: 'created',
  'creation-date': 'created',
  modified: 'changed',
  date: 'changed',
  'initial-creator': 'author',
  lastModifiedBy: 'changed by',
};

/** What an office document says of itself: title, author, and when it was made; empty if it says nothing. */
export async function propertiesIn({ names, read }: Parts): Promise<string> {
  const part = names.find((name) => /^(docProps\/core|meta)\.xml$/.test(name));
  if (part === undefined) return '';
  // Who has made it has the name that in the other format has who changed it last.
  const labels: typeof elements = { ...elements, creator: part === 'meta.xml' ? 'changed by' : 'author' };
  const found: Array<{ label: string; value: string }> = [];
  let within: { label: string; value: string } | undefined;
  parseXml(await read(part), {
    open(name) {
      const label = labels[name];
      within = label === undefined ? undefined : { label, value: '' };
      if (within !== undefined) found.push(within);
    },
    text: (value) => void (within !== undefined && (within.value += value)),
    close: () => void (within = undefined),
  });
  return propertiesText(found.map(({ label, value }) => [label, value]));
}

export const propertiesOf = (said: FullProperties = {}): string =>
  propertiesText([
    ['title', said.Title],
    ['subject', said.Subject],
    ['author', said.Author],
    ['keywords', said.Keywords],
    ['description', said.Comments],
    ['created', said.CreatedDate instanceof Date ? said.CreatedDate.toISOString() : ''],
    ['changed by', said.LastAuthor],
  ]);
