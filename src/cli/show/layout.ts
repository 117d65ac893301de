import { createColors } from 'picocolors';
import stringWidth from 'string-width';
import { printable } from '../../util/text/printable.ts';
import type { Shell } from '../shell.ts';
import { withoutEmoji } from '../../workflows/log-lines.ts';

/** The width of standard output; what is not a terminal gets lines as they are. */
export const columnsOf = ({ columns, isTTY }: { columns?: number; isTTY?: boolean }): number =>
  isTTY ? columns || 80 : Infinity;

/** A text in lines of whole words that fit into the width. Code and tables stay as they are, since they may be copied. */
export function wrappedText(text: string, columns: number): string {
  let isCode = false;
  const piecesOf = (line: string): string[] => {
    const isFence = /^\s*(```|~~~)/.test(line);
    if (isFence) isCode = !isCode;
    return isFence || isCode || line.trimStart().startsWith('|') ? [line] : wrapped(line, columns);
  };
  return text.split('\n').flatMap(piecesOf).join('\n');
}

/** A line in pieces of whole words that are not wider than this. Further pieces keep the first one's indentation. */
export function wrapped(line: string, width: number): string[] {
  if (stringWidth(line) <= width) return [line];
  const indentation = /^ */.exec(line)?.[0] ?? '';
  const pieces: string[] = [];
  let piece = indentation;
  for (const word of line.trimStart().split(' ')) {
    const longer = piece.trim() === '' ? indentation + word : `${piece} ${word}`;
    if (stringWidth(longer) <= width || piece.trim() === '') piece = longer;
    else {
      pieces.push(piece);
      piece = indentation + word;
    }
  }
  return [...pieces, piece];
}

export interface Layout {
  /** No line is longer, unless a word is; Infinity leaves lines as they are. */
  columns: number;
  /** Whether labels have emoji, and headings are emphasised. */
  plain: boolean;
  colors: boolean;
}

export const layoutFor = (shell: Shell, plain = false): Layout => ({
  columns: columnsOf(shell.stdout),
  plain,
  colors: shell.isColored(shell.stdout) && !plain,
});

/** `── Attempt 2 ─────`, up to the width, or in several lines where it is longer. */
export function heading(text: string, layout: Layout): string {
  const line = `── ${printable(text)} `;
  const rest = Math.min(layout.columns, 78) - stringWidth(line);
  return wrapped(line + '─'.repeat(Math.max(3, rest)), layout.columns)
    .map((each) => emphasised(each, layout))
    .join('\n');
}

/** What something is: an emoji, unless the layout is plain, and words. They are wrapped where they must be. */
export const label = (text: string, layout: Layout): string[] =>
  wrapped(printable(layout.plain ? withoutEmoji(text) : text).replaceAll('\n', ' '), layout.columns).map((line) =>
    emphasised(line, layout),
  );

export const paragraphs = (blocks: string[][]): string =>
  blocks
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join('\n'))
    .join('\n\n');

export const emphasised = (text: string, { colors }: Layout): string => createColors(colors).bold(text);

/** A text, indented by two and wrapped; nothing for an empty one. */
export function body(text: string, { columns }: Pick<Layout, 'columns'>): string[] {
  if (text.trim() === '') return [];
  return printable(text)
    .trimEnd()
    .split('\n')
    .flatMap((line) => wrapped(line, columns - 2))
    .map((line) => (line === '' ? '' : `  ${line}`));
}
