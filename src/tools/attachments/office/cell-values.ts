import * as xlsx from '@e965/xlsx';
import { textOfCell } from './documents.ts';

interface Conventions {
  is1904: boolean;
  /** The value of formulas that no program has computed yet, besides none at all. */
  uncomputed?: 0 | '' | undefined;
}

export function valueOf(cell: xlsx.CellObject | undefined, conventions: Conventions): string {
  if (cell === undefined) return '';
  const { f: formula, t: type } = cell;
  const value = typeof cell.v === 'number' && isDate(cell) ? asShown(cell.v, cell.w) : cell.v;
  if (isUncomputed(cell, conventions)) return `=${formula}`;
  if (type === 'z' || value === undefined || value === null) return '';
  if (type === 'e') return errors[Number(value)] ?? '#ERROR!';
  if (type === 'b') return value ? 'TRUE' : 'FALSE';
  if (value instanceof Date) return value.toISOString().replace(/T00:00:00\.000Z$|(\.000)?Z$/, '');
  const formatted = typeof value === 'number' ? formattedNumber(value, String(cell.z ?? '')) : undefined;
  if (formatted !== undefined) return formatted;
  if (typeof value === 'number' && isDate(cell))
    return value < 0 && value > -1 ? durationOf(value) : dateOf(value, String(cell.z), conventions);
  // The library takes the letters of a text alone: 10⁶ would be 106.
  const runs = type === 's' && /<(\w+:)?(vertAlign|strike)\b/.test(String(cell.r)) ? textOfCell(String(cell.r)) : value;
  return String(runs).replaceAll(/[\r\n]+/g, ' ');
}

/** A time of OpenDocument as its text has it: the library drops signs and fractions of seconds, other programs round them. */
function asShown(days: number, shown = ''): number {
  const [, seconds = NaN] = /:(\d\d[.,]\d{1,3})$/.exec(shown) ?? [];
  const whole = Math.round(days * 86_400);
  const missing = Number(String(seconds).replace(',', '.')) - (whole % 60);
  const isCut = Math.abs(days * 86_400 - whole) < 0.001 && Math.abs(missing) < 1;
  const exact = isCut ? (whole + missing) / 86_400 : days;
  return shown.startsWith('-') && days > 0 ? -exact : exact;
}

export const isDate = ({ z: format }: xlsx.CellObject): boolean =>
  format !== undefined && xlsx.SSF.is_date(String(format));

export const isUncomputed = (
  { f: formula, t: type, v: value }: xlsx.CellObject,
  { uncomputed }: Conventions,
): boolean => formula !== undefined && (type === 'z' || value === undefined || value === uncomputed);

/**
 * What a workbook says of all of its cells. Libraries that compute nothing store 0 in new workbooks, with the wish that
 * all be computed anew, and an empty text in old ones. That may be a formula's result too, but hardly of all of them.
 */
export function conventionsOf(book: xlsx.WorkBook, isOld: boolean, cells: xlsx.CellObject[]): Conventions {
  const { CalcPr: computing, WBProps: properties } = (book.Workbook ?? {}) as {
    CalcPr?: { fullCalcOnLoad?: string };
    WBProps?: { date1904?: boolean };
  };
  const formulas = isOld ? cells.filter(({ f: formula }) => formula !== undefined) : [];
  const isBare = formulas.length > 0 && formulas.every(({ v: value }) => value === '');
  const isStale = /^(1|true)$/.test(computing?.fullCalcOnLoad ?? '');
  return { is1904: properties?.date1904 === true, uncomputed: isStale ? 0 : isBare ? '' : undefined };
}

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

/** As the library calls them; `u` is the fraction of a second. */
type DateParts = Record<'y' | 'm' | 'd' | 'H' | 'M' | 'S' | 'u', number>;

