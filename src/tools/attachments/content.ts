import { extname } from 'node:path';
import { Yielder } from '../../util/yielder.ts';
import { readingLimits } from '../../util/file-limits.ts';
import { moduleBeside, runIsolated } from '../../util/isolated.ts';
import type { DatabaseFile } from './database/database.ts';
import type { AttachmentKind } from '../../protocol/attachment.ts';
import { notTranscribed, type Transcribe } from './audio.ts';
import { readOffice } from './office/office.ts';
import { readPdf, type Readable } from './pdf/pdf.ts';
import { parquetType, sqliteType, type Recognised } from './recognise.ts';
import { sheetsOf, tableOfSheet } from './sheet-text.ts';
import { columnNames, parseTable, summaryOf, type Table } from './table.ts';
import { isObject } from '../../util/values.ts';

const binaryEndings =
  '.pdf .png .jpg .jpeg .gif .webp .tif .tiff .bmp .xls .xlsx .xlsm .xlsb .ods .doc .docx .odt .pptx .zip .gz .db .parquet .mp3'.split(
    ' ',
  );

/**
 * The text of a recognised file, and what is wrong with it. An image and an archive have neither. Never throws.
 *
 * @param transcribe writes down what is said in a recording
 */
export async function readContent(
  name: string,
  bytes: Buffer,
  found: Recognised,
  transcribe: Transcribe = notTranscribed,
): Promise<Readable> {
  const { kind, mediaType } = found;
  // Old computers ended lines with a return alone.
  const lines = found.text?.includes('\n') === false ? found.text.replaceAll('\r', '\n') : found.text;
  const text = kind === 'table' ? lines : lines?.replaceAll(packed, '$1[left out]');
  if (text === undefined) {
    if (kind === 'pdf') return readPdf(bytes);
    if (isDatabase(mediaType)) return readDatabase({ bytes, mediaType });
    if (kind === 'workbook' || kind === 'document') return readOffice({ bytes, mediaType });
    if (kind === 'audio') return transcribe({ name, bytes, mediaType });
    return found.note === undefined ? {} : { note: found.note };
  }
  const wrong = text.trim() === '' ? 'the file is empty' : await noteOf(name, kind, mediaType, text);
  const without = text === lines ? undefined : 'what is written in base64 in it, such as pictures, is left out';
  const notes = [found.note, wrong, without].filter((note) => note !== undefined);
  return { text, ...(notes.length > 0 && { note: notes.join('; ') }) };
}

/** Pictures and the like in pages and notebooks, which would fill the text. */
const packed = /(;base64,|"image\/[a-z]+": ?")[\w+/=\\-]{200,}/g;

async function noteOf(
  name: string,
  kind: AttachmentKind,
  mediaType: string,
  text: string,
): Promise<string | undefined> {
  if (kind === 'json') return jsonNote(text, mediaType);
  const ending = extname(name).toLowerCase();
  const plain = binaryEndings.includes(ending) ? `it is a plain text, whatever its ending ${ending} says` : undefined;
  const table = kind === 'table' ? (await summaryOf(text)).note : undefined;
  return [plain ?? '', table ?? ''].filter(Boolean).join('; ') || undefined;
}

/** Reads a database in a process of its own, since SQLite cannot be interrupted in a thread. Never throws. */
function readDatabase(file: DatabaseFile): Promise<Readable> {
  const isolation = { ...readingLimits, inProcess: true };
  return runIsolated<Readable>(databaseProgram, file, isolation).catch(({ message }: Error) => ({
    note: `it is damaged, or made in a way that is not known (${message}); nothing of it can be read`,
  }));
}

const databaseProgram = moduleBeside(import.meta.url, 'database/database-thread');

/** Whether queries read the file itself rather than its text. */
export const isDatabase = (mediaType: string): boolean => mediaType === sqliteType || mediaType === parquetType;

/** A file's text as tables, by their names: those of a workbook's sheets, or `data`, which has its lines if it is no table. */
export function tablesOf({ kind, mediaType }: Omit<Recognised, 'text'>, text: string): Map<string, Table> {
  if (kind === 'workbook') return new Map(sheetsOf(text).map((sheet) => [sheet.name, tableOfSheet(sheet)]));
  const table = kind === 'table' ? parseTable(text) : kind === 'json' ? tableOfJson(text, mediaType) : undefined;
  return new Map([['data', table ?? linesOf(text)]]);
}

const linesOf = (text: string): Table => ({
  columns: ['line', 'text'],
  rows: text.split('\n').map((line, index) => [String(index + 1), line]),
});

/** What is wrong with a JSON text or with the lines of a JSONL text, or no row of its table; undefined if nothing is. */
async function jsonNote(text: string, mediaType: string): Promise<string | undefined> {
  if (mediaType !== 'application/jsonl') {
    const { problem, value } = parsed(text);
    if (problem === undefined) return othersNote(othersIn(value));
    return `it is not valid JSON (${problem}): it can be read as a plain text only`;
  }
  const lines = text.split('\n');
  const bad: number[] = [];
  const entries = { records: 0, others: 0 };
  const yielder = new Yielder();
  for (const [index, line] of lines.entries()) {
    const { problem, value } = line.trim() === '' ? {} : parsed(line);
    if (problem !== undefined) bad.push(index + 1);
    const { others, records } = othersIn(value);
    entries.records += records;
    entries.others += others;
    if (yielder.due) await yielder.yield();
  }
  const wrong = `${bad.length} of its ${lines.length} lines are not valid JSON (the first: line ${bad[0]})`;
  return [...(bad.length > 0 ? [wrong] : []), othersNote(entries) ?? ''].filter(Boolean).join('; ') || undefined;
}

/** How many entries of a JSON text are rows of its table, and how many are something else. */
interface Entries {
  records: number;
  others: number;
}

function othersIn(value: unknown): Entries {
  const all = value === undefined ? [] : [value].flat();
  const records = all.filter(isObject).length;
  return { records, others: all.length - records };
}

const othersNote = ({ others, records }: Entries): string | undefined =>
  others === 0 || records === 0
    ? undefined
    : `${others} of its ${records + others} entries are no objects, and so no rows for query_table`;

/** A record or a list of records in JSON or JSONL as a table; undefined if it is something else. */
export function tableOfJson(text: string, mediaType: string): Table | undefined {
  const lines = mediaType === 'application/jsonl' ? text.split('\n') : [text];
  const records = lines.flatMap((line) => parsed(line, exactly).value).filter(isObject);
  if (records.length === 0) return undefined;
  const keys = [...new Set(records.flatMap((record) => Object.keys(record)))];
  const rows = records.map((record) => keys.map((key) => cellOf(record[key])));
  return { columns: columnNames(keys, []), rows };
}

/** Keeps what a number cannot hold, such as a long id, as its digits. */
function exactly(_: string, value: unknown, { source = '' }: { source?: string } = {}): unknown {
  return Number.isInteger(value) && !Number.isSafeInteger(value) && /^-?\d+$/.test(source) ? source : value;
}

function parsed(text: string, revive?: typeof exactly): { value?: unknown; problem?: string } {
  try {
    return { value: JSON.parse(text, revive) as unknown };
  } catch (error) {
    return { problem: (error as Error).message };
  }
}

function cellOf(value: unknown): string {
  if (value === undefined || value === null) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}
