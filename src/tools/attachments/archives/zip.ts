import { buffer } from 'node:stream/consumers';
import { crc32 } from 'node:zlib';
import { fromBufferPromise, getFileNameLowLevel, type Entry, type ZipFile } from 'yauzl';
import { grouped } from '../../../util/file-limits.ts';

export interface ZipMember {
  /** As the archive has it: it may be any text. */
  name: string;
  bytes: number;
  isLink: boolean;
  isEncrypted: boolean;
  /** @throws `Error` if it is damaged, packed in an unknown way, or larger than it claims */
  read(): Promise<Buffer>;
}

export interface ZipLimits {
  members: number;
  bytes: number;
}

/**
 * The files of a zip archive, without folders. Nothing is unpacked before its file is read, and then no more than it claims, so
 * that the limits hold for archives whose files overlap, or are larger than they say. @throws `Error` that says what is wrong
 */
export async function openZip(bytes: Buffer, limits: ZipLimits): Promise<ZipMember[]> {
  const zip = await fromBufferPromise(bytes, { decodeStrings: false, autoClose: false });
  // Folders count as well, since an archive may have any number of them.
  refuseMany(zip.entryCount, limits);
  const members: ZipMember[] = [];
  for await (const entry of zip.eachEntry()) members.push(memberOf(zip, entry));
  return within(
    members.filter(({ name }) => !name.endsWith('/')),
    limits,
  );
}

/** @returns the files of an archive @throws `Error` if they are over the limits */
export function within(members: ZipMember[], limits: ZipLimits): ZipMember[] {
  refuseMany(members.length, limits);
  const sum = members.reduce((all, member) => all + member.bytes, 0);
  if (sum > limits.bytes) throw new Error(`its files have ${grouped(sum)} bytes unpacked${atMost(limits.bytes)}`);
  return members;
}

function refuseMany(count: number, { members }: ZipLimits): void {
  if (count > members) throw new Error(`it has ${grouped(count)} files${atMost(members)}`);
}

export const atMost = (count: number): string => `; at most ${grouped(count)} are read`;

function memberOf(zip: ZipFile, entry: Entry): ZipMember {
  const { externalFileAttributes: attributes, generalPurposeBitFlag: flags, uncompressedSize: size } = entry;
  // Without decoded strings the name is its bytes, whatever the types say.
  const given = getFileNameLowLevel(flags, entry.fileName as unknown as Buffer, entry.extraFields, true);
  // PowerShell and older .NET write folders as Windows does.
  const name = given.replaceAll('\\', '/');
  return {
    name,
    bytes: size,
    // The upper half is a Unix mode.
    isLink: ((attributes >>> 16) & 0o170000) === 0o120000,
    isEncrypted: entry.isEncrypted(),
    async read() {
      const content = await buffer(await zip.openReadStreamPromise(entry));
      if (crc32(content) !== entry.crc32) throw new Error('its checksum does not fit');
      return content;
    },
  };
}

export const unpackedMember = (name: string, content: Buffer, isLink = false): ZipMember => ({
  name,
  bytes: content.length,
  isLink,
  isEncrypted: false,
  read: () => Promise.resolve(content),
});
