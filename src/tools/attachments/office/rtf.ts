import { pageEncoding } from '../../../util/text/encoding.ts';
import { noted, propertiesText, type Readable } from '../readable.ts';
import { codeShown } from './fields.ts';
import { RowLengths, unequalNote } from './row-lengths.ts';

/** Groups that are no text of the document, besides those that begin with `\*`, which older programs are to leave out. */
const skipped = new Set(
  'fonttbl colortbl stylesheet info list pict object shprslt sp filetbl deleted nonesttables'.split(' '),
);

/** Groups with `\*` that are read all the same. */
const keptDestinations = new Set(['annotation', 'atnauthor', 'fldinst', 'footnote', 'nesttableprops', 'shpinst']);

/** What stands before the text of a group; behind it stands a bracket. */
const opened = new Map([
  ['atnauthor', '[comment by '],
  ['annotation', '[comment: '],
  ['footnote', '[note: '],
  ['header', '\n[header: '],
  ['footer', '\n[footer: '],
]);

/** Stand where a row of a table ends, and a paragraph of a cell. */
const rowEnd = '\u0001';
const cellLine = '\v';

const marks = new Map([
  ['par', '\n'],
  ['line', '\n'],
  ['sect', '\n'],
  ['page', '\n'],
  ['row', rowEnd],
  ['nestrow', ' / '],
  ['cell', ' | '],
  ['nestcell', ' ¦ '],
  ['tab', '\t'],
  ['emdash', '—'],
  ['endash', '–'],
  ['lquote', '‘'],
  ['rquote', '’'],
  ['ldblquote', '“'],
  ['rdblquote', '”'],
  ['bullet', '•'],
  ['~', '\u00a0'],
  ['_', '-'],
  ['{', '{'],
  ['}', '}'],
  ['\\', '\\'],
  ['\n', '\n'],
  ['\r', '\n'],
]);

const properties = new Set(['title', 'author', 'subject', 'keywords']);

/** The encodings of fonts by their character sets. */
const charsets: Readonly<Record<number, string>> = {
  128: 'shift_jis',
  129: 'euc-kr',
  134: 'gbk',
  136: 'big5',
  161: 'windows-1253',
  162: 'windows-1254',
  177: 'windows-1255',
  178: 'windows-1256',
  186: 'windows-1257',
  204: 'windows-1251',
  222: 'windows-874',
  238: 'windows-1250',
};

/** A group between braces. What is set in it ends with it. */
interface Group {
  isSkipped: boolean;
  word: string;
  encoding: string;
  /** How many characters stand for one of Unicode, for older programs. */
  fallback: number;
  raised: string;
  /** Of `fldinst` and of properties, with the groups in them: the text, which stands elsewhere. */
  apart?: { text: string };
}

const token = /\\([a-z]+)(-?\d+)? ?|\\'([\da-f]{2})|\\([^a-z])|([{}])|([^\\{}\r\n]+)/gi;

