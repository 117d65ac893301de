import { createColors } from 'picocolors';
import stringWidth from 'string-width';
import { printable } from '../../util/text/printable.ts';
import type { Shell } from '../shell.ts';
import { withoutEmoji } from '../../workflows/log-lines.ts';
import { columnsOf, wrapped } from './width.ts';

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
