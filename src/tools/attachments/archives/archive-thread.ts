import { basename } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { unpackTar } from 'modern-tar';
import { grouped, maxFileBytes } from '../../../util/file-limits.ts';
import { gzipType, headType, tarType } from '../recognise.ts';
import { mailboxType, mailType, outlookType } from '../packages.ts';
import { atMost, openZip, unpackedMember, within, type ZipLimits, type ZipMember } from './zip.ts';

export interface ArchiveFile {
  name: string;
  bytes: Uint8Array;
  mediaType: string;
  limits: ZipLimits;
}

export interface ArchiveMember extends Pick<ZipMember, 'name' | 'bytes'> {
  content?: Uint8Array;
  problem?: string;
}

/** Unpacks an archive, in a thread of its own. @throws `Error` if it cannot be read, or is over the limits */
export default async function unpack(file: ArchiveFile, post: (member: ArchiveMember) => void) {
  const members = await membersOf(file);
  for (const member of members) post({ name: member.name, bytes: member.bytes, ...(await contentOf(member)) });
}

async function membersOf({ bytes: given, limits, mediaType, name }: ArchiveFile): Promise<ZipMember[]> {
  const bytes = Buffer.from(given.buffer, given.byteOffset, given.byteLength);
  // Mail brings the libraries for it and for its HTML, that of Outlook the one for workbooks: they take a while to load.
  if (mediaType === mailType) return within(await (await import('../mail/mail.ts')).openMail(bytes), limits);
  if (mediaType === mailboxType) return within((await import('../mail/mail.ts')).openMailbox(bytes), limits);
  if (mediaType === outlookType) return within((await import('../mail/outlook.ts')).openOutlook(bytes), limits);
  if (mediaType === gzipType) return openGzip(name, bytes, limits);
  return mediaType === tarType ? openTar(bytes, limits) : openZip(bytes, limits);
}

async function contentOf(member: ZipMember) {
  if (member.isLink) return { problem: 'a link' };
  if (member.isEncrypted) return { problem: 'it needs a password' };
  if (member.bytes > maxFileBytes) return { problem: `${grouped(member.bytes)} bytes${atMost(maxFileBytes)}` };
  try {
    return { content: await member.read() };
  } catch (error) {
    const { message } = error as Error;
    const [, way] = /^unsupported compression method: (\d+)$/.exec(message) ?? [];
    return {
      problem: way === undefined ? `damaged: ${message}` : `packed by ${ways[way] ?? `way ${way}`}, which is not read`,
    };
  }
}

/** How a zip archive may be packed besides Deflate (APPNOTE 4.4.5). */
const ways: Readonly<Record<string, string>> = {
  9: 'Deflate64',
  12: 'bzip2',
  14: 'LZMA',
  93: 'Zstandard',
  95: 'xz',
  98: 'PPMd',
};

/** Opens a tar archive that gzip has compressed, or one file. @throws `Error` if it is damaged, or over the limits */
async function openGzip(name: string, bytes: Buffer, limits: ZipLimits): Promise<ZipMember[]> {
  const content = unpacked(bytes, limits.bytes);
  if (headType(content)?.[1] === tarType) return openTar(content, limits);
  const plain = basename(name).replace(/\.gz$/i, '');
  return [unpackedMember(plain === basename(name) ? `${plain}.content` : plain, content)];
}

function unpacked(bytes: Buffer, most: number): Buffer {
  try {
    return gunzipSync(bytes, { maxOutputLength: Math.max(1, most) });
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'ERR_BUFFER_TOO_LARGE') throw new Error(`it has more bytes unpacked${atMost(most)}`, { cause: error });
    throw new Error(`it is damaged (${message})`, { cause: error });
  }
}

/** Opens a tar archive. @returns its files, without folders @throws `Error` if it is damaged, or over the limits */
async function openTar(bytes: Buffer, limits: ZipLimits): Promise<ZipMember[]> {
  const entries = await unpackTar(bytes, { strict: true });
  const files = entries.filter(({ header }) => header.type !== 'directory');
  const members = files.map(({ data, header: { name, type } }) =>
    unpackedMember(name, Buffer.from(data ?? []), type !== 'file'),
  );
  return within(members, limits);
}
