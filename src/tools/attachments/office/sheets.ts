import * as xlsx from '@e965/xlsx';
import { grouped } from '../../../util/file-limits.ts';
import { csvLine, doubtsAbout, isTotal, sheetHeading } from '../table.ts';
import { noted, type Readable } from '../readable.ts';
import { container } from './compound.ts';
import { colourNames } from './colours.ts';
import { conventionsOf, isDate, isUncomputed, mixedUnits, unitOf, unitsText, valueOf } from './cell-values.ts';
import { needsPassword } from './open-documents.ts';
import { formulasText, sumsNote, type Formula } from './formulas.ts';
import { openDocumentLooks, type SheetLooks } from './sheet-looks.ts';
import { propertiesOf } from './properties.ts';
import { mended } from './sheet-parts.ts';
import { tableOf } from './sheet-layout.ts';

/** How long the text of a workbook may be, in characters. */
const maxChars = 20_000_000;

/** How many columns a sheet may have: more are no table, and SQLite takes 2,000. */
const mostColumns = 1000;

/** The parts of a workbook that is a zip archive, unpacked; the bytes of an old one; a text that is one. */
type Content = ReadonlyMap<string, Buffer> | Buffer | string;

/**
 * The sheets of a workbook (.xlsx, .xlsm, .xlsb, .xls, .ods), each as a heading such as `[sheet 2: Costs]`, lines in brackets
 * with what is no part of the table, and CSV, a line for each row. A cell is its value and not what it looks like: numbers are
 * plain, dates ISO 8601, and a formula is what the program that saved the file has computed.
 *
 * @throws `Error` if it is damaged or needs a password
 */
export function textOfWorkbook(content: Content): Readable {
  const book = open(content);
  const looks = content instanceof Map ? openDocumentLooks(content.get('content.xml')) : undefined;
  const cells = Object.values(book.Sheets).flatMap((sheet) => Array.from(cellsOf(sheet), ({ cell }) => cell));
  const conventions = conventionsOf(book, Buffer.isBuffer(content), cells);
  const shades = cells.flatMap((cell) => shadeOf(cell) ?? []);
  const colours = colourNames([...shades, ...(looks?.shades ?? [])]);
  const given = (book.Workbook?.Names ?? []).filter(({ Name: name }) => !name.startsWith('_xlnm.'));
  const names = given.map(({ Name: name, Ref: ref }) => `${name} = ${ref}`).join('; ');
  const notes: string[] = [];
  let text = '';
  for (const [index, name] of book.SheetNames.entries()) {
    text += `${text === '' ? '' : '\n'}${sheetHeading(index + 1, name)}\n`;
    const hidden = book.Workbook?.Sheets?.[index]?.Hidden;
    if (hidden === 1 || hidden === 2 || looks?.sheets[index]?.isHidden === true)
      notes.push(`the sheet ${name} is hidden`);
    const grid = gridOf(book.Sheets[name], name, { conventions, colours }, looks?.sheets[index]);
    const table = tableOf(grid);
    const [headline = [], ...lines] = table.lines;
    if (table.lines.length === 0) notes.push(`the sheet ${name} is empty`);
    const inTable = grid.formulas.filter(({ row }) => row > table.headerRow && !isTotal(grid.rows[row] ?? []));
    const doubts = [...doubtsAbout(headline, lines), sumsNote(inTable), ...table.notes];
    notes.push(...doubts.flatMap((note) => (note ? [`${name}: ${note}`] : [])), ...grid.notes);
    const formulas = formulasText(grid.formulas);
    if (grid.units !== '') table.remarks.push(`units that the formats of numbers say: column ${grid.units}`);
    if (index === 0 && names !== '') table.remarks.push(`names: ${names.slice(0, 1000)}`);
    if (formulas !== '') table.remarks.push(`formulas, with the header in row ${table.headerRow + 1}: ${formulas}`);
    for (const remark of table.remarks) text += `[${remark.replaceAll(/[\p{C}\s]+/gu, ' ')}]\n`;
    for (const line of table.lines) {
      text += csvLine(line).replace(/,+(?=\n$)/, '');
      if (text.length > maxChars) {
        notes.push(`only the first ${grouped(maxChars)} characters of its cells are read, up to the sheet ${name}`);
        return { text, note: notes.join('; ') };
      }
    }
  }
  if (Buffer.isBuffer(content)) {
    notes.push(unreadOfOld);
    const said = propertiesOf(book.Props);
    if (said !== '' && text.trim() !== '') text += `\n${said}`;
  }
  return { text, ...noted(notes) };
}

const unreadOfOld =
  'of an old workbook (.xls) charts, texts in shapes, rules for cells, and what is struck out or above its line are not read';

function* cellsOf(sheet: xlsx.WorkSheet | undefined) {
  const rows = (sheet?.['!data'] ?? []) as Array<Array<xlsx.CellObject | undefined> | undefined>;
  for (const [row, cells] of rows.entries())
    for (const [column, cell] of (cells ?? []).entries()) if (cell !== undefined) yield { row, column, cell };
}

