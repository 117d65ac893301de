import { RunExistsError, type Reprise, type Run } from '../../client.ts';
import { defaultBackend } from '../../config/models/complete-backend.ts';
import { openWithWorker, pageOf, revive, withConnection, type Opened } from '../connection.ts';
import { readAttachments } from '../attachments.ts';
import { usageError } from '../exit.ts';
import { follow, watchCommand } from '../follow.ts';
import type { FollowOptions } from '../options.ts';
import { checkOut } from '../out.ts';
import { shellWord } from '../../util/text/shell-word.ts';
import { readPlan, readResearch, readTeam } from '../checked-config.ts';
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
export function placeText(id: string, opened: Opened): string {
  const page = pageOf(opened, id);
  return `Run ${id}${page === undefined ? '' : `, Web UI ${page}`}`;
}

async function startOnce(start: Start, reprise: Reprise, options: FollowOptions): Promise<Run> {
  const { id = '' } = options;
  try {
    return await start(reprise, { ...(id !== '' && { id }) });
  } catch (error) {
    if (!(error instanceof RunExistsError)) throw error;
    throw usageError(`There is a run of the id ${id} already: ${watchCommand(id, options)}`);
  }
}

/** `reprise ask TASK`: has a team answer. */
export async function ask(shell: Shell, task: string, options: FollowOptions, after = nothing): Promise<void> {
  if (task.trim() === '') throw usageError('TASK is empty');
  const config = await readTeam(shell, options);
  const input = { task, ...(await readAttachments(shell, options)), ...(config !== undefined && { config }) };
  await startAndFollow(shell, (reprise, named) => reprise.startOrchestration(input, named), options, after);
}

/** The question that `npm start` asks. */
const sampleQuestion = 'How many attempts does an orchestration get by default, and what happens at the limit?';

/** `npm start`: asks a question as `ask` does, and then says what else there is to do. */
export async function first(shell: Shell, task = sampleQuestion, options: FollowOptions): Promise<void> {
  const taken = ['agents', 'attach', 'budget', 'config', 'model', 'tools'].find(
    (name) => shell.env[`npm_config_${name}`],
  );
  if (taken !== undefined)
    throw usageError(`npm has taken --${taken} as an option of its own. Put -- before it: npm start -- --${taken} …`);
  const isOffline = defaultBackend(shell.environment).type === 'offline';
  await ask(shell, task, options, (id) => {
    if (!options.json) shell.say(nextText(id, isOffline));
  });
}

/** The three commands that are likely to be wanted next. */
export function nextText(id: string, isOffline: boolean): string {
  const commands = [
    isOffline
      ? [`reprise ask --model ollama/qwen3:8b "…"`, 'a question of your own, to a real model']
      : [`reprise ask "…"`, 'a question of your own'],
    [`reprise show ${shellWord(id)}`, 'every answer, vote and cost of this run'],
    [`reprise init mine`, 'a team, tools and a test of your own'],
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
  const input = { idea, ...(await readAttachments(shell, options)), ...(config !== undefined && { config }) };
  await startAndFollow(shell, (reprise, named) => reprise.startResearch(input, named), options);
}

/** `reprise solve PROBLEM`: plans a problem, carries out its subtasks, and repeats only what failed. */
export async function solve(shell: Shell, problem: string, options: FollowOptions): Promise<void> {
  if (problem.trim() === '') throw usageError('PROBLEM is empty');
  const config = await readPlan(shell, options);
  const input = { problem, ...(await readAttachments(shell, options)), ...(config !== undefined && { config }) };
  await startAndFollow(shell, (reprise, named) => reprise.startSolve(input, named), options);
}
