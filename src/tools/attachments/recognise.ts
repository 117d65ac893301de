import { extname } from 'node:path';
import type { AttachmentKind } from '../../protocol/attachment.ts';
import { audioType } from './audio.ts';
import { decodeText } from '../../util/text/encoding.ts';
import { grouped, maxFileBytes } from '../../util/file-limits.ts';
import { holds, mailTypeOf, packageType, workbookType, type FileType } from './packages.ts';
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

/** Formats that are told by how they begin alone, in hexadecimal digits. The mark of tar stands behind its first entry's head. */
const byHead: Array<[begins: RegExp, ...FileType]> = [
  [/^53514c69746520666f726d6174203300/, 'workbook', sqliteType],
  [/^50415231/, 'workbook', parquetType],
  [/^7b5c727466/, 'document', 'application/rtf'],
  [/^1f8b08/, 'archive', gzipType],
  [/^.{514}7573746172/, 'archive', tarType],
];

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
  const head = bytes.toString('latin1', 0, 1024);
  const image = pictureTypeOf(bytes);
  if (image !== undefined) return ['image', image];
  // A PDF may have some bytes before its head, but a text may mention such a head as well.
  const isPdf = head.startsWith('%PDF-') || (extname(name).toLowerCase() === '.pdf' && head.includes('%PDF-'));
  if (isPdf) return ['pdf', 'application/pdf'];
  return headType(bytes) ?? (await packageType(name, bytes)) ?? audioType(name, bytes) ?? mailTypeOf(name, bytes);
}

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

/** Formats that are kept without being read, by how they begin, in hexadecimal digits. */
const formats: Array<[begins: RegExp, what: string, mediaType: string]> = [
  [/^7f454c46/, 'a program for Linux', 'application/x-executable'],
  [/^4d5a/, 'a program for Windows', 'application/vnd.microsoft.portable-executable'],
  [/^0061736d/, 'a WebAssembly module', 'application/wasm'],
  [/^377abcaf271c/, 'a 7-Zip archive', 'application/x-7z-compressed'],
  [/^526172211a07/, 'a RAR archive', 'application/vnd.rar'],
  [/^425a68/, 'bzip2 data', 'application/x-bzip2'],
  [/^fd377a585a00/, 'xz data', 'application/x-xz'],
  [/^28b52ffd/, 'Zstandard data', 'application/zstd'],
  [/^.{8}66747970/, 'a film', 'video/mp4'],
  [/^1a45dfa3/, 'a film', 'video/x-matroska'],
  [/^52494646.{8}41564920/, 'a film', 'video/x-msvideo'],
  [/^789f3e22/, 'an attachment as Outlook packs it (winmail.dat)', 'application/vnd.ms-tnef'],
  [/^2142444e/, 'a mailbox of Outlook (.pst)', 'application/vnd.ms-outlook-pst'],
  [/^e4525c7b8cd8a74d/, 'a section of OneNote', 'application/onenote'],
  [/^ff575043/, 'a document of WordPerfect', 'application/vnd.wordperfect'],
  [/^38425053/, 'a picture of Photoshop', 'image/vnd.adobe.photoshop'],
  [/^(0000000c6a502020|ff4fff51)/, 'a picture in JPEG 2000', 'image/jp2'],
  [/^41433130/, 'a drawing of AutoCAD', 'image/vnd.dwg'],
  [/^(00010000000|4f54544f|774f46(46|32)|74746366)/, 'a font', 'font/sfnt'],
  [/^(cffaedfe|cefaedfe)/, 'a program for macOS', 'application/x-mach-binary'],
  [/^cafebabe0000/, 'a compiled class of Java, or a program for macOS', 'application/java-vm'],
  [/^(3026b2758e66cf11|464c5601|000001b[3a])/, 'a film or a recording', 'video/x-ms-asf'],
  [/^4d546864/, 'music in MIDI', 'audio/midi'],
  [/^62706c697374/, 'a property list of Apple', 'application/x-bplist'],
  [/^89484446/, 'HDF5 data', 'application/x-hdf5'],
  [/^934e554d5059/, 'a NumPy array', 'application/x-npy'],
  [/^4152524f5731/, 'Arrow data (Feather)', 'application/vnd.apache.arrow.file'],
  [/^.{16}4455434b/, 'a DuckDB database', 'application/vnd.duckdb'],
  [/^00010000(4a657420|5374616e64617264)/, 'a database of Access', 'application/vnd.ms-access'],
  [/^30(80|8[1-4](..){1,4})06092a864886f70d0107/, 'a signed or encrypted file (.p7m, .p7s)', 'application/pkcs7-mime'],
  [/^4f5243/, 'ORC data', 'application/vnd.apache.orc'],
  [/^00000100..00/, 'an icon of Windows', 'image/vnd.microsoft.icon'],
  [/^50(34|35|36)(0a|0d|20)/, 'a picture in PBM, PGM or PPM', 'image/x-portable-anymap'],
  [/^0a0[0-5]01(01|02|04|08)/, 'a picture in PCX', 'image/vnd.zbrush.pcx'],
  [/^(fffe0000|0000feff)/, 'a text in UTF-32', 'text/plain'],
  [/^80(02|03|04|05)/, 'pickled Python data', 'application/x-pickle'],
];

/** Documents of offices before 2007, by a stream in them. */
const old: Array<[stream: string, what: string, mediaType: string]> = [
  ['VisioDocument', 'a drawing of Visio before 2013 (.vsd)', 'application/vnd.visio'],
  ['', 'a document of an old office', 'application/x-ole-storage'],
];

function unread(bytes: Buffer): Recognised {
  const head = bytes.toString('hex', 0, 16);
  const isOld = head.startsWith('d0cf11e0');
  const known = isOld
    ? old.find(([stream]) => stream === '' || holds(bytes, stream))
    : formats.find(([begins]) => begins.test(head));
  const what = known?.[1] ?? 'data of an unknown format, or a text in an unknown encoding';
  const mediaType = known?.[2] ?? 'application/octet-stream';
  const note = `it is ${what} (${mediaType}), which is not read; tools and programs have its bytes`;
  return { kind: 'binary', mediaType, note };
}
