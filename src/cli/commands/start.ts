import { WorkflowExecutionAlreadyStartedError } from '@temporalio/client';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import type { Reprise, Run } from '../../client.ts';
import { defaultBackend } from '../../config/models/complete-backend.ts';
import { areWorkersOwn, openWithWorker, revive, withConnection, type Opened } from '../connection.ts';
import { usageError } from '../exit.ts';
import { follow, watchCommand } from '../follow.ts';
import type { CommonOptions, FollowOptions } from '../options.ts';
import { checkOut } from '../out.ts';
import { shellWord } from '../questions/box.ts';
import { readPlan, readResearch, readTeam } from '../checked-config.ts';
import { grouped } from '../../util/file-limits.ts';
import { attachmentProblems, resolveAttachments } from '../../tools/attachments/load.ts';
import type { AttachmentInput } from '../../protocol/attachment.ts';
import type { Shell } from '../shell.ts';

/** Starts a run of some type under the given id, or under a new one. */
type Start = (reprise: Reprise, options: { id?: string }) => Promise<Run>;

/** Starts a run, and follows it to its end unless `--detach` is given. @throws `CommandError` */
async function startAndFollow(shell: Shell, start: Start, options: FollowOptions, after = nothing): Promise<void> {
  checkOut(shell, options);
  await withConnection(openWithWorker(shell, options), async (opened) => {
    const run = await startOnce(start, opened.reprise, options);
    if (options.detach) {
      await shell.printText(run.id);
      shell.say(`Follow it with: ${watchCommand(run.id, options)}`);
      return;
    }
    shell.say(placeText(run.id, opened));
    await follow(shell, run, options, () => revive(shell, options));
    after(run.id);
  });
}

const nothing = (_id: string): void => {};

/** Says which run it is, and where to see it. */
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

/** `reprise ask TASK`: has a team answer. */
export async function ask(shell: Shell, task: string, options: FollowOptions, after = nothing): Promise<void> {
  if (task.trim() === '') throw usageError('TASK is empty');
  const config = await readTeam(shell, options);
  const input = { task, ...(config !== undefined && { config }) };
  await startAndFollow(shell, (reprise, named) => reprise.startOrchestration(input, named), options, after);
}

/** The question that `npm start` asks. */
const sampleQuestion = 'How many attempts does an orchestration get by default, and what happens at the limit?';

/** `npm start`: asks a question as `ask` does, and then says what else there is to do. */
export async function first(shell: Shell, task = sampleQuestion, options: FollowOptions): Promise<void> {
  const isOffline = defaultBackend(shell.environment).type === 'offline';
  // What is run by `npm start`, or lies in the folder's node_modules, is on no PATH.
  const isLocal = shell.env['npm_lifecycle_event'] !== undefined || existsSync(shell.path('node_modules/.bin/reprise'));
  await ask(shell, task, options, (id) => {
    if (!options.json) shell.say(nextText(id, isLocal ? 'npx reprise' : 'reprise', isOffline));
  });
}

/** The three commands that are likely to be wanted next. @param program how the shell calls Reprise */
export function nextText(id: string, program: string, isOffline: boolean): string {
  const commands = [
    isOffline
      ? [`${program} ask --model ollama/qwen3 "…"`, 'a question of your own, to a real model']
      : [`${program} ask "…"`, 'a question of your own'],
    [`${program} show ${shellWord(id)}`, 'every answer, vote and cost of this run'],
    [`${program} init`, 'a team, tools and a test of your own'],
  ];
  const width = Math.max(...commands.map(([command = '']) => command.length));
  return [
    '',
    'What next:',
    ...commands.map(([command = '', what = '']) => `  ${command.padEnd(width)}  ${what}`),
    ...(isOffline ? ['Real models answer as soon as OPENAI_API_KEY, ANTHROPIC_API_KEY or GEMINI_API_KEY is set.'] : []),
  ].join('\n');
}

/** `reprise research IDEA`: plans an idea, searches, criticises, and plans anew until the plan is good enough. */
export async function research(shell: Shell, idea: string, options: FollowOptions): Promise<void> {
  if (idea.trim() === '') throw usageError('IDEA is empty');
  const config = await readResearch(shell, options);
  const input = { idea, ...(config !== undefined && { config }) };
  await startAndFollow(shell, (reprise, named) => reprise.startResearch(input, named), options);
}

export interface SolveOptions extends FollowOptions {
  attach?: string[];
}

/** `reprise solve PROBLEM`: plans a problem, carries out its subtasks, and repeats only what failed. */
export async function solve(shell: Shell, problem: string, options: SolveOptions): Promise<void> {
  if (problem.trim() === '') throw usageError('PROBLEM is empty');
  const config = await readPlan(shell, options);
  const attachments = await readAttachments(shell, options.attach ?? [], options);
  const input = {
    problem,
    ...(attachments.length > 0 && { attachments }),
    ...(config !== undefined && { config }),
  };
  await startAndFollow(shell, (reprise, named) => reprise.startSolve(input, named), options);
}

/** The most bytes that attachments may have together: base64 adds a third, and Temporal takes no input over 2 MB. */
const maxInline = 1_500_000;

/**
 * The files that come with a problem, as a run's input takes them. This person's worker reads them by their paths;
 * one of others is sent their contents.
 *
 * @throws `CommandError`, status 2, with everything that keeps the run from starting
 */
async function readAttachments(shell: Shell, files: string[], options: CommonOptions): Promise<AttachmentInput[]> {
  const problems = await attachmentProblems(files, shell.cwd);
  if (problems.length > 0) throw usageError(problems.join('\n'));
  return (await areWorkersOwn(shell, options)) ? resolveAttachments(files, shell.cwd) : inline(shell, files);
}

async function inline(shell: Shell, files: string[]): Promise<AttachmentInput[]> {
  const contents = await Promise.all(files.map((file) => readFile(shell.path(file))));
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
