import { noted, type Readable } from '../readable.ts';
import { streamsIn } from './compound.ts';
import { codeShown } from './fields.ts';
import { needsPassword } from './open-documents.ts';
import { RowLengths, unequalNote } from './row-lengths.ts';

/** The parts of the text behind one another, by where the header has their lengths ([MS-DOC] 2.5.4). */
const parts: Array<[heading: string, at: number]> = [
  ['', 0x4c],
  ['[footnotes]', 0x50],
  ['[headers and footers]', 0x54],
  ['[comments]', 0x5c],
  ['[endnotes]', 0x60],
  ['[text boxes]', 0x64],
  ['[text boxes of headers]', 0x68],
];

/** Properties of characters and paragraphs ([MS-DOC] 2.6.1 and 2.6.2). */
const deleted = 0x0800;
const struck = 0x0837;
const hidden = 0x083c;
const inTable = 0x2416;
const rowEnd = 0x2417;

/** What stands among the properties that were found where rows of one table have different numbers of cells. */
const unequalRows = -1;

export const beforeWord97 = 'it is of a Word before 1997; as .docx it would be read';

/** The text of a document of Word 97 to 2003 (.doc). @throws `Error` if it is damaged, older, or needs a password */
export function textOfOldWord(bytes: Buffer): Readable {
  const streams = streamsIn(bytes);
  const document = streams.get('WordDocument') ?? Buffer.alloc(0);
  if (document.readUInt16LE(0) !== 0xa5ec || document.readUInt16LE(2) < 0xc1) throw new Error(beforeWord97);
  const flags = document.readUInt16LE(0x0a);
  if ((flags & 0x100) !== 0) throw new Error(needsPassword);
  const table = streams.get((flags & 0x200) === 0 ? '0Table' : '1Table') ?? Buffer.alloc(0);
  const { has, text } = lookedAt(document, table);
  const texts: string[] = [];
  let from = 0;
  for (const [heading, at] of parts) {
    const length = document.readUInt32LE(at);
    const part = plain(text.slice(from, from + length).join(''));
    if (part !== '') texts.push(heading === '' ? part : `${heading}\n${part}`);
    from += length;
  }
  const notes = [
    has.has(deleted) && 'what tracked changes have deleted is left out, and what they have added is read',
    has.has(hidden) && 'it has hidden text, which is read like the rest',
    has.has(unequalRows) && unequalNote,
    'of an old document (.doc) pictures, charts, shapes, the numbers of lists, and who commented where are not read',
  ];
  return { text: texts.join('\n\n'), ...noted(notes) };
}

function lookedAt(document: Buffer, table: Buffer): { text: string[]; has: Set<number> } {
  const characters = runsOf(document, table, 0xfa, 1);
  const paragraphs = runsOf(document, table, 0x102, 13);
  const has = new Set<number>();
  const text: string[] = [];
  let isStruck = false;
  const rows = new RowLengths();
  for (const { letters, place, width } of piecesOf(document, table)) {
    for (let index = 0; index < letters.length; index++) {
      const letter = letters[index] ?? '';
      const at = place + index * width;
      const looks = propertiesAt(characters, at);
      const is = (look: number): boolean => ((looks.get(look) ?? 0) & 1) === 1;
      for (const look of [deleted, hidden]) if (is(look)) has.add(look);
      const ofParagraph = (look: number): boolean => propertiesAt(paragraphs, at).get(look) === 1;
      let shown = letter;
      const isCell = letter === '\u0007';
      if (isCell && ofParagraph(rowEnd)) {
        shown = '\n';
        rows.endRow();
      } else if (isCell) rows.endCell();
      else if (letter === '\r' && !ofParagraph(inTable)) rows.endTable();
      if ('\r\v'.includes(letter) && ofParagraph(inTable)) shown = ' ';
      if (is(deleted)) shown = '';
      const isNow = is(struck) && letter !== '\u0007' && letter.trim() !== '';
      text.push(isNow === isStruck ? shown : `~~${shown}`);
      isStruck = isNow;
    }
  }
  if (rows.areUnequal) has.add(unequalRows);
  return { text, has };
}

/** The pieces that the text is put together from, each of one or two bytes a letter. */
function* piecesOf(document: Buffer, table: Buffer): Generator<{ letters: string; place: number; width: number }> {
  let at = document.readUInt32LE(0x1a2);
  while (table[at] === 1) at += 3 + table.readUInt16LE(at + 1);
  const bytes = table.readUInt32LE(at + 1);
  const count = (bytes - 4) / 12;
  const start = at + 5;
  for (let piece = 0; piece < count; piece++) {
    const length = table.readUInt32LE(start + (piece + 1) * 4) - table.readUInt32LE(start + piece * 4);
    const said = table.readUInt32LE(start + (count + 1) * 4 + piece * 8 + 2);
    const isNarrow = (said & 0x4000_0000) !== 0;
    const place = isNarrow ? (said & 0x3fff_ffff) / 2 : said;
    const width = isNarrow ? 1 : 2;
    const written = document.subarray(place, place + length * width);
    yield { letters: new TextDecoder(isNarrow ? 'windows-1252' : 'utf-16le').decode(written), place, width };
  }
}

