import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { buildProgram } from '../../src/cli/program.ts';
import { Shell } from '../../src/cli/shell.ts';
import { parseConfig } from '../../src/config/read-config.ts';
import { blocksOf, isCommands, nameOf, pages, readPage, reasons, stepsOf, type Block } from './blocks.ts';
import { linkModules } from './page-folder.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const all = pages.flatMap(readPage);
const inLanguage = (...languages: string[]): Block[] => all.filter(({ language }) => languages.includes(language));

test('every block is one of commands or says its language, so that none is left out unseen', () => {
  const known = ['sh', 'bash', 'console', 'yaml', 'json', 'ts', 'mermaid', 'text'];
  const stray = all.filter((block) => !isCommands(block) && !known.includes(block.language));
  expect(stray.map(({ place }) => `${place}: label it, \`text\` if it is none of ${known.join(', ')}`)).toEqual([]);
});

describe('a block that is not run', () => {
  const notRun = all.filter((block) => block.notRun !== undefined);

  test('says why, with a reason of the list', () => {
    const stray = notRun.filter((block) => !reasons.includes(block.notRun ?? ''));
    expect(stray.map(({ notRun: reason, place }) => `${place}: "${reason}" is none of ${reasons.join(', ')}`)).toEqual(
      [],
    );
  });

  test.each(notRun.filter(isCommands).flatMap(stepsOf))('$place names what there is: $command', ({ command }) => {
    const words = wordsOf(nameOf(command));
    const scripts = Object.keys(
      (JSON.parse(readFileSync(`${root}package.json`, 'utf8')) as { scripts: object }).scripts,
    );
    const [first, second = '', third = ''] = words;
    const name = second === 'run' ? third : second;
    if (first === 'npm' && (second === 'run' || scripts.includes(second))) expect(scripts).toContain(name);
    if (first === 'node') expect(existsSync(`${root}${second}`)).toBe(true);
    // Another program may be told what to start: `claude mcp add reprise -- npx reprise serve --mcp-stdio`.
    const own = words.findIndex((word, at) => word === 'reprise' && (at === 0 || words[at - 1] === 'npx'));
    if (own !== -1) parseCommand(words.slice(own + 1));
  });
});

/** The words of a command as a shell would pass them on, without variables before it and a redirection behind it. */
function wordsOf(command: string): string[] {
  const bare = command.replace(/^(?:[A-Z_]+=\S* )*/, '').replace(/ [>|<].*$/, '');
  return [...bare.matchAll(/'([^']*)'|"([^"]*)"|(\S+)/g)].map(
    ([, ...texts]) => texts.find((text) => text !== undefined) ?? '',
  );
}

/** Reads a command line as the program does, and does nothing. @throws where the program would refuse it */
function parseCommand(words: string[]): void {
  const { stdin, stdout, env } = process;
  const program = buildProgram(new Shell({ stdin, stdout, stderr: new PassThrough(), env, cwd: process.cwd() }));
  for (const command of program.commands) command.action(() => {});
  program.parse(words, { from: 'user' });
}

test('a command line with an option that there is not is refused', () => {
  expect(() => parseCommand(['ask', '--no-such-option', 'A task'])).toThrow("unknown option '--no-such-option'");
});

/** What a YAML block may be: a configuration, or the part of one that an agent, a module or a backend has. */
const asConfig = [
  (text: string) => text,
  (text: string) => `agents:\n  - id: a\n${indented(text, 4)}`,
  (text: string) =>
    `agents:\n  - id: a\n    backend:\n${indented(text.replace(/^backend:\n/, ''), text.startsWith('backend:') ? 4 : 6)}`,
  (text: string) =>
    'modules:\n  - { id: llm, module: OfflineLLM }\n  - { id: loop, module: SimpleToolOrchestrator }\n' +
    `  - id: tools\n    module: MCPToolProvider\n    config:\n${indented(text, 6)}\n` +
    'exchange:\n  - { module: loop, protocol: LLMProtocol, provider: llm }\n' +
    '  - { module: loop, protocol: ToolProviderProtocol, provider: tools }\n' +
    '  - { module: __entry__, protocol: TextMessageHandlerProtocol, provider: loop }\n',
];

const indented = (text: string, by: number): string => text.replaceAll(/^(?=.)/gm, ' '.repeat(by));

test.each(inLanguage('yaml'))('$place is a valid configuration, or a part of one', ({ text }) => {
  const read = asConfig.map((wrap) => parseConfig(wrap(text), 'block.yaml'));
  const problems = read.map((each) => (each.ok ? [] : each.problems));
  if (problems.every((each) => each.length > 0)) expect.fail(problems.map((each) => each.join('\n')).join('\n\n'));
});

test.each(inLanguage('json'))('$place is JSON', ({ text }) => {
  JSON.parse(text);
});

test('all programs are free of errors of type', () => {
  const folder = mkdtempSync(join(tmpdir(), 'reprise-types-'));
  linkModules(folder);
  const { compilerOptions } = JSON.parse(readFileSync(`${root}tsconfig.json`, 'utf8')) as { compilerOptions: object };
  // What a result holds is shown, and not used.
  const options = { ...compilerOptions, noUnusedLocals: false, declaration: false };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions: options, include: ['*.ts'] }));
  writeFileSync(join(folder, 'package.json'), '{"type": "module"}');
  for (const { place, text } of inLanguage('ts'))
    writeFileSync(join(folder, `${place.replaceAll(/[/:]/g, ' ')}.ts`), `${text}\nexport {};\n`);
  const compiler = join(root, 'node_modules/typescript/bin/tsc');
  const { status, stdout } = spawnSync(process.execPath, [compiler, '-p', folder], { encoding: 'utf8' });
  rmSync(folder, { recursive: true, force: true });
  expect({ status, stdout }).toEqual({ status: 0, stdout: '' });
});

describe('a page is read', () => {
  test('a block has its place, its language and the reason before it', () => {
    const text =
      '# A\n\n<!-- not run: needs Docker -->\n\n```sh\ndocker compose up\n```\n\n- In a list:\n\n  ```\n  a\n    b\n  ```\n';
    expect(blocksOf(text, 'a.md')).toEqual([
      { place: 'a.md:6', language: 'sh', text: 'docker compose up', notRun: 'needs Docker' },
      { place: 'a.md:12', language: '', text: 'a\n  b' },
    ]);
  });

  test.each([
    ['npm start\n# a comment\n\nnpm start -- x', [['npm start'], ['npm start -- x']]],
    ['reprise ask \\\n  "x"', [['reprise ask \\\n  "x"']]],
    ["cat > a.yaml <<'EOF'\na: 1\nEOF\ncat a.yaml", [["cat > a.yaml <<'EOF'\na: 1\nEOF"], ['cat a.yaml']]],
    [
      'reprise chat "What\'s"   # a person\'s words\nreprise up',
      [['reprise chat "What\'s"   # a person\'s words'], ['reprise up']],
    ],
    ["echo 'a\nb'", [["echo 'a\nb'"]]],
    [
      '$ a\n1\n$ b \\\n  c\n\n2',
      [
        ['a', ['1']],
        ['b \\\n  c', ['', '2']],
      ],
    ],
  ])('%j is its commands with what they print', (text, steps) => {
    const found = stepsOf({ place: 'a.md:1', language: '', text });
    expect(found.map(({ command, shown }) => (shown === undefined ? [command] : [command, shown]))).toEqual(steps);
  });
});