function gridOf(
  sheet: xlsx.WorkSheet | undefined,
  name: string,
  { colours, conventions }: { conventions: ReturnType<typeof conventionsOf>; colours: ReadonlyMap<string, string> },
  looks?: SheetLooks,
) {
  const rows: string[][] = [];
  const numbers = new Set<string>();
  const comments = new Map<number, string>();
  const byColumn = new Map<number, Map<number, string>>();
  const links = new Map<number, string>();
  const units = new Map<number, Map<number, string>>();
  const formulas: Formula[] = [];
  const merged = (sheet?.['!merges'] ?? []).map(({ s, e }) => ({ top: s.r, left: s.c, bottom: e.r, right: e.c }));
  const firsts = new Set(merged.map(({ top, left }) => `${top} ${left}`));
  let uncomputed = 0;
  let widest = 0;
  for (const { row, column, cell } of cellsOf(sheet)) {
    const value = valueOf(cell, conventions);
    if (value !== '') widest = Math.max(widest, column + 1);
    if (column >= mostColumns) continue;
    if (value !== '') {
      const cells = (rows[row] ??= []);
      while (cells.length < column) cells.push('');
      cells[column] = value;
    }
    const place = `${row} ${column}`;
    if (firsts.has(place) && cell.t === 'n' && !isDate(cell)) numbers.add(place);
    if (isUncomputed(cell, conventions)) uncomputed += 1;
    else if (cell.f !== undefined) formulas.push({ row, column, text: cell.f });
    const colour = colours.get(shadeOf(cell) ?? '');
    if (colour !== undefined) setIn(byColumn, column, row, colour);
    const unit = cell.t === 'n' && !isDate(cell) ? unitOf(String(cell.z ?? '')) : '';
    if (unit !== '') setIn(units, column, row, unit);
    for (const { a: author = '', t: comment = '' } of cell.c ?? []) {
      // The text of older comments begins with the author. That of threads names a number there.
      // Without an author the library writes a name of its own.
      const isSaid = comment.startsWith(author.trim()) || /^(tc=|sheetjsghost$)/.test(author);
      sayAt(comments, { row, column }, isSaid ? comment : `${comment.trim()} (${author})`);
    }
    const target = cell.l?.Target ?? '';
    if (/^\w+:/.test(target) && !target.endsWith(value || target)) sayAt(links, { row, column }, target);
  }
  for (const { row, column, unit } of mixedUnits(units)) {
    const cells = rows[row];
    if (cells !== undefined) cells[column] += ` ${unit}`;
  }
  for (const { row, column, shade } of looks?.coloured ?? []) {
    const colour = colours.get(shade);
    if (colour !== undefined) setIn(byColumn, column, row, colour);
  }
  const notes = [
    widest > mostColumns && `of the ${grouped(widest)} columns of ${name} the first ${mostColumns} are read`,
    uncomputed > 0 &&
      `${grouped(uncomputed)} formulas of ${name} have no value, since the program that wrote the file has not computed ` +
        'them: they are shown as formulas',
  ].filter((note) => note !== false);
  return {
    rows: Array.from(rows, (cells) => cells ?? []),
    isNumber: (row: number, column: number) => numbers.has(`${row} ${column}`),
    merged,
    colours: byColumn,
    comments,
    links,
    formulas,
    units: unitsText(units),
    notes,
    hiddenRows: looks?.hiddenRows ?? hiddenRowsOf(sheet),
    hiddenColumns: looks?.hiddenColumns ?? indexesOf(sheet?.['!cols']),
  };
}

function sayAt(all: Map<number, string>, { row, column }: { row: number; column: number }, words: string): void {
  // A note of Excel's has a line for its author.
  const said = `${xlsx.utils.encode_cell({ r: row, c: column })}: ${words.trim().replaceAll(/[\p{C}\s]+/gu, ' ')}`;
  all.set(row, all.has(row) ? `${all.get(row)}; ${said}` : said);
}

function setIn(all: Map<number, Map<number, string>>, column: number, row: number, value: string): void {
  const cells = all.get(column) ?? new Map<number, string>();
  all.set(column, cells.set(row, value));
}

const indexesOf = (infos: Array<(xlsx.ColInfo & xlsx.RowInfo) | undefined> = []): number[] =>
  // Without any width or height, which some programs write instead.
  Array.from(infos, (info) => info?.hidden === true || info?.width === 0 || info?.hpt === 0).flatMap(
    (isHidden, index) => (isHidden ? [index] : []),
  );

/** A filter hides rows as people do: only where it reaches tells them apart. */
function hiddenRowsOf(sheet: xlsx.WorkSheet | undefined): Map<number, string> {
  const filter = sheet?.['!autofilter']?.ref;
  const range = filter === undefined ? undefined : xlsx.utils.decode_range(filter);
  const isFiltered = (row: number): boolean => range !== undefined && row > range.s.r && row <= range.e.r;
  return new Map(indexesOf(sheet?.['!rows']).map((row) => [row, isFiltered(row) ? 'filtered' : 'hidden']));
}

function shadeOf({ s: style }: xlsx.CellObject): string | undefined {
  const { patternType, fgColor } = (style ?? {}) as { patternType?: string; fgColor?: { rgb?: string } };
  return patternType === undefined || patternType === 'none' ? undefined : fgColor?.rgb?.slice(-6).toUpperCase();
}

/** All that people would look at takes most of the time. Without stubs, cells whose formulas have no value are left out. */
const options = {
  dense: true,
  cellNF: true,
  cellText: false,
  cellHTML: false,
  sheetStubs: true,
  cellStyles: true,
} as const;

function open(content: Content): xlsx.WorkBook {
  // The cells of a page are texts, whose numbers the library would take for English ones.
  if (typeof content === 'string') return xlsx.read(content, { ...options, type: 'string', raw: true });
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
  const { cfb_add: add, cfb_new: create } = container.utils;
  const zip = create();
  for (const [name, part] of parts) add(zip, name, mended(name, part), { unsafe: true });
  // Of OpenDocument it takes the texts that are there, which costs nothing.
  return parseZip(zip, { ...options, cellText: parts.has('content.xml') });
}