/** Fields that show something, although they have no results: those of forms have their values elsewhere. */
const withoutResult = /^\s*(EQ|SYMBOL|LISTNUM|AUTONUM(LGL|OUT)?|FORMDROPDOWN|FORMCHECKBOX)\b/i;

/** A text without the commands of fields that have results, with tables in bars and without what stands for pictures. */
function plain(marked: string): string {
  let text = '';
  const fields: Array<{ code: string; isCode: boolean; from: number }> = [];
  for (const letter of marked) {
    const field = fields.at(-1);
    const isShown = fields.every(({ isCode }) => !isCode);
    if (letter === '\u0013') fields.push({ code: '', isCode: true, from: text.length });
    else if (letter === '\u0014') fields.splice(-1, 1, { code: '', from: 0, ...field, isCode: false });
    else if (letter === '\u0015') {
      fields.pop();
      const isInCode = fields.some(({ isCode }) => isCode);
      if (field !== undefined && !isInCode && text.length === field.from) text += codeShown(field.code, withoutResult);
    } else if (isShown) text += letter;
    else if (field !== undefined) field.code += letter;
  }
  return text
    .replaceAll('\u0007', ' | ')
    .replaceAll('\u001E', '-')
    .replaceAll(/[\r\v\f]/g, '\n')
    .replaceAll(/[^\P{Cc}\t\n]/gu, '')
    .replaceAll(/(?: \| *)+$/gm, '')
    .replaceAll(/\n{3,}/g, '\n\n')
    .trim();
}

/** How a run of text in a .doc looks: the first byte of each property, by its number ([MS-DOC] 2.6). */
interface Run {
  from: number;
  properties: ReadonlyMap<number, number>;
}

/** How many bytes a page of properties has, and a value of one by the upper bits of its number; undefined where it says so itself. */
const pageBytes = 512;
const valueBytes = [1, 1, 2, 4, 2, 2, undefined, 3];

/** The runs of a .doc. @param entryBytes what a page has of each besides where it begins: 13 of paragraphs */
function runsOf(document: Buffer, table: Buffer, at: number, entryBytes: 1 | 13): Run[] {
  const start = document.readUInt32LE(at);
  const count = Math.floor((document.readUInt32LE(at + 4) - 4) / 8);
  const runs: Run[] = [];
  for (let index = 0; index < count; index++) {
    const number = table.readUInt32LE(start + (count + 1 + index) * 4) & 0x3f_ffff;
    const page = document.subarray(number * pageBytes, (number + 1) * pageBytes);
    const size = page[pageBytes - 1] ?? 0;
    for (let run = 0; run < size; run++) {
      const offset = (page[(size + 1) * 4 + run * entryBytes] ?? 0) * 2;
      let written: Buffer = Buffer.alloc(0);
      if (offset !== 0 && entryBytes === 1) written = page.subarray(offset + 1, offset + 1 + (page[offset] ?? 0));
      else if (offset !== 0) written = ofParagraph(page, offset);
      runs.push({ from: page.readUInt32LE(run * 4), properties: propertiesIn(written) });
    }
  }
  return runs.sort((one, other) => one.from - other.from);
}

/** Behind the length, which is one of two, the number of a style comes first. */
function ofParagraph(page: Buffer, at: number): Buffer {
  const half = page[at] ?? 0;
  return half === 0 ? page.subarray(at + 4, at + 2 + (page[at + 1] ?? 0) * 2) : page.subarray(at + 3, at + half * 2);
}

function propertiesIn(written: Buffer): Map<number, number> {
  const properties = new Map<number, number>();
  let at = 0;
  while (at + 2 < written.length) {
    const number = written.readUInt16LE(at);
    properties.set(number, written[at + 2] ?? 0);
    // Of the table's cells two bytes tell the length, less one.
    const own = number === 0xd608 ? written.readUInt16LE(at + 2) + 1 : (written[at + 2] ?? 0) + 1;
    at += 2 + (valueBytes[number >> 13] ?? own);
  }
  return properties;
}

function propertiesAt(runs: Run[], place: number): ReadonlyMap<number, number> {
  let low = 0;
  for (let high = runs.length; low < high;) {
    const middle = (low + high) >> 1;
    if ((runs[middle]?.from ?? 0) <= place) low = middle + 1;
    else high = middle;
  }
  return runs[low - 1]?.properties ?? new Map<number, number>();
}
