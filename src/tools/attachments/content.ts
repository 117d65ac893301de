import { extname } from 'node:path';
import { readingLimits } from '../../util/file-limits.ts';
import { moduleBeside, runIsolated } from '../../util/isolated.ts';
import { notTranscribed, type Transcribe } from './audio.ts';
import { jsonNote, tablesOfJson } from './json.ts';
import { readPdf } from './pdf/pdf.ts';
import { noted, type Readable } from './readable.ts';
import { parquetType, sqliteType, type Recognised } from './recognise.ts';
import { parseTable, sheetsOf, summaryOf, type Table } from './table.ts';

const binaryEndings =
  '.pdf .png .jpg .jpeg .gif .webp .tif .tiff .bmp .xls .xlsx .xlsm .xlsb .ods .doc .docx .odt .ppt .pptx .zip .gz .db .parquet .mp3'.split(
    ' ',
  );

/** The text of a recognised file, and what is wrong with it. An image and an archive have neither. Never throws. */
export async function readContent(
  name: string,
  bytes: Buffer,
  found: Recognised,
  transcribe: Transcribe = notTranscribed,
): Promise<Readable> {
  const { kind, mediaType } = found;
  // Old computers ended lines with a return alone.
  const lines = found.text?.includes('\n') === false ? found.text.replaceAll('\r', '\n') : found.text;
  const bare = kind === 'table' ? lines : lines && withoutPacked(lines);
  const text = kind === 'table' ? bare : bare && inLines(bare);
  if (text === undefined) {
    if (kind === 'pdf') return readPdf(bytes);
    if (isDatabase(mediaType)) return readDatabase(bytes, mediaType);
    if (kind === 'workbook' || kind === 'document') return readOffice(bytes, mediaType);
    if (kind === 'audio') return transcribe({ name, bytes, mediaType });
    return noted([found.note]);
  }
  const wrong = text.trim() === '' ? 'the file is empty' : await noteOf(name, found, text);
  const without = bare !== lines && 'what is written in base64 in it, such as pictures, is left out';
  const broken = text !== bare && 'its tags are shown on lines of their own, unlike in the file';
  return { text, ...noted([found.note, wrong, without, broken]) };
}

/** XML of very long lines in shorter ones, of which programs often make but one: lines are what is shown in parts, searched and counted. */
function inLines(text: string): string {
  const isOne = /^\s*<[?!a-z]/i.test(text) && text.length > 1000 * text.split('\n').length;
  return isOne ? text.replaceAll(/>[ \t]*</g, '>\n<') : text;
}

/** Where pictures and the like begin in pages and notebooks, and in contacts, which fold their lines. */
const packed = /(;base64,|"image\/[a-z]+": ?")|;ENCODING=[Bb](?:ASE64)?[^:\n]*:/g;

/** A text without what would fill it. One pattern from beginning to end would take more stack than there is. */
function withoutPacked(text: string): string {
  let without = '';
  let at = 0;
  for (const begin of text.matchAll(packed)) {
    const from = begin.index + begin[0].length;
    const end = begin[1] === undefined ? /\r?\n(?![ \t])/g : /[^\w+/=\\-]/g;
    end.lastIndex = from;
    const to = end.exec(text)?.index ?? text.length;
    if (from < at || to - from < 200) continue;
    without += `${text.slice(at, from)}[left out]`;
    at = to;
  }
  return without + text.slice(at);
}

async function noteOf(name: string, { kind, mediaType }: Recognised, text: string): Promise<string | undefined> {
  if (kind === 'json') return jsonNote(text, mediaType);
  const ending = extname(name).toLowerCase();
  const isPlain = binaryEndings.includes(ending);
  const table = kind === 'table' ? (await summaryOf(text)).note : undefined;
  return noted([isPlain && `it is a plain text, whatever its ending ${ending} says`, table]).note;
}

const databaseProgram = moduleBeside(import.meta.url, 'database/database');

/** Reads a database in a process of its own, since SQLite cannot be interrupted in a thread. Never throws. */
function readDatabase(bytes: Buffer, mediaType: string): Promise<Readable> {
  const isolation = { ...readingLimits, inProcess: true };
  const reading = runIsolated<Readable>(databaseProgram, { bytes, mediaType }, isolation);
  return reading.catch(({ message }: Error) => ({
    note: `it is damaged, or made in a way that is not known (${message}); nothing of it can be read`,
  }));
}

const officeProgram = moduleBeside(import.meta.url, 'office/office-thread');

let last: Promise<unknown> = Promise.resolve();

/** A process reads one at a time, since a large one may take a gigabyte of memory. Never throws. */
function readOffice(bytes: Buffer, mediaType: string): Promise<Readable> {
  const reading = last.then(() => runIsolated<Readable>(officeProgram, { bytes, mediaType }, readingLimits));
  const read = reading.catch(({ message }: Error) => ({ note: `${message}; nothing of it can be read` }));
  last = read;
  return read;
}

export const isDatabase = (mediaType: string): boolean => mediaType === sqliteType || mediaType === parquetType;

/** A file's text as tables, by their names: those of a workbook's sheets, those of JSON, or `data`, which has its lines if it is no table. */
export function tablesOf({ kind, mediaType }: Omit<Recognised, 'text'>, text: string): Map<string, Table> {
  if (kind === 'workbook') return new Map(sheetsOf(text).map(({ csv, name }) => [name, parseTable(csv, ',')]));
  if (kind === 'table') return new Map([['data', parseTable(text)]]);
  const tables = kind === 'json' ? tablesOfJson(text, mediaType) : new Map<string, Table>();
  if (tables.size > 0) return tables;
  const rows = text.split('\n').map((line, index) => [String(index + 1), line]);
  return new Map([['data', { columns: ['line', 'text'], rows }]]);
}
