import { extname } from 'node:path';
import type { AttachmentKind } from '../../protocol/attachment.ts';
import { audioType } from './audio.ts';
import { grouped, maxFileBytes, maxImageBytes } from '../../util/file-limits.ts';
import { packageType } from './packages.ts';
import { imageTypeOf } from '../../util/image-type.ts';

/** What a file is, by its name and its content. `text` is its content, if that is a text. */
export interface Recognised {
  kind: AttachmentKind;
  mediaType: string;
  text?: string;
}

/** What a person is told about the kinds. */
const kindsRead =
  'what is read: texts in UTF-8 (.txt, .md, .html, .yaml, .log, source code…), tables (.csv, .tsv), ' +
  'JSON (.json, .jsonl), PDF, images (PNG, JPEG, GIF, WebP), office documents (.xlsx, .xls, .ods, .docx, .odt, .pptx, ' +
  '.odp), archives (.zip), and audio (MP3, WAV, M4A, OGG, FLAC, WebM)';

const byEnding = new Map<string, [kind: AttachmentKind, mediaType: string]>([
  ['.csv', ['table', 'text/csv']],
  ['.tsv', ['table', 'text/tab-separated-values']],
  ['.json', ['json', 'application/json']],
  ['.jsonl', ['json', 'application/jsonl']],
  ['.ndjson', ['json', 'application/jsonl']],
  ['.md', ['text', 'text/markdown']],
  ['.html', ['text', 'text/html']],
  ['.htm', ['text', 'text/html']],
  ['.xml', ['text', 'application/xml']],
  ['.yaml', ['text', 'application/yaml']],
  ['.yml', ['text', 'application/yaml']],
]);

/** How many bytes of a file PDF readers search for its head. */
const headBytes = 1024;

/**
 * Finds out what a file is: images, PDFs, archives and audio by how they begin, texts by being UTF-8 without NULs, and among
 * texts by the ending of the name.
 *
 * @returns what it is, or a text that says it is too large or of no kind that is read
 */
export async function recognise(name: string, bytes: Buffer): Promise<Recognised | string> {
  if (bytes.length > maxFileBytes) return tooLarge(bytes.length, maxFileBytes);
  const ending = extname(name).toLowerCase();
  const head = bytes.subarray(0, headBytes).toString('latin1');
  const image = imageTypeOf(bytes);
  if (image !== undefined) {
    if (bytes.length > maxImageBytes) return tooLarge(bytes.length, maxImageBytes, 'of an image ');
    return { kind: 'image', mediaType: image };
  }
  // A PDF may have some bytes before its head, but a text may mention such a head as well.
  if (head.startsWith('%PDF-') || (ending === '.pdf' && head.includes('%PDF-'))) {
    return { kind: 'pdf', mediaType: 'application/pdf' };
  }
  const known = await packageType(name, bytes);
  if (known !== undefined) return { kind: known[0], mediaType: known[1] };
  const audio = audioType(name, bytes);
  if (audio !== undefined) return { kind: 'audio', mediaType: audio };
  const text = textOf(bytes);
  if (text === undefined) return `is of no kind that is read; ${kindsRead}`;
  const [kind, mediaType] = byEnding.get(ending) ?? (['text', 'text/plain'] as const);
  return { kind, mediaType, text };
}

export const tooLarge = (bytes: number, most: number, what = ''): string =>
  `has ${grouped(bytes)} bytes; at most ${grouped(most)} ${what}are read`;

/** Bytes as UTF-8 without the byte order mark; undefined if they are not a text. */
function textOf(bytes: Buffer): string | undefined {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return text.includes('\0') ? undefined : text;
  } catch {
    return undefined;
  }
}
