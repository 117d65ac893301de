import * as xlsx from '@e965/xlsx';

/** Durations are no days: 1.5 is 36 hours. */
const duration = /\[(h+|m+|s+)\]/i;

/** Numbers that name something, such as postcodes: at least three digits, whatever the number, and nothing but marks between. */
const id = /^(?=(?:[^0]*0){3})(?:0|\\?[- /()])+$/;

/** What a number is to people by its format, where a date or the digits that it is kept as would say something else. */
export function formattedNumber(value: number, format: string): string | undefined {
  if (duration.test(format)) return durationOf(value);
  const words = format.includes('"') && !xlsx.SSF.is_date(format) ? String(xlsx.SSF.format(format, value)) : '';
  // Such as `[=1]"Yes";[=0]"No"`.
  if (/^\P{N}*\p{L}\P{N}*$/u.test(words)) return words.trim();
  return id.test(format) && Number.isInteger(value) && value >= 0 ? String(xlsx.SSF.format(format, value)) : undefined;
}

/** A duration in hours, minutes and seconds: `-06:00:00`. */
export function durationOf(days: number): string {
  const milliseconds = Math.round(Math.abs(days) * 86_400_000);
  const seconds = Math.floor(milliseconds / 1000);
  const parts = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60];
  const time = parts.map((part) => String(part).padStart(2, '0')).join(':');
  return (days < 0 ? '-' : '') + time + fractionOf(milliseconds % 1000);
}

/** What stands behind the seconds of a time: `.500`, and nothing for whole ones. */
export const fractionOf = (milliseconds: number): string =>
  milliseconds === 0 ? '' : `.${String(milliseconds).padStart(3, '0')}`;

/** The texts of a format (ECMA-376, 18.8.31): in quotes, behind a backslash, in `[$€-407]`, or a currency's sign alone. */
const literal = /"([^"]*)"|\\(.)|\[\$([^\]-]*)[^\]]*\]|(\p{Sc})|[_*].|\[[^\]]*\]/gu;

/** The unit that a format sets to a number, such as `kg`; empty if it sets none. */
export function unitOf(format: string): string {
  const [positive = ''] = format.split(';');
  const digits = positive.replaceAll(literal, '');
  // A comma behind the digits divides what is shown by a thousand, but not the number: 5000 with `0,"k"` is no 5000 k.
  if (!/[0#?]/.test(digits) || /[0#?],+(?![,0#?])/.test(digits)) return '';
  const texts = [...positive.matchAll(literal)].map((found) => found.slice(1).find((text) => text !== undefined) ?? '');
  const unit = texts.join('').trim();
  return /[\p{L}\p{Sc}]/u.test(unit) ? unit : '';
}

/** Units by column and row. */
export type Units = ReadonlyMap<number, ReadonlyMap<number, string>>;

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