/** A day number as ISO 8601, exact to the millisecond: a day, a time of day, or both. */
function dateOf(value: number, format: string, { is1904 }: Conventions): string {
  const exact = Math.round(value * 86_400_000) / 86_400_000;
  const parts = xlsx.SSF.parse_date_code(exact, { date1904: is1904 }) as DateParts | null;
  if (parts === null) return String(value);
  const two = (part: number): string => String(part).padStart(2, '0');
  const milliseconds = Math.round(parts.u * 1000);
  const time = `${two(parts.H)}:${two(parts.M)}:${two(parts.S)}${fractionOf(milliseconds)}`;
  // Where days are counted from 1904, 0 is a day as well.
  const isDay = is1904 && /[yd]/i.test(format.replaceAll(/"[^"]*"|\[[^\]]*\]/g, ''));
  if (value >= 0 && value < 1 && !isDay) return time;
  const day = `${String(parts.y).padStart(4, '0')}-${two(parts.m)}-${two(parts.d)}`;
  return Number.isInteger(value) || time === '00:00:00' ? day : `${day}T${time}`;
}

/** Durations are no days: 1.5 is 36 hours. */
const duration = /\[(h+|m+|s+)\]/i;

/** A rule for formats, of which a sheet has few, although each of its cells asks for one. */
function remembered<T>(rule: (format: string) => T): (format: string) => T {
  const known = new Map<string, T>();
  return (format) => {
    const result = known.get(format) ?? rule(format);
    known.set(format, result);
    return result;
  };
}

/**
 * Whether numbers of a format name something, such as postcodes or invoices (`"INV-"00000`): they have at least three digits,
 * whatever the number, or letters before plain ones, and nothing but marks behind them.
 */
const isNaming = remembered((format) => {
  const { before, behind, digits } = partsOf(format);
  if (!/^[^;]*(;@)?$/.test(format) || !/^[- /()0]+$/.test(digits) || /[^- /().]/.test(behind)) return false;
  const count = digits.split('0').length - 1;
  // `"ca. "0` is an amount.
  return !isCurrency(before) && (count >= 3 || (/\p{L}/u.test(before) && (count === 2 || /\S$/.test(before))));
});

/** What a number is to people by its format, where a date or the digits that it is kept as would say something else. */
export function formattedNumber(value: number, format: string): string | undefined {
  if (duration.test(format)) return durationOf(value);
  const words = format.includes('"') && !xlsx.SSF.is_date(format) ? String(xlsx.SSF.format(format, value)) : '';
  // Such as `[=1]"Yes";[=0]"No"`.
  if (/^\P{N}*\p{L}\P{N}*$/u.test(words)) return words.trim();
  return Number.isInteger(value) && value >= 0 && isNaming(format) ? String(xlsx.SSF.format(format, value)) : undefined;
}

function durationOf(days: number): string {
  const milliseconds = Math.round(Math.abs(days) * 86_400_000);
  const seconds = Math.floor(milliseconds / 1000);
  const parts = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60];
  const time = parts.map((part) => String(part).padStart(2, '0')).join(':');
  return (days < 0 ? '-' : '') + time + fractionOf(milliseconds % 1000);
}

/** What stands behind the seconds of a time: `.500`, and nothing for whole ones. */
const fractionOf = (milliseconds: number): string =>
  milliseconds === 0 ? '' : `.${String(milliseconds).padStart(3, '0')}`;

/** The texts of a format (ECMA-376, 18.8.31): in quotes, behind a backslash, in `[$€-407]`, or a currency's sign alone. */
const literal = /"([^"]*)"|\\(.)|\[\$([^\]-]*)[^\]]*\]|(\p{Sc})|[_*].|\[[^\]]*\]/gu;

/** What a format sets to positive numbers: its digits, and the texts before and behind them, or among them. */
function partsOf(format: string) {
  const [positive = ''] = format.split(';');
  const bare = positive.replaceAll(literal, (found) => '_'.repeat(found.length));
  const [first, last] = [bare.search(/[0#?]/), bare.search(/[0#?][^0#?]*$/)];
  const texts = [...positive.matchAll(literal)].map((found) => {
    return { at: found.index, text: found.slice(1).find((text) => text !== undefined) ?? '' };
  });
  const textOf = (fits: (at: number) => boolean): string =>
    texts.map(({ at, text }) => (fits(at) ? text : '')).join('');
  return {
    digits: bare.replaceAll('_', ''),
    before: textOf((at) => at < first),
    among: textOf((at) => at > first && at < last),
    behind: textOf((at) => at > last),
  };
}

const codes = new Set([...Intl.supportedValuesOf('currency'), 'kr', 'Fr', 'Rs', 'Rp', 'RM', 'zł', 'Kč', 'Ft', 'lei']);

const isCurrency = (text: string): boolean => /\p{Sc}/u.test(text) || codes.has(text.replaceAll(/[.\s]/g, ''));

/** The unit that a format sets to a number, such as `kg`; empty if it sets none. */
export const unitOf = remembered((format) => {
  const { among, before, behind, digits } = partsOf(format);
  // A comma behind the digits divides what is shown by a thousand, but not the number: 5000 with `0,"k"` is no 5000 k.
  if (!/[0#?]/.test(digits) || /[0#?],+(?![,0#?])/.test(digits)) return '';
  // What stands before plain digits, as in `"Q"0`, belongs to a name.
  const isAmount = /[.,]/.test(digits) || isCurrency(before);
  const unit = ((isAmount ? before : '') + among + behind).trim();
  return /[\p{L}\p{Sc}]/u.test(unit) ? unit : '';
});

type Units = ReadonlyMap<number, ReadonlyMap<number, string>>;

/** The columns whose numbers have one unit: `C in kg`. */
export function unitsText(units: Units): string {
  const single = [...units].filter(([, cells]) => new Set(cells.values()).size === 1);
  return single.map(([column, cells]) => `${xlsx.utils.encode_col(column)} in ${[...cells.values()][0]}`).join(', ');
}

/** Those cells whose column has several units, each with its own. */
export const mixedUnits = (units: Units) =>
  [...units].flatMap(([column, cells]) =>
    new Set(cells.values()).size < 2 ? [] : [...cells].map(([row, unit]) => ({ column, row, unit })),
  );
