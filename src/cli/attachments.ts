import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { grouped } from '../files/limits.ts';
import { attachmentProblems, resolveAttachments } from '../files/load.ts';
import type { AttachmentInput } from '../protocol/attachment.ts';
import { usageError } from './exit.ts';
import type { CommonOptions } from './options.ts';
import { meansLocal } from './target.ts';

/** In bytes. Base64 makes a third more of them, and Temporal takes no input over 2 MB. */
const maxInline = 1_500_000;

/**
 * The files that come with a problem, as a run takes them: a worker here reads them itself, one elsewhere gets what is
 * in them.
 *
 * @throws `CommandError`, status 2, with everything that keeps the run from starting
 */
export async function readAttachments(files: string[], options: CommonOptions): Promise<AttachmentInput[]> {
  const problems = await attachmentProblems(files, process.cwd());
  if (problems.length > 0) throw usageError(problems.join('\n'));
  return meansLocal(options) ? resolveAttachments(files, process.cwd()) : inline(files);
}

async function inline(files: string[]): Promise<AttachmentInput[]> {
  const contents = await Promise.all(files.map((file) => readFile(file)));
  const bytes = contents.reduce((sum, content) => sum + content.length, 0);
  if (bytes > maxInline)
    throw usageError(
      `The attachments have ${grouped(bytes)} bytes together; for a worker elsewhere they travel in the run's input, ` +
        `which takes at most ${grouped(maxInline)}. Start the run on the worker's machine, or name paths of that ` +
        'machine in the input of the workflow planAndExecute',
    );
  return files.map((file, index) => ({
    name: basename(file),
    data: (contents[index] ?? Buffer.alloc(0)).toString('base64'),
  }));
}
