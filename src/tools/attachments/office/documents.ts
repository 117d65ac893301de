import { parseXml, textOfXml, type Attributes, type TextRules } from './xml-text.ts';

/** The parts of a document, which is a zip archive of XML files. */
export interface Parts {
  names: readonly string[];
  /** The text of a part. @throws `Error` if it is damaged */
  read: (name: string) => Promise<string>;
}

const picture = ({ descr = '' }: Attributes): string => (descr.trim() === '' ? '' : `[picture: ${descr.trim()}]`);

/** How deep a heading is, for a style such as `Heading2`. */
const headingOf = ({ val = '' }: Attributes): string => {
  const level = Number(/^heading ?([1-6])$/i.exec(val)?.[1] ?? (/^title$/i.test(val) ? 1 : 0));
  return level === 0 ? '' : `${'#'.repeat(level)} `;
};

/** WordprocessingML. `tabs` defines tab stops, and `Fallback` says for older programs once more what is before it. */
const word: TextRules = {
  text: new Set(['t']),
  paragraph: new Set(['p']),
  marks: {
    tab: () => '\t',
    br: () => '\n',
    cr: () => '\n',
    noBreakHyphen: () => '-',
    pStyle: headingOf,
    numPr: () => '- ',
    footnoteReference: ({ id }) => `[note ${id}]`,
    endnoteReference: ({ id }) => `[end note ${id}]`,
    footnote: ({ id, type }) => (type === undefined ? `[note ${id}] ` : ''),
    endnote: ({ id, type }) => (type === undefined ? `[end note ${id}] ` : ''),
    docPr: picture,
  },
  skipped: new Set(['Fallback', 'tabs', 'del', 'moveFrom']),
  inline: {},
  cell: 'tc',
  row: 'tr',
};

/** The parts of a .docx that have text, in the order in which they are shown, and under which heading. */
const wordParts: Array<[part: RegExp, heading: string]> = [
  [/^word\/header\d*\.xml$/, '[header]'],
  [/^word\/document\.xml$/, ''],
  [/^word\/footer\d*\.xml$/, '[footer]'],
  [/^word\/footnotes\.xml$/, '[notes]'],
  [/^word\/endnotes\.xml$/, '[end notes]'],
  [/^word\/comments\.xml$/, '[comments]'],
];

/** The text of a .docx: of its body, headers, footers, notes and comments. */
export async function textOfWord({ names, read }: Parts): Promise<string> {
  const texts: string[] = [];
  for (const [part, heading] of wordParts) {
    // Sections of a document mostly repeat each other's headers.
    const found = new Set<string>();
    for (const name of names.filter((each) => part.test(each))) found.add(textOfXml(await read(name), word));
    const text = [...found].filter((each) => each !== '').join('\n');
    if (text !== '') texts.push(heading === '' ? text : `${heading}\n${text}`);
  }
  return texts.join('\n\n');
}

/** DrawingML, in slides, their notes and their diagrams. */
const drawing: TextRules = {
  text: new Set(['t']),
  paragraph: new Set(['p']),
  marks: { tab: () => '\t', br: () => '\n', cNvPr: picture },
  skipped: new Set(['Fallback', 'tabLst']),
  inline: {},
  cell: 'tc',
  row: 'tr',
};

const presentation = 'ppt/presentation.xml';

/** The text of a .pptx, each slide under a heading such as `[slide 3]`, with its diagrams and notes. */
export async function textOfSlides(parts: Parts): Promise<string> {
  const places = await relationsOf(parts, presentation);
  const slides: Array<string | undefined> = [];
  parseXml(await parts.read(presentation), {
    open(name, attributes) {
      if (name !== 'sldId') return;
      // What names the relation has a prefix, unlike the slide's own id.
      const [, id = ''] = Object.entries(attributes).find(([key]) => key.endsWith(':id')) ?? [];
      slides.push(places.get(id)?.part);
    },
  });
  const texts: string[] = [];
  for (const [index, part] of slides.entries()) {
    const text = part === undefined || !parts.names.includes(part) ? '' : await slideText(parts, part);
    texts.push(`[slide ${index + 1}]\n${text}`.trimEnd());
  }
  return texts.join('\n\n');
}

async function slideText(parts: Parts, part: string): Promise<string> {
  const texts = [textOfXml(await parts.read(part), drawing)];
  for (const { kind, part: related } of (await relationsOf(parts, part)).values()) {
    if (!parts.names.includes(related)) continue;
    const heading = { diagramData: '[diagram]', notesSlide: '[notes]' }[kind];
    const text = heading === undefined ? '' : textOfXml(await parts.read(related), drawing);
    if (text !== '') texts.push(`${heading}\n${text}`);
  }
  return texts.filter((text) => text !== '').join('\n');
}

/** The parts that a part names, by the ids that it has for them. */
async function relationsOf(parts: Parts, part: string): Promise<Map<string, { kind: string; part: string }>> {
  const folder = part.slice(0, part.lastIndexOf('/'));
  const place = `${folder}/_rels${part.slice(folder.length)}.rels`;
  const found = new Map<string, { kind: string; part: string }>();
  if (!parts.names.includes(place)) return found;
  parseXml(await parts.read(place), {
    open(name, { Id = '', Target = '', Type = '' }) {
      if (name !== 'Relationship') return;
      const base = `file:///${folder}/`;
      if (!URL.canParse(Target, base)) return;
      found.set(Id, { kind: Type.slice(Type.lastIndexOf('/') + 1), part: new URL(Target, base).pathname.slice(1) });
    },
  });
  return found;
}

/** OpenDocument texts and presentations. */
const open: TextRules = {
  text: new Set(['p', 'h']),
  paragraph: new Set(['p', 'h']),
  marks: {
    s: ({ c = '1' }) => ' '.repeat(Math.min(100, Number(c) || 1)),
    tab: () => '\t',
    'line-break': () => '\n',
    h: ({ 'outline-level': level = '1' }) => `${'#'.repeat(Math.min(6, Number(level) || 1))} `,
    'list-item': () => '- ',
    page: () => slideMark,
    notes: () => '[notes]\n',
  },
  skipped: new Set(['tracked-changes', 'forms']),
  inline: { note: '[note: ', annotation: '[comment: ' },
  cell: 'table-cell',
  row: 'table-row',
};

/** Stands where a slide begins, since its number is not in the file. It is no character of XML. */
const slideMark = '\n\u0001\n';

/** The text of an .odt or .odp, whose slides get headings such as `[slide 3]`. @throws `Error` if it is encrypted */
export async function textOfOpenDocument({ names, read }: Parts): Promise<string> {
  await refuseEncrypted({ names, read });
  let slide = 0;
  return textOfXml(await read('content.xml'), open).replaceAll('\u0001', () => `[slide ${++slide}]`);
}

/** @throws `Error` if an OpenDocument file is encrypted */
export async function refuseEncrypted({ names, read }: Parts): Promise<void> {
  const manifest = 'META-INF/manifest.xml';
  if (names.includes(manifest) && (await read(manifest)).includes('encryption-data')) throw new Error(needsPassword);
}

export const needsPassword = 'it needs a password';
