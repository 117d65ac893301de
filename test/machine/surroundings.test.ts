import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

/**
 * Where a file of the command line uses what it must get from its `Shell`: the streams, variables, folder, words and signals
 * of the process, and its end. Comments do no harm.
 */
function usesOfProcess(file: string, text: string): string[] {
  const members = 'stdin|stdout|stderr|env|cwd|chdir|argv|exit|exitCode|kill|on|once|off|addListener|removeListener';
  const uses = new RegExp(
    `^(?!\\s*(?:\\*|/[/*])).*?(?:\\bprocess\\s*(?:\\?\\.|\\.|\\[['"])(?:${members})\\b|\\bprocess\\s*[;,)]|['"](?:node:)?process['"]|\\bconsole\\.)`,
    'gm',
  );
  return [...text.matchAll(uses)].map(
    ({ index }) =>
      `src/cli/${file}:${text.slice(0, index).split('\n').length}: takes from the process what \`Shell\` has`,
  );
}

test.each([
  ['a stream', "process.stderr.write('Hello');"],
  ['variables', 'const { HOME } = process.env;'],
  ['a variable', "const home = process?.env['HOME'];"],
  ['the folder', 'resolve(process.cwd(), file);'],
  ['the end', 'if (left) return process.exit(130);'],
  ['the status', 'process.exitCode = 1;'],
  ['a signal', "process.once('SIGINT', leave);"],
  ['several at once', 'const { env, stdin } = process;'],
  ['the process itself', "once(process, 'SIGINT');"],
  ['a member by its name', "process['stdout'].write('Hello');"],
  ['the module', "import { env } from 'node:process';"],
  ['the console', "console.error('Hello');"],
])('%s of the process is found', (_, line) => {
  expect(usesOfProcess('a.ts', `import type { Shell } from './shell.ts';\n${line}\n`)).toEqual([
    'src/cli/a.ts:2: takes from the process what `Shell` has',
  ]);
});

test.each([
  ['what a shell has', "shell.stderr.write(shell.env['HOME']);"],
  ['what holds for the machine', "const node = process.platform === 'win32' ? '' : process.execPath;"],
  ['a comment', '/** By `process.env`. */\n * process.exit(1)\n// process.cwd()'],
  ['a process of its own', "child.kill('SIGINT');"],
])('%s is none of it', (_, text) => {
  expect(usesOfProcess('a.ts', text)).toEqual([]);
});

test('the command line takes nothing from the process but in its entry, so that it can be called as a function', () => {
  const files = readdirSync('src/cli', { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'));
  const uses = (file: string): string[] => usesOfProcess(file, readFileSync(join('src/cli', file), 'utf8'));
  expect(uses('main.ts')).not.toEqual([]);
  expect(files.filter((file) => file !== 'main.ts').flatMap(uses)).toEqual([]);
});
