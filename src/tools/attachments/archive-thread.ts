/**
 * Unpacks a zip archive in a thread of its own, one file at a time. Takes an `ArchiveFile` as `workerData`. Answers null with
 * an `ArchiveListing`, and the number of a file in it with an `Unpacked`.
 */
import { parentPort, workerData } from 'node:worker_threads';
import { openZip, type ZipLimits, type ZipMember } from './zip.ts';

export interface ArchiveFile {
  bytes: Uint8Array;
  limits: ZipLimits;
}

export type ArchiveListing =
  { members: Array<Pick<ZipMember, 'name' | 'bytes' | 'isLink' | 'isEncrypted'>> } | { problem: string };

export type Unpacked = { bytes: Uint8Array } | { problem: string };

const { bytes: given, limits } = workerData as ArchiveFile;
const opened = openZip(Buffer.from(given.buffer, given.byteOffset, given.byteLength), limits);
// Whoever asks is told.
opened.catch(() => {});

parentPort?.on('message', (number: number | null) => {
  void (number === null ? list() : unpack(number))
    .catch((error: unknown) => ({ problem: (error as Error).message }))
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has none
    .then((answer: ArchiveListing | Unpacked) => parentPort?.postMessage(answer));
});

async function list(): Promise<ArchiveListing> {
  const members = await opened;
  return {
    members: members.map(({ bytes, isEncrypted, isLink, name }) => ({ name, bytes, isLink, isEncrypted })),
  };
}

async function unpack(number: number): Promise<Unpacked> {
  const member = (await opened)[number];
  return member === undefined ? { problem: 'it is not there' } : { bytes: await member.read() };
}
