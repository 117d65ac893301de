import { extname } from 'node:path';
import type { AttachmentKind } from '../protocol/attachment.ts';
import { jsonNote, tableOfJson } from './json.ts';
import { readPdf, type Readable } from './pdf.ts';
import type { Recognised } from './recognise.ts';
import { parseTable, type Table } from './table.ts';

const binaryEndings = ['.pdf', '.png', '.jpg', '.jpeg', '.gif', '.webp'];

/** The text of a recognised file, and what is wrong with it; an image has neither. Never throws. */
export async function readContent(name: string, bytes: Buffer, found: Recognised): Promise<Readable> {
  const { kind, mediaType, text } = found;
  if (text === undefined) return kind === 'pdf' ? readPdf(bytes) : {};
  const note = text.trim() === '' ? 'the file is empty' : noteOf(name, kind, mediaType, text);
  return { text, ...(note !== undefined && { note }) };
}

function noteOf(name: string, kind: AttachmentKind, mediaType: string, text: string): string | undefined {
  if (kind === 'table') return parseTable(text).note;
  if (kind === 'json') return jsonNote(text, mediaType);
  const ending = extname(name).toLowerCase();
  return binaryEndings.includes(ending)
    ? `it is a plain text, whatever its ending ${ending} says`
    : undefined;
}

/** A text as a table; undefined where it is none. */
export function tableOf(
  { kind, mediaType }: { kind: AttachmentKind; mediaType: string },
  text: string,
): Table | undefined {
  if (kind === 'table') return parseTable(text);
  return kind === 'json' ? tableOfJson(text, mediaType) : undefined;
}
