import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Command, CommanderError } from 'commander';
import { afterAll, expect, test } from 'vitest';
import { examples } from '../../src/cli/examples.ts';
import { buildProgram } from '../../src/cli/program.ts';
import { programWord, withProgramWord } from '../../src/cli/program-word.ts';
import { printedCommands, silentShell } from '../support/printed-commands.ts';
import { sourceTexts } from '../support/source-texts.ts';

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

/** The words of a command line up to where the text around it goes on. */
function wordsOf(line: string): string[] {
  const words: string[] = [];
  for (const [word, double, single] of line.matchAll(/"([^"]*)"|'([^']*)'|[^\s"'`\\]+|["'`\\]/g)) {
    if (/^(?:[`|<>\\]|["']$)/.test(word)) break;
    words.push(double ?? single ?? word.replace(/[),.;:]+$/, ''));
    if (/[),;:.]$/.test(word) && double === undefined && single === undefined) break;
  }
  return words.slice(1);
}

/** The problem that the program's own parser has with a command line; undefined for none. */
async function problemOf(words: string[]): Promise<string | undefined> {
  const program = buildProgram(silentShell());
  const silent = (command: Command): void => void command.action(() => {});
  program.commands.forEach(silent);
  try {
    await program.parseAsync(words, { from: 'user' });
    return undefined;
  } catch (error) {
    const { code, message } = error as CommanderError;
    return code === 'commander.helpDisplayed' ? undefined : message;
  }
}

const printed = await printedCommands();
const own = printed.filter(({ text }) => text.startsWith('reprise '));

test.for([
  ['in a clone', root, {}, 'npx reprise'],
  ['with a local package', project, {}, 'npx reprise'],
  ['with a global package', nowhere, { PATH: global }, 'reprise'],
] as const)(
  '%s the program parses every command line that a help text or a message has',
  async ([, cwd, env, word]) => {
    expect(programWord({ cwd, env })).toBe(word);
    expect(own.length).toBeGreaterThan(120);
    const problems: string[] = [];
    for (const { file, text } of own) {
      const typed = withProgramWord(text, word);
      const words = wordsOf(typed.slice(word.length - 'reprise'.length));
      const problem = typed.startsWith(`${word} `) ? await problemOf(words) : 'there is no such command';
      // What names a command alone says which one is meant, and not the whole line.
      if (problem !== undefined && words.length !== 1) problems.push(`${file}: ${typed}: ${problem}`);
    }
    expect(problems).toEqual([]);
  },
);

test('a text names no command but of this program, or one of Temporal, which test/cli/typed.process.test.ts runs', () => {
  expect(printed.filter(({ text }) => !/^(?:reprise|temporal) /.test(text))).toEqual([]);
});

test('each option that a text of the command line names is one of a command', () => {
  const options = buildProgram(silentShell()).commands.flatMap((command) => command.options.map(({ long }) => long));
  const named = sourceTexts
    .filter(({ file, text }) => file.startsWith('src/cli/') && !/^ *temporal |^ --address|--test/.test(text))
    .flatMap(({ file, text }) => [...text.matchAll(/(?<![\w-])--[a-z][\w-]*/g)].map(([option]) => ({ file, option })));
  expect(named.length).toBeGreaterThan(100);
  expect(named.filter(({ option }) => !['--help', '--version', ...options].includes(option))).toEqual([]);
});

test('what a command prints as JSON cannot steer the terminal', () => {
  const files = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' }).filter((name) =>
    /^cli.*\.ts$/.test(name),
  );
  const written = files.filter((name) =>
    /print\([^;]*JSON\.stringify/.test(readFileSync(join(root, 'src', name), 'utf8')),
  );
  expect(written).toEqual([]);
});

test('each command has examples, and there are none of others', () => {
  const commands = buildProgram(silentShell()).commands.map((command) => command.name());
  expect(Object.keys(examples).toSorted()).toEqual(
    ['reprise', ...commands.filter((name) => name !== 'start')].toSorted(),
  );
});
