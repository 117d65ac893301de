import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { EventEmitter } from 'node:events';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { PassThrough } from 'node:stream';
import { fileURLToPath } from 'node:url';
import type { Command } from 'commander';
import { afterAll, expect, test } from 'vitest';
import { examples } from '../../src/cli/examples.ts';
import { buildProgram } from '../../src/cli/program.ts';
import { programWord, withProgramWord } from '../../src/cli/program-word.ts';
import { Shell } from '../../src/cli/shell.ts';

const root = resolve(fileURLToPath(new URL('../..', import.meta.url)));
const bin = join(root, 'bin', 'reprise.mjs');
const folder = mkdtempSync(join(tmpdir(), 'reprise-typed-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** A folder with a link to this program, or to another one of its name. */
function withProgram(name: string, target = bin): string {
  const path = join(folder, name);
  mkdirSync(path, { recursive: true });
  symlinkSync(target, join(path, 'reprise'));
  return path;
}

const local = withProgram('local/node_modules/.bin');
const global = withProgram('global');
const other = withProgram('other', process.execPath);
const project = join(folder, 'local');
const nowhere = join(folder, 'nowhere');

const surroundings: Array<[where: string, cwd: string, env: Record<string, string>, word: string]> = [
  ['in a clone', root, {}, 'npx reprise'],
  ['in a folder of a clone', join(root, 'docs'), {}, 'npx reprise'],
  ['beside a local package', project, {}, 'npx reprise'],
  ['in a folder beside it, by npx', join(project, 'src'), { PATH: local, npm_execpath: 'npm' }, 'npx reprise'],
  ['with a global package', nowhere, { PATH: global }, 'reprise'],
  ['with a global one in a clone', root, { PATH: global }, 'reprise'],
  ['in a clone with another version that is global', root, { PATH: other }, 'npx reprise'],
  ['where the PATH has the local package', project, { PATH: local }, 'reprise'],
  ['by npx without a package', nowhere, { npm_command: 'exec' }, 'npx reprise'],
  ['by its path alone', nowhere, {}, `node ${bin}`],
];
test.for(surroundings)('%s the program is called by what can be typed there', ([, cwd, env, word]) => {
  expect(programWord({ cwd, env })).toBe(word);
});

test('commands in a text are called so, and no other words are', () => {
  const text =
    'Try reprise show x, "npx reprise ask", `reprise up`; une reprise de la vie, /bin/reprise ask, reprise-ask';
  expect(withProgramWord(text, 'W')).toBe(
    'Try W show x, "W ask", `W up`; une reprise de la vie, /bin/reprise ask, reprise-ask',
  );
});

/** The command lines in the texts of a source file or a template, without what only the shell reads. */
function commandLines(text: string): string[] {
  const names = Object.keys(examples).join('|');
  const found = text
    .split('\n')
    .filter((line) => !/^\s*(?:\/?\*|\/\/)/.test(line))
    .flatMap((line) => [
      ...line.matchAll(new RegExp(String.raw`(?<![\w./@-])reprise (?:${names})(?![\w-])[^\n]*`, 'g')),
    ]);
  return found.map(([line]) => line);
}

/** The words of a command line up to where the text around it goes on. */
function wordsOf(line: string): string[] {
  const plain = line.replaceAll(/\$\{(?:[^{}]|\{[^{}]*\})*\}/g, 'x');
  const words: string[] = [];
  for (const [word, double, single] of plain.matchAll(/"([^"]*)"|'([^']*)'|[^\s"'`\\]+|["'`\\]/g)) {
    if (/^(?:[`|<>\\]|["']$)/.test(word)) break;
    words.push(double ?? single ?? word.replace(/[),.;:]+$/, ''));
    if (/[),;:.]$/.test(word) && double === undefined && single === undefined) break;
  }
  return words.slice(1);
}

/** The problem that the program's own parser has with a command line; undefined for none. */
async function problemOf(words: string[]): Promise<string | undefined> {
  const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()];
  const shell = new Shell({ stdin, stdout, stderr, env: {}, cwd: root, signals: new EventEmitter() });
  const program = buildProgram(shell);
  const silent = (command: Command): void => void command.action(() => {});
  program.commands.forEach(silent);
  try {
    await program.parseAsync(words, { from: 'user' });
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

const all = [
  ...Object.values(examples).flat(),
  ...['src', 'templates'].flatMap((name) =>
    readdirSync(join(root, name), { recursive: true, encoding: 'utf8' })
      .filter((file) => /\.(?:ts|yaml)$/.test(file) && !file.endsWith('examples.ts'))
      .flatMap((file) => commandLines(readFileSync(join(root, name, file), 'utf8'))),
  ),
];

test('the program parses every command line that a help text or a message has', async () => {
  expect(all.length).toBeGreaterThan(90);
  const problems: string[] = [];
  for (const line of all) {
    const words = wordsOf(line.slice(line.indexOf('reprise ')));
    const problem = await problemOf(words);
    // What names a command alone says which one is meant, and not the whole line.
    if (problem !== undefined && words.length > 1) problems.push(`${line}: ${problem}`);
  }
  expect(problems).toEqual([]);
});

test('each command has examples, and there are none of others', () => {
  const shell = new Shell({
    stdin: new PassThrough(),
    stdout: new PassThrough(),
    stderr: new PassThrough(),
    env: {},
    cwd: root,
  });
  const commands = buildProgram(shell).commands.map((command) => command.name());
  expect(Object.keys(examples).toSorted()).toEqual(
    ['reprise', ...commands.filter((name) => name !== 'start')].toSorted(),
  );
});
