import type { AttachmentKind } from '../protocol/attachment.ts';
import { grouped } from './limits.ts';
import { parseTable } from './table.ts';

/** In characters. */
const longest = 1000;
const columnsShown = 500;
const rowsShown = 5;

/** What a prompt shows of a file: its beginning; of a table its columns, the number of its rows and the first of them. */
export function previewOf(kind: AttachmentKind, text: string): string {
  return cut(kind === 'table' ? tablePreview(text) : text.trim(), longest);
}

function tablePreview(text: string): string {
  const { columns, rows } = parseTable(text);
  const first = rows.slice(0, rowsShown).map((row) => row.join(' | '));
  const count = `${grouped(rows.length)} ${rows.length === 1 ? 'row' : 'rows'}`;
  return [
    `Columns: ${cut(columns.join(', '), columnsShown)}`,
    rows.length > first.length ? `${count}; the first ${first.length}:` : `${count}:`,
    ...first,
  ].join('\n');
}

/** Never ends in half a character. */
const cut = (text: string, length: number): string =>
  text.length <= length ? text : `${text.slice(0, length - 1).replace(/[\uD800-\uDBFF]$/, '')}…`;
