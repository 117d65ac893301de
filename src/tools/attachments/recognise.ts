import { extname } from 'node:path';
import type { AttachmentKind } from '../../protocol/attachment.ts';
import { audioType } from './audio.ts';
import { binaryFormat } from './binary.ts';
import { decodeText } from './encoding.ts';
import { grouped, maxFileBytes } from '../../util/file-limits.ts';
import { packageType } from './packages.ts';
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

const byEnding = new Map<string, [kind: AttachmentKind, mediaType: string]>([
  ['.csv', ['table', 'text/csv']],
  ['.tsv', ['table', 'text/tab-separated-values']],
  ['.json', ['json', 'application/json']],
  ['.jsonl', ['json', 'application/jsonl']],
  ['.ndjson', ['json', 'application/jsonl']],
  ['.jl', ['json', 'application/jsonl']],
  ['.geojson', ['json', 'application/json']],
  ['.md', ['text', 'text/markdown']],
  ['.html', ['text', 'text/html']],
  ['.htm', ['text', 'text/html']],
  ['.xml', ['text', 'application/xml']],
  ['.yaml', ['text', 'application/yaml']],
  ['.yml', ['text', 'application/yaml']],
]);

/** How many bytes of a file PDF readers search for its head. */
const headBytes = 1024;

/** Formats that are told by how they begin alone. The mark of tar stands after the first file's name and sizes. */
const byHead: Array<[begins: RegExp, kind: AttachmentKind, mediaType: string]> = [
  [/^SQLite format 3\0/, 'workbook', sqliteType],
  [/^PAR1/, 'workbook', parquetType],
  [/^\x1F\x8B\x08/, 'archive', gzipType],
  [/^[^]{257}ustar/, 'archive', tarType],
];

/**
 * Finds out what a file is, whatever it is: pictures, PDFs, databases, archives and audio by how they begin, texts by what
 * they can be decoded as, and among texts by the ending of the name.
 */
export async function recognise(name: string, bytes: Buffer): Promise<Recognised> {
  const ending = extname(name).toLowerCase();
  const head = bytes.subarray(0, headBytes).toString('latin1');
  const image = pictureTypeOf(bytes);
  if (image !== undefined) return { kind: 'image', mediaType: image };
  // A PDF may have some bytes before its head, but a text may mention such a head as well.
  if (head.startsWith('%PDF-') || (ending === '.pdf' && head.includes('%PDF-'))) {
    return { kind: 'pdf', mediaType: 'application/pdf' };
  }
  const [, headKind, headType] = byHead.find(([begins]) => begins.test(head)) ?? [];
  if (headKind !== undefined && headType !== undefined) return { kind: headKind, mediaType: headType };
  const known = await packageType(name, bytes);
  if (known !== undefined) return { kind: known[0], mediaType: known[1] };
  const audio = audioType(name, bytes);
  if (audio !== undefined) return { kind: 'audio', mediaType: audio };
  const text = decodeText(bytes);
  if (text === undefined) return unread(bytes);
  const [kind, mediaType] = byEnding.get(ending) ?? (['text', 'text/plain'] as const);
  if (mediaType === 'application/json' && isLines(text.text)) return { kind, mediaType: 'application/jsonl', ...text };
  return { kind, mediaType, ...text };
}

function unread(bytes: Buffer): Recognised {
  const { mediaType, what } = binaryFormat(bytes);
  return {
    kind: 'binary',
    mediaType,
    note: `it is ${what} (${mediaType}), which is not read; tools and programs have its bytes`,
  };
}

/** Whether a text has JSON in each line, told by its first two. */
function isLines(text: string): boolean {
  const [first, second] = /^\s*(\S.*)\n\s*(\S.*)/.exec(text)?.slice(1) ?? [];
  return isRecord(first) && isRecord(second);
}

function isRecord(line = ''): boolean {
  try {
    const value = JSON.parse(line) as unknown;
    return typeof value === 'object' && value !== null;
  } catch {
    return false;
  }
}

export const tooLarge = (bytes: number): string =>
  `has ${grouped(bytes)} bytes; at most ${grouped(maxFileBytes)} are read`;
