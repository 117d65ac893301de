import { basename } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { unpackTar } from 'modern-tar';
import { headType, tarType } from './recognise.ts';
import { atMost, type ZipLimits, type ZipMember } from './zip.ts';
import { grouped } from '../../util/file-limits.ts';

/**
 * Opens a file that gzip has compressed: a tar archive, or one file, whose name is the given one without its ending.
 *
 * @throws `Error` if it is damaged, or over the limits
 */
export async function openGzip(name: string, bytes: Buffer, limits: ZipLimits): Promise<ZipMember[]> {
  const content = unpacked(bytes, limits.bytes);
  if (headType(content)?.mediaType === tarType) return openTar(content, limits);
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
  let count = 0;
  const filter = (): boolean => {
    if (++count > limits.members) throw new Error(`it has more files${atMost(limits.members)}`);
    return true;
  };
  const entries = await unpackTar(bytes, { filter, strict: true });
  const sum = entries.reduce((all, { data }) => all + (data?.length ?? 0), 0);
  if (sum > limits.bytes) throw new Error(`its files have ${grouped(sum)} bytes${atMost(limits.bytes)}`);
  return entries.flatMap(({ data, header: { name, type } }) => {
    if (type === 'directory') return [];
    return [memberOf(name, Buffer.from(data ?? []), type !== 'file')];
  });
}

/** A file that is unpacked already. */
export const memberOf = (name: string, content: Buffer, isLink = false): ZipMember => ({
  name,
  bytes: content.length,
  isLink,
  isEncrypted: false,
  read: () => Promise.resolve(content),
});
