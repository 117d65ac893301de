import { grouped } from '../files/limits.ts';

/**
 * The beginning and the end of a text, with a line between them that says how much was left out.
 *
 * @param first how many characters of the beginning stay, and `last` how many of the end
 * @param more what the line says besides
 */
export function cutInMiddle(text: string, first: number, last: number, more = ''): string {
  const beginning = text.slice(0, first).replace(/[\uD800-\uDBFF]$/, '');
  const end = text.slice(text.length - last).replace(/^[\uDC00-\uDFFF]/, '');
  const left = grouped(text.length - beginning.length - end.length);
  return `${beginning}\n[… ${left} characters were left out here${more}]\n${end}`;
}
