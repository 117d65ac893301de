import { noted, type Readable } from '../readable.ts';
import { streamsIn } from './compound.ts';
import { needsPassword } from './open-documents.ts';

/** A record of a presentation ([MS-PPT] 2.3.1): a container, whose body is records, or what its type says. */
interface PptRecord {
  type: number;
  instance: number;
  body: Buffer;
  children: PptRecord[];
}

/** The types of records that have to do with text, by their names there ([MS-PPT] 2.13.24, [MS-ODRAW] 2.2). */
const types = {
  slideAtom: 0x03ef,
  slidePersist: 0x03f3,
  slideShowInfo: 0x03f9,
  slideList: 0x0ff0,
  userEdit: 0x0ff5,
  textHeader: 0x0f9f,
  outlineTextRef: 0x0f9e,
  textChars: 0x0fa0,
  textBytes: 0x0fa8,
  cString: 0x0fba,
  binaryTagData: 0x138b,
  comment: 0x2ee0,
  groupShape: 0xf003,
  options: 0xf00b,
  tertiaryOptions: 0xf122,
  clientTextbox: 0xf00d,
  childAnchor: 0xf00f,
} as const;

/** The option of a group of shapes that makes it a table. */
const tableOption = 0x039f;

/** The most containers that stand in one another, of which honest ones have a dozen. */
const deepest = 100;

const nowhere = 'it does not say where its slides are';

/** The text of a presentation of PowerPoint 97 to 2003 (.ppt). @throws `Error` if it is damaged, or needs a password */
export function textOfOldSlides(bytes: Buffer): Readable {
  const streams = streamsIn(bytes);
  const stream = streams.get('PowerPoint Document') ?? Buffer.alloc(0);
  const user = streams.get('Current User') ?? Buffer.alloc(0);
  if (user.readUInt32LE(12) === 0xf3d1c4df) throw new Error(needsPassword);
  const { document, places } = placesIn(stream, user.readUInt32LE(16));
  const at = (place: number): PptRecord | undefined => {
    const offset = places.get(place);
    return offset === undefined ? undefined : recordAt(stream, offset);
  };
  const lists = at(document)?.children.filter(({ type }) => type === types.slideList);
  if (lists === undefined) throw new Error(nowhere);
  const notes = new Map(
    lists
      .filter(({ instance }) => instance === 2)
      .flatMap((list) => slidesOf(list).map(({ id, place }) => [id, place])),
  );
  const texts: string[] = [];
  const hidden: number[] = [];
  const slides = lists.filter(({ instance }) => instance === 0).flatMap(slidesOf);
  for (const [index, { outline, place }] of slides.entries()) {
    const slide = at(place);
    const said = slide === undefined ? [] : [...textsOf(slide, outline), ...commentsOf(slide)];
    const notesPlace = notes.get(
      slide?.children.find(({ type }) => type === types.slideAtom)?.body.readUInt32LE(16) ?? 0,
    );
    const ofNotes = notesPlace === undefined ? undefined : at(notesPlace);
    const spoken = ofNotes === undefined ? [] : textsOf(ofNotes, []);
    if (spoken.length > 0) said.push(`[notes]\n${spoken.join('\n')}`);
    const shown = slide?.children.find(({ type }) => type === types.slideShowInfo);
    if (((shown?.body.readUInt16LE(10) ?? 0) & 4) !== 0) hidden.push(index + 1);
    texts.push(`[slide ${index + 1}]\n${said.join('\n')}`.trimEnd());
  }
  const note = [
    slides.length === 0 && 'it has no slides',
    hidden.length > 0 && `hidden slides, which are read like the others: ${hidden.join(', ')}`,
    'of an old presentation (.ppt) pictures, charts, links, and what is struck out or above the line are not read',
  ];
  return { text: texts.join('\n\n'), ...noted(note) };
}

/** Where the parts of a presentation stand: each time that it is saved adds those which have changed. */
function placesIn(stream: Buffer, last: number): { document: number; places: Map<number, number> } {
  const places = new Map<number, number>();
  let document: number | undefined;
  const seen = new Set<number>();
  for (let at = last; at !== 0 && !seen.has(at);) {
    seen.add(at);
    const edit = recordAt(stream, at);
    if (edit?.type !== types.userEdit) throw new Error(nowhere);
    document ??= edit.body.readUInt32LE(16);
    const body = recordAt(stream, edit.body.readUInt32LE(12))?.body ?? Buffer.alloc(0);
    for (let entry = 0; entry + 4 <= body.length;) {
      const head = body.readUInt32LE(entry);
      const [first, count] = [head & 0xf_ffff, head >>> 20];
      for (let index = 0; index < count; index++) {
        const offset = body.readUInt32LE(entry + 4 + index * 4);
        if (!places.has(first + index)) places.set(first + index, offset);
      }
      entry += 4 + count * 4;
    }
    at = edit.body.readUInt32LE(8);
  }
  return { document: document ?? 0, places };
}

