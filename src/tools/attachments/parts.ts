import { longestRead as longest, ToolError } from '../tool.ts';

type Unit = 'line' | 'page';

/**
 * A part of a text by whole lines or pages, as many as fit. Unless it is the whole text, a last line in brackets says where
 * it goes on.
 *
 * @param from counts from 1
 * @throws `ToolError` if there is no such line or page
 */
export function partOf(text: string, unit: Unit, from: number, length = Infinity): string {
  const pieces = unit === 'line' ? text.split(/(?<=\n)/) : pagesOf(text);
  checkFrom(from, pieces.length, unit);
  let size = 0;
  const wanted = pieces.slice(from - 1, from - 1 + length);
  const over = wanted.findIndex((piece) => (size += piece.length) > longest);
  const fitting = over === -1 ? wanted : wanted.slice(0, over);
  if (fitting.length === 0) {
    const before = pieces.slice(0, from - 1).reduce((sum, piece) => sum + piece.length, 0);
    return charactersOf(text, before + 1);
  }
  if (fitting.length === pieces.length) return text;
  const end = from - 1 + fitting.length;
  return `${fitting.join('').trimEnd()}\n${place(`${unit}s`, from, end, pieces.length)}`;
}

/** A part of a text by characters, which also reads lines and pages that are too long for one call. */
export function charactersOf(text: string, from: number, length = longest): string {
  checkFrom(from, text.length, 'character');
  const shown = text.slice(from - 1, from - 1 + Math.min(length, longest)).replace(/(?<=.)[\uD800-\uDBFF]$/s, '');
  if (shown.length === text.length) return shown;
  return `${shown}\n${place('characters', from, from - 1 + shown.length, text.length, 'by: "characters", ')}`;
}

function place(units: string, from: number, end: number, all: number, by = ''): string {
  const rest = end < all ? `; goes on with ${by}from: ${end + 1}` : '';
  return `[${units} ${from} to ${end} of ${all}${rest}]`;
}

function checkFrom(from: number, count: number, unit: Unit | 'character'): void {
  if (from <= Math.max(1, count)) return;
  throw new ToolError(`there is no ${unit} ${from}; the last is ${unit} ${count}`);
}

/** Splits a PDF's text into pages. Only the next number begins a page, since a page may hold a line like a heading. */
function pagesOf(text: string): string[] {
  const pages: string[] = [];
  for (const piece of text.split(/(?=^\[page \d+\]$)/m)) {
    if (piece.startsWith(`[page ${pages.length + 1}]`)) pages.push(piece);
    else pages.push((pages.pop() ?? '') + piece);
  }
  return pages;
}
