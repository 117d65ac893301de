import { grouped, maxFileBytes } from '../../util/file-limits.ts';
import { openZip, type ZipLimits, type ZipMember } from './zip.ts';

export interface ArchiveFile {
  bytes: Uint8Array;
  limits: ZipLimits;
}

/** A file of an archive. It has its content, or a problem that says why it was not unpacked. */
export interface ArchiveMember extends Pick<ZipMember, 'name' | 'bytes'> {
  content?: Uint8Array;
  problem?: string;
}

/** Unpacks a zip archive, in a thread of its own. @throws `Error` if it cannot be read, or is over the limits */
export default async function unpack({ bytes, limits }: ArchiveFile, post: (member: ArchiveMember) => void) {
  const members = await openZip(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength), limits);
  for (const member of members) post({ name: member.name, bytes: member.bytes, ...(await contentOf(member)) });
}

async function contentOf(member: ZipMember): Promise<Pick<ArchiveMember, 'content' | 'problem'>> {
  if (member.isLink) return { problem: 'a link' };
  if (member.isEncrypted) return { problem: 'it needs a password' };
  if (member.bytes > maxFileBytes)
    return { problem: `${grouped(member.bytes)} bytes; at most ${grouped(maxFileBytes)} are read` };
  try {
    return { content: await member.read() };
  } catch (error) {
    return { problem: `damaged: ${(error as Error).message}` };
  }
}