/** The record that begins at a place, as far as its own length says. */
const recordAt = (stream: Buffer, at: number): PptRecord | undefined =>
  recordsIn(stream.subarray(at, at + 8 + stream.readUInt32LE(at + 4)))[0];

function recordsIn(bytes: Buffer, depth = 0): PptRecord[] {
  const records: PptRecord[] = [];
  for (let at = 0; at + 8 <= bytes.length;) {
    const head = bytes.readUInt16LE(at);
    const type = bytes.readUInt16LE(at + 2);
    const body = bytes.subarray(at + 8, at + 8 + bytes.readUInt32LE(at + 4));
    const isContainer = ((head & 0xf) === 0xf || type === types.binaryTagData) && depth < deepest;
    records.push({ type, instance: head >> 4, body, children: isContainer ? recordsIn(body, depth + 1) : [] });
    at += 8 + body.length;
  }
  return records;
}

/** The slides of a list, and the texts that the outline has of each. */
function slidesOf({ children }: PptRecord): Array<{ id: number; place: number; outline: string[] }> {
  const slides: Array<{ id: number; place: number; outline: string[] }> = [];
  for (const record of children) {
    const outline = slides.at(-1)?.outline;
    if (record.type === types.slidePersist)
      slides.push({ id: record.body.readUInt32LE(12), place: record.body.readUInt32LE(0), outline: [] });
    else if (record.type === types.textHeader) outline?.push('');
    else if (outline !== undefined && isText(record)) outline[outline.length - 1] = plain(record);
  }
  return slides;
}

const isText = ({ type }: PptRecord): boolean => type === types.textChars || type === types.textBytes;

/** The text of a record. In the place of a slide's number, a date and the like stands a star. */
const plain = ({ body, type }: PptRecord): string =>
  body
    .toString(type === types.textBytes ? 'latin1' : 'utf16le')
    .replaceAll(/[\r\v]/g, '\n')
    .replaceAll(/[^\P{Cc}\t\n]/gu, '')
    .replaceAll(/^\*$/gm, '')
    .trim();

/** The texts of all shapes. @param outline those that stand in the document's outline, to which shapes refer by number */
function textsOf(record: PptRecord, outline: string[]): string[] {
  if (record.type === types.clientTextbox) return [textOf(record, outline)].filter((text) => text !== '');
  if (record.type === types.groupShape && isTable(record)) return [tableOf(record, outline)];
  if (record.type === types.binaryTagData) return [];
  return record.children.flatMap((each) => textsOf(each, outline));
}

function textOf({ children }: PptRecord, outline: string[]): string {
  const reference = children.find(({ type }) => type === types.outlineTextRef);
  if (reference !== undefined) return outline[reference.body.readUInt32LE(0)] ?? '';
  return children.filter(isText).map(plain).join('\n');
}

const isTable = ({ children: [head] }: PptRecord): boolean =>
  head?.children.some(
    ({ body, instance, type }) =>
      (type === types.options || type === types.tertiaryOptions) &&
      Array.from({ length: instance }, (_, index) => body.readUInt16LE(index * 6) & 0x3fff).includes(tableOption),
  ) === true;

/** A table's cells are shapes, and where they begin tells their rows. */
function tableOf({ children }: PptRecord, outline: string[]): string {
  const cells = children.slice(1).flatMap(({ children: parts }) => {
    const anchor = parts.find(({ type }) => type === types.childAnchor)?.body;
    const box = parts.find(({ type }) => type === types.clientTextbox);
    if (anchor === undefined || box === undefined) return [];
    const text = textOf(box, outline).replaceAll('\n', ' ');
    return [{ left: anchor.readInt32LE(0), top: anchor.readInt32LE(4), text }];
  });
  const rows = Map.groupBy(
    cells.toSorted((one, other) => one.top - other.top || one.left - other.left),
    ({ top }) => top,
  );
  return [...rows.values()].map((row) => row.map(({ text }) => text).join(' | ')).join('\n');
}

function commentsOf(record: PptRecord): string[] {
  if (record.type !== types.comment) return record.children.flatMap(commentsOf);
  const words = record.children.filter(({ type }) => type === types.cString);
  const [author = '', text = ''] = [0, 1].map((number) => {
    const found = words.find(({ instance }) => instance === number);
    return found === undefined ? '' : found.body.toString('utf16le').replaceAll('\r', '\n').trim();
  });
  return [`[comments]\n${author === '' ? '' : `${author}: `}${text}`];
}
