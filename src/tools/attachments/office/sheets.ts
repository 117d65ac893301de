import * as xlsx from '@e965/xlsx';
import { grouped } from '../../../util/file-limits.ts';
import { sheetHeading } from '../sheet-text.ts';
import type { Readable } from '../pdf.ts';
import { needsPassword } from './documents.ts';

/** The longest text that is made of a workbook, in characters. */
const longest = 20_000_000;

/** How many columns a sheet may have: more are no table, and SQLite takes 2,000. */
const mostColumns = 1000;

/**
 * The sheets of a workbook (.xlsx, .xlsm, .xlsb, .xls, .ods), each as a heading such as `[sheet 2: Costs]` and CSV, a line for
 * each row. A cell is its value and not what it looks like: numbers are plain, dates ISO 8601, and a formula is what the
 * program that saved the file has computed.
 *
 * @param content the parts of one that is a zip archive, unpacked; the bytes of another
 * @throws `Error` if it is damaged or needs a password
 */
export function textOfWorkbook(content: ReadonlyMap<string, Buffer> | Buffer): Readable {
  const book = open(content);
  const is1904 = book.Workbook?.WBProps?.date1904 === true;
  const notes: string[] = [];
  let text = '';
  let uncomputed = 0;
  for (const [index, name] of book.SheetNames.entries()) {
    const rows = (book.Sheets[name]?.['!data'] ?? []) as Array<xlsx.CellObject[] | undefined>;
    text += `${text === '' ? '' : '\n'}${sheetHeading(index + 1, name)}\n`;
    const beginning = text.length;
    const hidden = book.Workbook?.Sheets?.[index]?.Hidden;
    if (hidden === 1 || hidden === 2) notes.push(`the sheet ${name} is hidden`);
    let widest = 0;
    for (const row of rows) {
      const cells = Array.from(row ?? [], (cell) => valueOf(cell, is1904));
      widest = Math.max(widest, cells.findLastIndex((cell) => cell !== '') + 1);
      uncomputed += row?.filter((cell) => isUncomputed(cell)).length ?? 0;
      const line = cells.slice(0, mostColumns).map(quoted).join(',').replace(/,+$/, '');
      if (line !== '') text += `${line}\n`;
      if (text.length > longest) {
        notes.push(`only the first ${grouped(longest)} characters of its cells are read, up to the sheet ${name}`);
        return { text, note: notes.join('; ') };
      }
    }
    if (text.length === beginning) notes.push(`the sheet ${name} is empty`);
    if (widest > mostColumns)
      notes.push(`of the ${grouped(widest)} columns of ${name} the first ${mostColumns} are read`);
  }
  if (uncomputed > 0) {
    notes.push(
      `${grouped(uncomputed)} formulas have no value, since the program that wrote the file has not computed them: ` +
        'they are shown as formulas',
    );
  }
  return { text, ...(notes.length > 0 && { note: notes.join('; ') }) };
}

/**
 * What the library would make for people to look at takes most of its time. Without stubs it leaves out the cells whose formulas
 * have no value.
 */
const options = { dense: true, cellNF: true, cellText: false, cellHTML: false, sheetStubs: true } as const;

function open(content: ReadonlyMap<string, Buffer> | Buffer): xlsx.WorkBook {
  try {
    return Buffer.isBuffer(content) ? xlsx.read(content, { ...options, type: 'buffer' }) : openParts(content);
  } catch (error) {
    if (/password|encryption scheme/i.test((error as Error).message)) throw new Error(needsPassword, { cause: error });
    throw error;
  }
}

/** The library's own unpacking trusts what an archive claims, and has no limits, so it gets the parts. */
function openParts(parts: ReadonlyMap<string, Buffer>): xlsx.WorkBook {
  const { parse_zip: parseZip } = xlsx as unknown as { parse_zip: (zip: unknown, with_: object) => xlsx.WorkBook };
  const { cfb_add: add, cfb_new: create } = (xlsx.CFB as Container).utils;
  const zip = create();
  for (const [name, part] of parts) add(zip, name, part, { unsafe: true });
  return parseZip(zip, { ...options });
}

interface Container {
  utils: {
    cfb_new: () => object;
    cfb_add: (container: object, name: string, content: Buffer, how: { unsafe: true }) => void;
  };
}

/** A cell as SQL and people can use it. A cell of a merged range other than its first is empty. */
function valueOf(cell: xlsx.CellObject | undefined, is1904: boolean): string {
  if (cell === undefined) return '';
  const { f: formula, t: type, v: value, z: format } = cell;
  if (isUncomputed(cell)) return `=${formula}`;
  if (type === 'z' || value === undefined || value === null) return '';
  if (type === 'e') return errors[Number(value)] ?? '#ERROR!';
  if (type === 'b') return value ? 'TRUE' : 'FALSE';
  if (value instanceof Date) return value.toISOString().replace(/T00:00:00\.000Z$|\.000Z$/, '');
  if (typeof value === 'number' && format !== undefined && xlsx.SSF.is_date(String(format))) {
    return dateOf(value, is1904);
  }
  return String(value).replaceAll(/[\r\n]+/g, ' ');
}

/** Whether a cell is a formula that no program has computed yet. */
const isUncomputed = ({ f: formula, t: type, v: value }: xlsx.CellObject): boolean =>
  formula !== undefined && (type === 'z' || value === undefined);

/** The error of a cell by its number ([MS-XLSB] 2.5.97.2). */
const errors: Record<number, string> = {
  0x00: '#NULL!',
  0x07: '#DIV/0!',
  0x0f: '#VALUE!',
  0x17: '#REF!',
  0x1d: '#NAME?',
  0x24: '#NUM!',
  0x2a: '#N/A',
  0x2b: '#GETTING_DATA',
};

interface DateParts {
  y: number;
  m: number;
  d: number;
  H: number;
  M: number;
  S: number;
}

/** A day number as ISO 8601: a day, a time of day, or both. Durations of more than a day stay numbers. */
function dateOf(value: number, is1904: boolean): string {
  const parts = xlsx.SSF.parse_date_code(value, { date1904: is1904 }) as DateParts | null;
  if (parts === null) return String(value);
  const two = (part: number): string => String(part).padStart(2, '0');
  const time = `${two(parts.H)}:${two(parts.M)}:${two(parts.S)}`;
  if (value >= 0 && value < 1 && !is1904) return time;
  const day = `${String(parts.y).padStart(4, '0')}-${two(parts.m)}-${two(parts.d)}`;
  return Number.isInteger(value) || time === '00:00:00' ? day : `${day}T${time}`;
}

/** A cell of CSV. One that begins with a bracket is quoted, so that no row looks like a heading. */
const quoted = (cell: string): string => (/^[[ ]|[",]| $/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell);
