import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { PassThrough } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import type { Reprise } from '../../src/client.ts';
import { listedSites } from '../../src/cli/options.ts';
import { run } from '../../src/cli/run.ts';
import { choices, runMeant } from '../../src/cli/which-run.ts';
import { silentShell } from '../support/printed-commands.ts';

/** What a command that starts nothing says, and its status. */
async function told(words: string[], env: NodeJS.ProcessEnv = {}, given = ''): Promise<[status: number, said: string]> {
  const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()];
  stdin.end(given);
  const status = await run(words, { stdin, stdout, stderr, env: { npm_command: 'exec', ...env }, cwd: '/' });
  return [status, String(stderr.read())];
}

test.each([
  ['a question', 'Which database?', "to ask a team: npx reprise ask 'Which database?'"],
  ['a word that is nearly a command', 'aks', 'did you mean ask?'],
  ['what other programs call it', 'stop', 'did you mean cancel?'],
  ['the same, although another command is near', 'logs', 'did you mean show?'],
  ['the same of few letters', 'ls', 'did you mean list?'],
  ['a mistyped help', 'hlep', 'did you mean help?'],
  ['what is an option', 'version', 'did you mean --version?'],
])('%s in the place of a command leads to the command that is meant', async (_, word, hint) => {
  const said = `error: unknown command '${word}'; ${hint}\n(npx reprise --help lists all commands)\n`;
  expect(await told([word])).toEqual([2, said]);
});

test.each([
  [['ask'], "missing required argument 'task'"],
  [['validate', 'a.yaml', '--strict'], "unknown option '--strict'"],
])('what a command does not understand leads to its examples: %j', async (words, problem) => {
  expect(await told(words)).toEqual([2, `error: ${problem}\n(npx reprise ${words[0]} --help has examples)\n`]);
});

test('an id that a script has left empty is no id', async () => {
  await expect(runMeant(silentShell(), {} as Reprise, '', choices.any)).rejects.toThrow('ID is empty');
});

test.each(['ask', 'research', 'solve'])(
  'of %s a dash alone stands for what comes by standard input',
  async (command) => {
    expect(await told([command, '-'], {}, ' \n')).toEqual([2, expect.stringContaining('is empty')]);
  },
);

test('an option that npm has kept for itself is not passed over', async () => {
  const [status, said] = await told(['start', 'ollama/qwen3:8b'], { npm_config_model: 'true' });
  expect([status, said]).toEqual([2, expect.stringContaining('npm start -- --model …')]);
});

test.each([
  ['--max-tokens', '99999999999999999999', 'a number of tokens'],
  ['--id', '', 'not empty'],
  ['--id', ' ', 'not empty'],
])('%s %j is refused before anything starts', async (option, value, why) => {
  for (const command of ['ask', 'chat'])
    expect(await told([command, option, value, 'Hi'])).toEqual([2, expect.stringContaining(why)]);
});

test.each(['serve', 'codec-server'])('%s does not listen everywhere where its address is empty', async (command) => {
  expect(await told([command, '--host', ''])).toEqual([2, expect.stringContaining('not empty')]);
});

test.each(['serve', 'codec-server'])('%s takes sites as browsers name them, and nothing else', async (command) => {
  expect(await told([command, '--origin', 'localhost:3000'])).toEqual([2, expect.stringContaining('https://app.')]);
  expect(['https://App.example.com:443/', 'tauri://localhost'].map((site) => listedSites(site))).toEqual([
    ['https://app.example.com'],
    ['tauri://localhost'],
  ]);
});

test('a file of prices that is no JSON is named', async () => {
  const [status, said] = await told(
    ['validate', fileURLToPath(new URL('../../examples/agent-offline.yaml', import.meta.url))],
    {
      REPRISE_PRICES: fileURLToPath(import.meta.url),
    },
  );
  expect([status, said]).toEqual([2, expect.stringMatching(/^REPRISE_PRICES: .*newcomers\.test\.ts is no JSON: /)]);
});

test('a Node that was fetched runs the test of a tool, also where the cache is behind a link', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'reprise-linked-'));
  symlinkSync(dirname(process.execPath), join(folder, 'reprise'));
  const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()];
  const env = { npm_command: 'exec', XDG_CACHE_HOME: folder };
  await run(['init', '.', '--kind', 'agent'], { stdin, stdout, stderr, env, cwd: folder });
  expect(String(stdout.read())).toContain(`${process.execPath} --test tools/prices.test.ts`);
  rmSync(folder, { recursive: true });
});

test.each([
  [
    'REPRISE_ENCRYPTION_KEYS',
    "REPRISE_ENCRYPTION_KEYS is no variable of Reprise's; did you mean REPRISE_ENCRYPTION_KEY?\n",
  ],
  ['REPRISE_HOEM', "REPRISE_HOEM is no variable of Reprise's; did you mean REPRISE_HOME?\n"],
  ['REPRISE_MODEL', ''],
  ['REPRISE_FROM', ''],
])('of the variable %s a command says: %s', async (name, line) => {
  const [status, said] = await told(['validate', 'none.yaml'], { [name]: 'offline' });
  expect([status, said]).toEqual([2, `${line}none.yaml: no such file\n`]);
});

test('an answer needs no quotes', async () => {
  const nowhere = { REPRISE_HOME: '/nowhere/at/all', TEMPORAL_ADDRESS: '127.0.0.1:1' };
  expect(await told(['answer', 'q1', 'Dark', 'mode', 'please'], nowhere)).toEqual([3, expect.any(String)]);
});
