import { extname } from 'node:path';
import type { AttachmentKind } from '../../protocol/attachment.ts';
import { audioType } from './audio.ts';
import { unread } from './binary.ts';
import { decodeText } from './encoding.ts';
import { grouped, maxFileBytes } from '../../util/file-limits.ts';
import { mailTypeOf, packageType, workbookType, type FileType } from './packages.ts';
import { pictureTypeOf } from '../../util/image-type.ts';

/** What a file is, by its name and its content. `text` is its content, if that is a text. */
export interface Recognised {
  kind: AttachmentKind;
  mediaType: string;
  text?: string;
  /** What is to be said of it: in which encoding it was read, or what it is that cannot be read. */
  note?: string;
}

/** Databases, each of whose tables is a sheet. */
export const sqliteType = 'application/vnd.sqlite3';
export const parquetType = 'application/vnd.apache.parquet';

/** Archives besides zip. A compressed file is an archive of one. */
export const tarType = 'application/x-tar';
export const gzipType = 'application/gzip';

const byEnding = new Map<string, FileType>([
  ['.csv', ['table', 'text/csv']],
  ['.tsv', ['table', 'text/tab-separated-values']],
  ['.tab', ['table', 'text/tab-separated-values']],
  ['.psv', ['table', 'text/csv']],
  ['.json', ['json', 'application/json']],
  ['.jsonl', ['json', 'application/jsonl']],
  ['.ndjson', ['json', 'application/jsonl']],
  ['.jl', ['json', 'application/jsonl']],
  ['.geojson', ['json', 'application/json']],
  ['.har', ['json', 'application/json']],
  ['.ipynb', ['json', 'application/json']],
  ['.md', ['text', 'text/markdown']],
  ['.html', ['text', 'text/html']],
  ['.htm', ['text', 'text/html']],
  ['.xml', ['text', 'application/xml']],
  ['.yaml', ['text', 'application/yaml']],
  ['.yml', ['text', 'application/yaml']],
]);

/** How many bytes of a file PDF readers search for its head. */
const headBytes = 1024;

/** Formats that are told by how they begin alone, in hexadecimal digits. The mark of tar stands behind its first entry's head. */
const byHead: Array<[begins: RegExp, ...FileType]> = [
  [/^53514c69746520666f726d6174203300/, 'workbook', sqliteType],
  [/^50415231/, 'workbook', parquetType],
  [/^7b5c727466/, 'document', 'application/rtf'],
  [/^1f8b08/, 'archive', gzipType],
  [/^.{514}7573746172/, 'archive', tarType],
];

/** What a database, an archive besides zip or an .rtf is; undefined for anything else. */
export function headType(bytes: Buffer): FileType | undefined {
  const head = bytes.toString('hex', 0, 262);
  const found = byHead.find(([begins]) => begins.test(head));
  return found && [found[1], found[2]];
}

/**
 * Finds out what a file is, whatever it is: pictures, PDFs, databases, archives and audio by how they begin, texts by what
 * they can be decoded as, and among texts by the ending of the name.
 */
export async function recognise(name: string, bytes: Buffer): Promise<Recognised> {
  const begun = await typeByHead(name, bytes);
  if (begun !== undefined) return { kind: begun[0], mediaType: begun[1] };
  const text = decodeText(bytes);
  if (text === undefined) return unread(bytes);
  const workbook = workbookType(name, text.text);
  if (workbook?.[0] === 'workbook') return { kind: 'workbook', mediaType: workbook[1] };
  const known = byEnding.get(extname(name).toLowerCase()) ?? workbook;
  const [kind, mediaType] = known ?? (['text', 'text/plain'] as const);
  if (mediaType === 'application/json' && isLines(text.text)) return { kind, mediaType: 'application/jsonl', ...text };
  return { kind, mediaType, ...text };
}

async function typeByHead(name: string, bytes: Buffer): Promise<FileType | undefined> {
  const head = bytes.toString('latin1', 0, headBytes);
  const image = pictureTypeOf(bytes);
  if (image !== undefined) return ['image', image];
  // A PDF may have some bytes before its head, but a text may mention such a head as well.
  const isPdf = head.startsWith('%PDF-') || (extname(name).toLowerCase() === '.pdf' && head.includes('%PDF-'));
  if (isPdf) return ['pdf', 'application/pdf'];
  return headType(bytes) ?? (await packageType(name, bytes)) ?? audioType(name, bytes) ?? mailTypeOf(name, bytes);
}

/** Whether a text has JSON in each line, told by its first two. */
function isLines(text: string): boolean {
  const lines = text.trim().split('\n', 2);
  try {
    return lines.length === 2 && lines.every((line) => typeof JSON.parse(line) === 'object');
  } catch {
    return false;
  }
}

export const tooLarge = (bytes: number): string =>
  `has ${grouped(bytes)} bytes; at most ${grouped(maxFileBytes)} are read`;
