import { chartPart, chartText } from './charts.ts';
import { withEquations } from './equations.ts';
import { stylesLike, withFields } from './fields.ts';
import { noted, type Readable } from '../readable.ts';
import { shapesHeading } from '../table.ts';
import { withNumbers, withSlideNumbers } from './numbering.ts';
import { parseXml, textOfXml, type Attributes, type TextRules } from './xml-text.ts';

/** The parts of a document, which is a zip archive of XML files. */
export interface Parts {
  names: readonly string[];
  read: (name: string) => Promise<string>;
}

const picture = ({ descr = '' }: Attributes): string => (descr.trim() === '' ? '' : `[picture: ${descr.trim()}]`);

const headingOf = ({ val = '' }: Attributes): string => {
  const level = Number(/^heading ?([1-6])$/i.exec(val)?.[1] ?? (/^title$/i.test(val) ? 1 : 0));
  return level === 0 ? '' : `${'#'.repeat(level)} `;
};

/** What stands for letters above or below their line: without it 10⁶ would be 106. */
const raised: Readonly<Record<string, '^' | '_'>> = { superscript: '^', subscript: '_' };

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
    footnoteReference: ({ id }) => `[note ${id}]`,
    endnoteReference: ({ id }) => `[end note ${id}]`,
    footnote: ({ id, type }) => (type === undefined ? `[note ${id}] ` : ''),
    endnote: ({ id, type }) => (type === undefined ? `[end note ${id}] ` : ''),
    comment: ({ id, author = '' }) => `[comment ${id}] ${author && `${author}: `}`,
    commentReference: ({ id }) => `[comment ${id}]`,
    docPr: picture,
    sym: ({ char, font }) => `[symbol ${char} of ${font}]`,
    // The boxes of old forms, which are no texts.
    checkBox: () => '[box]',
    textpath: ({ string = '' }) => (string === '' ? '' : `[watermark: ${string}]`),
    gridBefore: ({ val }) => `${' |'.repeat(Math.min(100, Number(val) || 0))} `,
    checked: ({ val = '1' }) => (/^(0|false)$/.test(val) ? '' : '[is checked]'),
  },
  runMark: (name, { val = '1' }) =>
    name === 'vertAlign' ? raised[val] : /^d?strike$/.test(name) && !/^(0|false)$/.test(val) ? '~~' : undefined,
  skipped: new Set(['Fallback', 'tabs', 'del', 'moveFrom']),
  inline: { rt: ['(', ')'] },
  cell: new Set(['tc']),
  row: 'tr',
};

/** The parts of a .docx in the order in which they are shown, and under which heading. */
const wordParts: Array<[part: RegExp, heading: string]> = [
  [/^word\/header\d*\.xml$/, '[header]'],
  [/^word\/document\d*\.xml$/, ''],
  [/^word\/footer\d*\.xml$/, '[footer]'],
  [/^word\/footnotes\d*\.xml$/, '[notes]'],
  [/^word\/endnotes\d*\.xml$/, '[end notes]'],
  [/^word\/comments\d*\.xml$/, '[comments]'],
];

/** The text of a .docx: of its body, headers, footers, notes, comments, diagrams and charts. */
export async function textOfWord({ names, read }: Parts): Promise<string> {
  const texts: string[] = [];
  const first = async (part: RegExp): Promise<string> => {
    const name = names.find((each) => part.test(each));
    return name === undefined ? '' : read(name);
  };
  const numbering = await first(/^word\/numbering\d*\.xml$/);
  const styles = await first(/^word\/styles\d*\.xml$/);
  for (const [part, heading] of wordParts) {
    // Sections of a document mostly repeat each other's headers.
    const found = new Set<string>();
    for (const name of names.filter((each) => part.test(each))) {
      const rules = withLinks(word, 'hyperlink', await relationsOf({ names, read }, name));
      const xml = withFields(withNumbers(await read(name), numbering, styles));
      found.add(textOfXml(withEquations(xml), rules));
    }
    const text = [...found].filter((each) => each !== '').join('\n');
    if (text !== '') texts.push(heading === '' ? text : `${heading}\n${text}`);
  }
  for (const name of names.filter((each) => /^word\/diagrams\/data\d*\.xml$/.test(each))) {
    const text = textOfXml(await read(name), drawing);
    if (text !== '') texts.push(`[diagram]\n${text}`);
  }
  return [...texts, ...(await chartsIn({ names, read }))].join('\n\n');
}

/** Rules that also show where links lead to, before their texts. @param element which has the id of the relation */
const withLinks = (rules: TextRules, element: string, relations: Map<string, Relation>): TextRules => ({
  ...rules,
  marks: { ...rules.marks, [element]: (attributes) => linkTo(relations.get(attributes['r:id'] ?? '')?.target) },
});

export const linkTo = (target = ''): string => (/^\w+:/.test(target) ? `[link: ${target}] ` : '');

