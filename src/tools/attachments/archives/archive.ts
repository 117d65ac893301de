import { treePath } from '../../workspaces/tree.ts';
import type { ArchiveFile, ArchiveMember } from './archive-thread.ts';
import { grouped, readingLimits } from '../../../util/file-limits.ts';
import { noted, type Readable } from '../readable.ts';
import { listed } from '../../../util/text/listed.ts';
import { moduleBeside, runIsolated } from '../../../util/isolated.ts';
import { gzipType } from '../recognise.ts';
import type { ZipLimits } from './zip.ts';
import { shortened } from '../../../workflows/runtime/size.ts';

const program = moduleBeside(import.meta.url, 'archive-thread');

/** What is taken of an attached archive, with the archives in it. */
export const archiveLimits: Readonly<ZipLimits> = { members: 200, bytes: 100_000_000 };

/**
 * Unpacks an archive, one file after the other. What is a link, encrypted, damaged or too large, or has a path that leads
 * out, is left out. One that is over the limits is not unpacked at all. Never throws.
 *
 * @param left what may be taken; what this archive takes is subtracted
 * @returns a list of the files, and a note that says what is left out
 */
export async function unpackArchive(
  archive: Omit<ArchiveFile, 'limits'>,
  left: ZipLimits,
  take: (file: { path: string; bytes: Buffer }) => Promise<void>,
): Promise<Readable> {
  const members: ArchiveMember[] = [];
  const onMessage = (member: ArchiveMember): void => void members.push(member);
  const file: ArchiveFile = { ...archive, limits: left };
  try {
    await runIsolated<void, ArchiveMember>(program, file, { ...readingLimits, onMessage });
  } catch (error) {
    // It does not claim a size, so that many of these would take for ever. Deflate packs at most so much
    // (https://zlib.net/zlib_tech.html).
    if (archive.mediaType === gzipType) left.bytes -= Math.min(left.bytes, archive.bytes.length * 1032);
    return { note: `it was not unpacked: ${(error as Error).message}` };
  }
  left.members -= members.length;
  left.bytes -= members.reduce((sum, member) => sum + member.bytes, 0);
  const lines: string[] = [];
  const problems: string[] = [];
  const paths = new Set<string>();
  for (const { bytes: size, content, name, problem } of members) {
    const path = treePath(name);
    const why = problem ?? pathProblem(name, path, paths);
    if (why === undefined) {
      await take({ path: path ?? '', bytes: Buffer.from(content ?? []) });
      lines.push(`${path} (${grouped(size)} bytes)`);
    } else problems.push(`${shown(name)} (${why})`);
  }
  const isOfApple = members.some(({ name }) => name.endsWith('.iwa'));
  const ofApple =
    'it is a document of Pages, Numbers or Keynote, whose text and cells (.iwa) are not read; a preview in it is a picture';
  const leftOut = `of its ${members.length} files ${problems.length} were left out: ${listed(problems, 5)}`;
  return { text: lines.join('\n'), ...noted([isOfApple && ofApple, problems.length > 0 && leftOut]) };
}

/** @param paths those that were taken before, in lower case; this one is added */
function pathProblem(name: string, path: string | undefined, paths: Set<string>): string | undefined {
  if (path === undefined) return 'its path leads out of the archive, or cannot be used';
  if (/(^|\/)(__MACOSX\/|\.DS_Store$|Thumbs\.db$)/.test(name)) return 'made by the packing program';
  if (paths.has(path.toLowerCase())) return 'another file has the same path';
  paths.add(path.toLowerCase());
  return undefined;
}

const shown = (name: string): string => shortened(JSON.stringify(name.replaceAll(/\p{C}/gu, '?')).slice(1, -1), 80);
