import { grouped } from '../file-limits.ts';

/** The beginning and the end of a text, and between them a line that says how much was left out, and `more`. */
export function cutInMiddle(text: string, first: number, last: number, more = ''): string {
  const beginning = text.slice(0, first).replace(/[\uD800-\uDBFF]$/, '');
  const end = text.slice(text.length - last).replace(/^[\uDC00-\uDFFF]/, '');
  const left = grouped(text.length - beginning.length - end.length);
  return `${beginning}\n[… ${left} characters were left out here${more}]\n${end}`;
}

/**
 * A character of two code units belongs to the part that its second half begins. A line says where the text goes on.
 *
 * @param from how many characters to skip, fewer than the text has
 */
export function partFrom(text: string, from: number, count: number): string {
  const start = isSecondHalf(text, from) ? from - 1 : from;
  const last = Math.min(text.length, from + count);
  const end = isSecondHalf(text, last) && last - 1 > start ? last - 1 : last;
  const on = end < text.length ? `; it goes on with "from": ${end}` : '';
  return `${text.slice(start, end)}\n[characters ${start} to ${end} of ${grouped(text.length)}${on}]`;
}

const isSecondHalf = (text: string, at: number): boolean => /^[\uDC00-\uDFFF]/.test(text.charAt(at));