export async function chartsIn({ names, read }: Parts): Promise<string[]> {
  const numberOf = (name: string): number => Number(/(\d*)\.xml$/.exec(name)?.[1]);
  const charts = names.filter((name) => chartPart.test(name)).toSorted((one, other) => numberOf(one) - numberOf(other));
  return Promise.all(charts.map(async (name) => chartText(await read(name))));
}

export async function leftOut({ names, read }: Parts): Promise<Array<string | false>> {
  const count = (part: RegExp): number => names.filter((name) => part.test(name)).length;
  const pictures = count(/(^|\/)(media|Pictures)\/[^/]+\.(png|jpe?g|gif|bmp|tiff?|webp|emf|wmf|svg)$/i);
  const newer = count(/\/charts\/chartEx\d*\.xml$/);
  const allOf = (part: RegExp): Promise<string[]> =>
    Promise.all(names.filter((name) => part.test(name)).map((name) => read(name)));
  const bodies = await allOf(/^(word\/document\d*|ppt\/slides\/slide\d+|content)\.xml$/);
  const has = (pattern: RegExp): boolean => bodies.some((body) => pattern.test(body));
  const charts = await allOf(/\/charts\/_rels\//);
  // LibreOffice calls them "Object 1", whose formulas are read.
  const others = count(/^(\.\/)?(?!Object )[^/]+\/content\.xml$/);
  // What a chart is drawn from is in its part, too.
  const embedded = count(/\/embeddings\//) - charts.filter((chart) => chart.includes('/embeddings/')).length;
  const styles = await allOf(/^(content|styles)\.xml$/);
  const isNumbered = has(/<text:list[ >]/) && styles.some((each) => each.includes('<text:list-level-style-number'));
  const isHiding = /<w:vanish( w:val="(1|true|on)")?\/>|text:display="(none|condition)"|<text:hidden-/;
  const [ofWord = ''] = await allOf(/^word\/styles\d*\.xml$/);
  const used = new Set(
    bodies.flatMap((body) => [...body.matchAll(/Style w:val="([^"]*)"/g)].map(([, style]) => style)),
  );
  const looks = (look: RegExp): boolean => stylesLike(ofWord, look).some((style) => used.has(style));
  return [
    pictures > 0 && `pictures in it: ${pictures}, of which only the descriptions are read`,
    newer > 0 && `${newer} of its charts are of a kind that is not read`,
    has(merging) && 'its tables have merged cells: a text stands in the first of them, the others are empty',
    has(/<(w:(del|moveFrom)|text:tracked-changes)[ >]/) &&
      'what tracked changes have deleted is left out, and what they have added is read',
    (has(isHiding) || looks(isHiding)) && 'it has hidden text, which is read like the rest',
    (has(/text-line-through-style="solid"/) || looks(/<w:d?strike( w:val="(1|true|on)")?\/>/)) &&
      'some of its text is struck out, and read like the rest',
    has(/<w:highlight |<w:color w:val="(?!auto|000000)/) && 'colours of text are not read',
    isNumbered && 'the numbers of its lists are not read: each item begins with -',
    embedded > 0 && `files that are embedded in it, which are not read: ${embedded}`,
    others > 0 && `formulas and other objects in it, which are not read: ${others}`,
    has(/<w:altChunk /) && 'documents that are put into it whole (altChunk) are not read',
    has(/ presentation:visibility="hidden"/) && 'it has hidden slides, which are read like the others',
  ];
}

/** How cells of tables in texts and slides are merged. The sheets of an .ods have it too, whose reading tells by itself. */
const merging =
  /<w:(gridSpan|vMerge)\b|<a:tc [^>]*(gridSpan|rowSpan)=|^(?!.*<office:spreadsheet).*table:number-(columns|rows)-spanned="(?!1")/s;

export const textOfCell = (runs: string): string => textOfXml(runs, { ...word, marks: {}, skipped: new Set(['rPh']) });

/** DrawingML, in slides, their notes and their diagrams. */
const drawing: TextRules = {
  // `text` is what older comments have.
  text: new Set(['t', 'text']),
  paragraph: new Set(['p', 'text']),
  marks: { tab: () => '\t', br: () => '\n', cNvPr: picture },
  runMark(name, { baseline = '0', strike = '' }) {
    if (name !== 'rPr') return undefined;
    if (/^(sng|dbl)Strike$/.test(strike)) return '~~';
    return Number.parseFloat(baseline) > 0 ? '^' : Number.parseFloat(baseline) < 0 ? '_' : undefined;
  },
  skipped: new Set(['Fallback', 'tabLst']),
  inline: {},
  cell: new Set(['tc']),
  row: 'tr',
};

export async function shapesIn({ names, read }: Parts): Promise<string[]> {
  const drawings = names.filter((name) => /^xl\/(drawings\/drawing|diagrams\/data)\d+\.xml$/.test(name));
  const texts = await Promise.all(drawings.map(async (name) => textOfXml(withEquations(await read(name)), drawing)));
  return texts.filter((text) => text !== '').map((text) => `${shapesHeading}\n${text}`);
}

/** The text of a .pptx, each slide under a heading such as `[slide 3]`, with its charts, diagrams, comments and notes. */
export async function textOfSlides(parts: Parts): Promise<Readable> {
  const presentation = 'ppt/presentation.xml';
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
  const hidden: number[] = [];
  const below = new Map<string, number[]>();
  for (const [index, part] of slides.entries()) {
    const xml = part === undefined || !parts.names.includes(part) ? '' : await parts.read(part);
    if (/<p:sld [^>]*\bshow="(0|false)"/.test(xml)) hidden.push(index + 1);
    for (const text of await textsBelow(parts, part ?? '', xml))
      below.set(text, [...(below.get(text) ?? []), index + 1]);
    texts.push(`[slide ${index + 1}]\n${xml === '' ? '' : await slideText(parts, part ?? '', xml)}`.trimEnd());
  }
  for (const [text, on] of below) texts.push(`[layout of slides ${on.join(', ')}]\n${text}`);
  const note = hidden.length > 0 && `hidden slides, which are read like the others: ${hidden.join(', ')}`;
  return { text: texts.join('\n\n'), ...noted([note]) };
}

/** What a slide shows of its layout, and of what that is based on: the texts of shapes that are no places for texts. */
async function textsBelow(parts: Parts, part: string, xml: string): Promise<string[]> {
  const texts: string[] = [];
  let [at, above] = [part, xml];
  for (const kind of ['slideLayout', 'slideMaster']) {
    if (/<p:\w+ [^<>]*\bshowMasterSp="(0|false)"/.test(above)) break;
    const below = [...(await relationsOf(parts, at)).values()].find((relation) => relation.kind === kind)?.part ?? '';
    if (!parts.names.includes(below)) break;
    [at, above] = [below, await parts.read(below)];
    const shapes = above.match(/<p:sp>(?:(?!<p:sp>).)*?<\/p:sp>/gs) ?? [];
    const own = shapes.filter((shape) => !shape.includes('<p:ph')).map((shape) => textOfXml(shape, drawing));
    texts.push(own.filter((text) => text !== '').join('\n'));
  }
  return texts.filter((text) => text !== '');
}

async function slideText(parts: Parts, part: string, xml: string): Promise<string> {
  const relations = await relationsOf(parts, part);
  const texts = [textOfXml(withEquations(withSlideNumbers(xml)), withLinks(drawing, 'hlinkClick', relations))];
  for (const { kind, part: related } of relations.values()) {
    if (!parts.names.includes(related)) continue;
    if (kind === 'chart' && chartPart.test(related)) texts.push(chartText(await parts.read(related)));
    const heading = { diagramData: '[diagram]', notesSlide: '[notes]', comments: '[comments]' }[kind];
    const rules = kind === 'comments' ? await withAuthors(parts) : drawing;
    const text = heading === undefined ? '' : textOfXml(withRepliesLast(await parts.read(related)), rules);
    if (text !== '') texts.push(`${heading}\n${text}`);
  }
  return texts.filter((text) => text !== '').join('\n');
}

async function withAuthors({ names, read }: Parts): Promise<TextRules> {
  const authors = new Map<string, string>();
  for (const part of names.filter((name) => /^ppt\/(commentAuthors|authors)\.xml$/.test(name))) {
    parseXml(await read(part), { open: (_, { id = '', name = '' }) => void authors.set(id, name) });
  }
  const author = ({ authorId = '' }: Attributes): string => (authors.has(authorId) ? `${authors.get(authorId)}: ` : '');
  return { ...drawing, marks: { ...drawing.marks, cm: author, reply: author } };
}

/** Comments whose replies stand behind their texts. PowerPoint writes them before. */
const withRepliesLast = (xml: string): string =>
  xml.replaceAll(/(<p188:replyLst>.*?<\/p188:replyLst>)(<p188:txBody>.*?<\/p188:txBody>)/gs, '$2$1');

interface Relation {
  kind: string;
  part: string;
  /** The part as it is written, which may be an address. */
  target: string;
}

async function relationsOf(parts: Parts, part: string): Promise<Map<string, Relation>> {
  const folder = part.slice(0, part.lastIndexOf('/'));
  const relations = `${folder}/_rels${part.slice(folder.length)}.rels`;
  const found = new Map<string, Relation>();
  if (!parts.names.includes(relations)) return found;
  parseXml(await parts.read(relations), {
    open(name, { Id = '', Target = '', Type = '' }) {
      if (name !== 'Relationship') return;
      const place = URL.parse(Target, `file:///${folder}/`);
      if (place === null) return;
      found.set(Id, { kind: Type.slice(Type.lastIndexOf('/') + 1), part: place.pathname.slice(1), target: Target });
    },
  });
  return found;
}
