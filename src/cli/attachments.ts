import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import type { AttachmentInput } from '../protocol/attachment.ts';
import { attachmentProblems, resolveAttachments } from '../tools/attachments/load.ts';
import { grouped } from '../util/file-limits.ts';
import { areWorkersOwn } from './connection.ts';
import { usageError } from './exit.ts';
import type { CommonOptions } from './options.ts';
import type { Shell } from './shell.ts';

/** The most bytes that attachments may have together: base64 adds a third, and Temporal takes no input over 2 MB. */
const maxInline = 1_500_000;

/**
 * The files of `--attach`: this person's worker reads them by their paths, one of others is sent their contents.
 *
 * @throws `CommandError`, status 2
 */
export async function readAttachments(
  shell: Shell,
  options: CommonOptions,
): Promise<{ attachments?: AttachmentInput[] }> {
  const { attach: files = [] } = options;
  if (files.length === 0) return {};
  const problems = await attachmentProblems(files, shell.cwd);
  if (problems.length > 0) throw usageError(problems.join('\n'));
  const isOwn = await areWorkersOwn(shell, options);
  return { attachments: isOwn ? resolveAttachments(files, shell.cwd) : await inline(shell, files) };
}

async function inline(shell: Shell, files: string[]): Promise<AttachmentInput[]> {
  const read = files.map(async (file) => ({ name: basename(file), content: await readFile(shell.path(file)) }));
  const contents = await Promise.all(read);
  const bytes = contents.reduce((sum, { content }) => sum + content.length, 0);
  if (bytes > maxInline)
    throw usageError(
      `The attachments have ${grouped(bytes)} bytes together; for a worker elsewhere they travel in the run's input, ` +
        `which takes at most ${grouped(maxInline)}. Start the run on the worker's machine, or name paths of that ` +
        "machine in the workflow's input",
    );
  return contents.map(({ name, content }) => ({ name, data: content.toString('base64') }));
}
