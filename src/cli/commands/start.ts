import { RunExistsError, type Reprise, type Run } from '../../client.ts';
import { defaultBackend } from '../../config/models/complete-backend.ts';
import { readAttachments } from '../attachments.ts';
import { readPlan, readResearch, readTeam } from '../checked-config.ts';
import { openWithWorker, pageOf, withConnection, type Opened } from '../connection.ts';
import { usageError } from '../exit.ts';
import { follow } from '../follow.ts';
import type { FollowOptions } from '../options.ts';
import { checkOut } from '../out.ts';
import { watchCommand } from '../questions/box.ts';
import { shellWord } from '../../util/text/shell-word.ts';
import type { Shell } from '../shell.ts';

/**
 * Starts a run, and follows it to its end unless `--detach` is given.
 *
 * @param said what the person has said, and what the help text calls it
 * @returns the run's id
 */
async function startAndFollow<Config extends object>(
  shell: Shell,
  options: FollowOptions,
  [what, said]: [what: string, said: string],
  readConfig: (shell: Shell, options: FollowOptions) => Promise<Config | undefined>,
  start: (reprise: Reprise, input: Others<Config>, named: { id?: string }) => Promise<Run>,
): Promise<string> {
  if (said.trim() === '') throw usageError(`${what} is empty`);
  const config = await readConfig(shell, options);
  const input = { ...(await readAttachments(shell, options)), ...(config !== undefined && { config }) };
  checkOut(shell, options);
  const { detach, id } = options;
  return withConnection(openWithWorker(shell, options), async (opened) => {
    const run = await start(opened.reprise, input, { ...(id && { id }) }).catch((error: unknown) => {
      if (!(error instanceof RunExistsError) || id === undefined) throw error;
      throw usageError(`There is a run of the id ${id} already: ${watchCommand(id, options)}`);
    });
    if (detach) {
      await shell.printText(run.id);
      shell.say(`Follow it with: ${watchCommand(run.id, options)}`);
    } else {
      shell.say(placeText(run.id, opened));
      await follow(shell, run, options);
    }
    return run.id;
  });
}

type Others<Config> = { config?: Config } & Awaited<ReturnType<typeof readAttachments>>;

export function placeText(id: string, opened: Opened): string {
  const page = pageOf(opened, id);
  return `Run ${id}${page === undefined ? '' : `, Web UI ${page}`}`;
}

export const ask = async (shell: Shell, words: string[], options: FollowOptions): Promise<string> =>
  askTeam(shell, await shell.said(words), options);

const askTeam = (shell: Shell, task: string, options: FollowOptions): Promise<string> =>
  startAndFollow(shell, options, ['TASK', task], readTeam, (reprise, others, named) =>
    reprise.startOrchestration({ task, ...others }, named),
  );

export async function research(shell: Shell, words: string[], options: FollowOptions): Promise<void> {
  const idea = await shell.said(words);
  await startAndFollow(shell, options, ['IDEA', idea], readResearch, (reprise, others, named) =>
    reprise.startResearch({ idea, ...others }, named),
  );
}

export async function solve(shell: Shell, words: string[], options: FollowOptions): Promise<void> {
  const problem = await shell.said(words);
  await startAndFollow(shell, options, ['PROBLEM', problem], readPlan, (reprise, others, named) =>
    reprise.startSolve({ problem, ...others }, named),
  );
}

const sampleQuestion = 'How many attempts does an orchestration get by default, and what happens at the limit?';

/** `npm start`: asks a question as `ask` does, and then says what else there is to do. */
export async function first(shell: Shell, words: string[], options: FollowOptions): Promise<void> {
  const taken = ['agents', 'attach', 'budget', 'config', 'model', 'tools'].find(
    (name) => shell.env[`npm_config_${name}`],
  );
  if (taken !== undefined)
    throw usageError(`npm has taken --${taken} as an option of its own. Put -- before it: npm start -- --${taken} …`);
  const isOffline = defaultBackend(shell.environment).type === 'offline';
  const id = await askTeam(shell, words.join(' ') || sampleQuestion, options);
  if (!options.json && !options.detach) shell.say(nextText(id, isOffline));
}

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
