import { basename } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { unpackTar } from 'modern-tar';
import { headType, tarType } from '../recognise.ts';
import { atMost, within, type ZipLimits, type ZipMember } from './zip.ts';

/** Opens a tar archive that gzip has compressed, or one file. @throws `Error` if it is damaged, or over the limits */
export async function openGzip(name: string, bytes: Buffer, limits: ZipLimits): Promise<ZipMember[]> {
  const content = unpacked(bytes, limits.bytes);
  if (headType(content)?.[1] === tarType) return openTar(content, limits);
  const plain = basename(name).replace(/\.gz$/i, '');
  return [memberOf(plain === basename(name) ? `${plain}.content` : plain, content)];
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
export async function openTar(bytes: Buffer, limits: ZipLimits): Promise<ZipMember[]> {
  const entries = await unpackTar(bytes, { strict: true });
  const files = entries.filter(({ header }) => header.type !== 'directory');
  const members = files.map(({ data, header: { name, type } }) =>
    memberOf(name, Buffer.from(data ?? []), type !== 'file'),
  );
  return within(members, limits);
}

export const memberOf = (name: string, content: Buffer, isLink = false): ZipMember => ({
  name,
  bytes: content.length,
  isLink,
  isEncrypted: false,
  read: () => Promise.resolve(content),
});