/** The text of a document in Rich Text Format 1.9. @throws `Error` if it is nested too deep */
export function textOfRtf(bytes: Buffer): Readable {
  const source = bytes.toString('latin1');
  const page = Number(/\\ansicpg(\d+)/.exec(source)?.[1] ?? 1252);
  const usual = pageEncoding(page) ?? 'windows-1252';
  const fonts = new Map<number, string>();
  const said: Array<[string, string]> = [];
  const stack: Group[] = [];
  const parts: string[] = [];
  let group: Group = { isSkipped: false, word: '', encoding: usual, fallback: 1, raised: '' };
  let isStarred = false;
  let isFirst = false;
  let font = 0;
  let left = 0;
  let packed: number[] = [];
  let isInTable = false;
  const rows = new RowLengths();

  const add = (text: string): void => {
    if (group.apart !== undefined) group.apart.text += text;
    else if (!group.isSkipped) parts.push(text.trim() === '' ? text : group.raised + text);
    if (text.trim() !== '') group.raised = '';
  };
  const flush = (): void => {
    if (packed.length > 0) add(new TextDecoder(group.encoding).decode(Buffer.from(packed)));
    packed = [];
  };
  const begin = (word: string): void => {
    group.word = word;
    if (skipped.has(word) || (isStarred && !keptDestinations.has(word))) group.isSkipped = true;
    if (word === 'fldinst' || properties.has(word)) group.apart = { text: '' };
    if (opened.has(word)) group.raised = '';
    add(opened.get(word) ?? '');
  };
  const end = (): void => {
    const { apart, word } = group;
    const [, target] = word === 'fldinst' ? (/HYPERLINK\s+"(\w+:[^"]+)"/.exec(apart?.text ?? '') ?? []) : [];
    if (opened.has(word)) add(/^(header|footer)$/.test(word) ? ']\n' : ']');
    group = stack.pop() ?? group;
    if (target !== undefined) add(`[link: ${target}] `);
    // No program keeps the result of a formula.
    if (word === 'fldinst') add(codeShown(apart?.text ?? '', /^\s*EQ\b/i));
    if (apart !== undefined && properties.has(word)) said.push([word, apart.text]);
  };
  const follow = (word: string): void => {
    if (group.isSkipped) return;
    if (word === 'intbl') isInTable = true;
    else if (word === 'pard' || word === 'row') isInTable = false;
    if (word === 'cell') rows.endCell();
    else if (word === 'row') rows.endRow();
    else if (word === 'par') rows.endTable();
  };
  const control = (word: string, number: number | undefined): void => {
    // There are more of left and right pages, and of first ones.
    if (isFirst) begin(word.replace(/^(header|footer)[lrf]$/, '$1'));
    if (word === 'u' && number !== undefined) {
      add(String.fromCharCode(number & 0xffff));
      left = group.fallback;
    } else if (word === 'uc') group.fallback = number ?? 1;
    else if (word === 'f') {
      font = number ?? 0;
      group.encoding = fonts.get(font) ?? usual;
    } else if (word === 'fcharset') fonts.set(font, charsets[number ?? 0] ?? usual);
    else if (word === 'deleted') group.isSkipped ||= number !== 0;
    else if (word === 'super' || word === 'sub') group.raised = number === 0 ? '' : word === 'sub' ? '_' : '^';
    else if (word === 'nosupersub' || word === 'plain') group.raised = '';
    else if (word === 'par' && isInTable) add(cellLine);
    else {
      add(marks.get(word) ?? '');
      follow(word);
    }
  };

  for (const [, word, digits, byte, sign, brace, text] of source.matchAll(token)) {
    if (byte !== undefined && left === 0) packed.push(Number.parseInt(byte, 16));
    else if (byte === undefined) flush();
    if (byte !== undefined) left = Math.max(0, left - 1);
    else if (brace === '{') {
      if (stack.length >= 1000) throw new Error('its groups are nested more than 1000 deep');
      stack.push(group);
      group = { ...group, word: '' };
    } else if (brace === '}') end();
    else if (sign === '*') isStarred = true;
    else if (sign !== undefined) add(marks.get(sign) ?? '');
    else if (word !== undefined) control(word, digits === undefined ? undefined : Number(digits));
    else if (text !== undefined) {
      add(text.slice(left));
      left = Math.max(0, left - text.length);
    }
    if (sign !== '*') isStarred = false;
    isFirst = brace === '{' || sign === '*';
  }
  flush();
  return { text: linesOf(parts.join(''), propertiesText(said)), ...notesOn(source, rows.areUnequal) };
}

function linesOf(text: string, said: string): string {
  const lines = text
    // Paragraphs of a cell, and of what stands in brackets.
    .replaceAll(/\s*[\n\v](?= [|¦] |\])/g, '')
    .replaceAll(cellLine, ' ')
    .replaceAll(rowEnd, '\n')
    // Where a row of a table in a cell ends, and the table with it.
    .replaceAll(/ ¦[ ¦]*(?= \/ )/g, '')
    .replaceAll(/ \/ +(?=\| )/g, ' ')
    .replaceAll(/[^\P{Cc}\s]/gu, '')
    .toWellFormed()
    .replaceAll(/[ |]+$/gm, '')
    .replaceAll(/\n{3,}/g, '\n\n')
    .trim();
  return `${lines}\n\n${said}`.trim();
}

function notesOn(source: string, areUnequal: boolean): Pick<Readable, 'note'> {
  const pictures = source.match(/\\pict\b/g)?.length ?? 0;
  return noted([
    pictures > 0 && `pictures in it, which are not read: ${pictures}`,
    areUnequal && unequalNote,
    /\\object\b/.test(source) && 'files that are embedded in it are not read',
    /\\deleted\b/.test(source) && 'what tracked changes have deleted is left out',
    /\\striked?(?![a-z0])/.test(source) && 'some of its text may be struck out, and is read like the rest',
    /\\v(?![a-z0])/.test(source) && 'it may have hidden text, which is read like the rest',
  ]);
}
