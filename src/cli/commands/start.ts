import { WorkflowExecutionAlreadyStartedError } from '@temporalio/client';
import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import type { Reprise, Run } from '../../client.ts';
import { openWithWorker, revive, type Opened } from '../connection.ts';
import { say, usageError } from '../exit.ts';
import { follow, watchCommand } from '../follow.ts';
import type { CommonOptions, FollowOptions } from '../options.ts';
import { readPlan, readResearch, readTeam } from '../checked-config.ts';
import { grouped } from '../../files/limits.ts';
import { attachmentProblems, resolveAttachments } from '../../files/load.ts';
import type { AttachmentInput } from '../../protocol/attachment.ts';
import { meansLocal } from '../target.ts';

/** Starts a run of some type, under the id that is given. */
export type Start = (reprise: Reprise, options: { id?: string }) => Promise<Run>;

/** Starts a run, and follows it to its end; with `--detach` leaves it. @throws `CommandError` */
export async function startAndFollow(start: Start, options: FollowOptions): Promise<void> {
  const opened = await openWithWorker(options);
  try {
    const run = await startOnce(start, opened.reprise, options);
    if (options.detach) {
      process.stdout.write(`${run.id}\n`);
      say(`Follow it with: ${watchCommand(run.id, options)}`);
      return;
    }
    say(placeText(run.id, opened));
    await follow(run, options, () => revive(options));
  } finally {
    await opened.reprise.close();
  }
}

/** Where a run is to be seen. */
export const placeText = (id: string, { uiAddress }: Opened): string =>
  `Run ${id}${uiAddress === undefined ? '' : `, Web UI ${uiAddress}`}`;

async function startOnce(start: Start, reprise: Reprise, { id }: FollowOptions): Promise<Run> {
  try {
    return await start(reprise, { ...(id !== undefined && { id }) });
  } catch (error) {
    if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
    throw usageError(`There is a run of the id ${id} already: reprise watch ${id}`);
  }
}

/** `reprise ask TASK`: a team answers. */
export async function ask(task: string, options: FollowOptions): Promise<void> {
  if (task.trim() === '') throw usageError('TASK is empty');
  const config = readTeam(options);
  const input = { task, ...(config !== undefined && { config }) };
  await startAndFollow((reprise, named) => reprise.startOrchestration(input, named), options);
}

/** `reprise research IDEA`: an idea is planned, searched, criticised, and planned anew until it is good enough. */
export async function research(idea: string, options: FollowOptions): Promise<void> {
  if (idea.trim() === '') throw usageError('IDEA is empty');
  const config = readResearch(options);
  const input = { idea, ...(config !== undefined && { config }) };
  await startAndFollow((reprise, named) => reprise.startResearch(input, named), options);
}

export interface SolveOptions extends FollowOptions {
  attach?: string[];
}

/** `reprise solve PROBLEM`: a problem is planned, its subtasks are carried out, and only what failed is repeated. */
export async function solve(problem: string, options: SolveOptions): Promise<void> {
  if (problem.trim() === '') throw usageError('PROBLEM is empty');
  const config = readPlan(options);
  const attachments = await readAttachments(options.attach ?? [], options);
  const input = {
    problem,
    ...(attachments.length > 0 && { attachments }),
    ...(config !== undefined && { config }),
  };
  await startAndFollow((reprise, named) => reprise.startSolve(input, named), options);
}

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
