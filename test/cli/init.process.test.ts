import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Ajv } from 'ajv';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { jsonSchemaOf, schemaId } from '../../src/config/json-schema.ts';
import type { Kind } from '../../src/config/kinds.ts';
import { hasTerminals, Home } from '../support/cli.ts';

let home: Home;
beforeAll(async () => {
  home = await Home.make();
  await home.upHere();
});
afterAll(() => home.remove());

const read = (file: string): string => readFileSync(join(home.folder, file), 'utf8');

/** The words after `reprise` in a line of the commands that `init` names. */
const wordsOf = (line: string): string[] =>
  [...line.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? '').slice(1);

/** Runs the test of a tool as a person does who has just this Node. */
function runToolTest(file: string) {
  const { status, stdout, stderr } = spawnSync(process.execPath, ['--test', '--test-reporter=tap', file], {
    cwd: home.folder,
    encoding: 'utf8',
    env: { PATH: process.env['PATH'] },
  });
  return { status, passed: /^# pass (\d+)$/m.exec(stdout)?.[1], stderr };
}

const kinds: Array<[kind: Kind, command: string, answer: RegExp]> = [
  ['team', 'ask', /slips under load\..*\nLock a bicycle by its frame/],
  ['agent', 'chat', /part: chain, euros: 35 \(get_repair_price\)/],
  ['research', 'research', /## What was found\n\nCustomers have asked for bicycles for a whole week/],
  ['plan', 'solve', /part: chain, euros: 35 \(get_repair_price\)\n.*slips under load/],
];

describe('what is written is valid, runs at once with the offline model, and its tool is tested', () => {
  test.for(kinds)('%s', async ([kind, command, answer]) => {
    const { status, stdout, stderr } = await home.run(['init', kind, '--kind', kind]);
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    const [toValidate = '', toRun = '', toTest = ''] = (stdout.split('Next:\n')[1] ?? '').split('\n');
    expect(toRun).toMatch(new RegExp(`^ {2}reprise ${command} --config ${kind}/${kind}.yaml "`));

    const file = read(`${kind}/${kind}.yaml`);
    expect(file).toMatch(new RegExp(`^# yaml-language-server: \\$schema=${schemaId(kind)}\n`));
    expect(file).toContain(toRun.trim());
    const validate = new Ajv({ allowUnionTypes: true, formats: { uri: (text) => URL.canParse(text) } }).compile(
      jsonSchemaOf(kind),
    );
    validate(parse(file));
    expect(validate.errors ?? []).toEqual([]);

    const validated = await home.run(wordsOf(toValidate.trim()));
    expect({ status: validated.status, stderr: validated.stderr }).toEqual({ status: 0, stderr: '' });
    const run = await home.run(wordsOf(toRun.trim()));
    expect({ status: run.status, stdout: run.stdout }).toEqual({
      status: 0,
      stdout: expect.stringMatching(answer) as string,
    });

    const toolTest = / --test (\S+)$/.exec(toTest)?.[1] ?? '';
    expect(runToolTest(toolTest)).toEqual({ status: 0, passed: '2', stderr: '' });
  });
});

test.for(['module', 'commonjs'])('what is written compiles in a strict project of %s modules', async (type) => {
  const folder = join(home.folder, `strict-${type}`);
  mkdirSync(folder);
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ type }));
  await home.run(['init', `strict-${type}`, '--kind', 'agent']);
  const compilerOptions = {
    module: 'nodenext',
    target: 'es2024',
    strict: true,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    noPropertyAccessFromIndexSignature: true,
    verbatimModuleSyntax: true,
    types: ['node'],
    typeRoots: [fileURLToPath(new URL('../../node_modules/@types', import.meta.url))],
    rootDir: '.',
    outDir: 'out',
  };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions }));
  const compiler = fileURLToPath(new URL('../../node_modules/typescript/bin/tsc', import.meta.url));
  const { status, stdout } = spawnSync(process.execPath, [compiler, '-p', folder], { encoding: 'utf8' });
  expect({ status, stdout }).toEqual({ status: 0, stdout: '' });
});

test('the model is the one that is named, or the one whose key is set; a missing key is named', async () => {
  const named = await home.run(['init', 'named', '--kind', 'team', '--model', 'anthropic/claude-sonnet-5-5']);
  expect(named.stdout).toContain('Model: claude claude-sonnet-5-5, which needs ANTHROPIC_API_KEY\n');
  expect(read('named/team.yaml').match(/^ {4}backend: \{ type: claude, model: claude-sonnet-5-5 \}$/gm)).toHaveLength(
    2,
  );
  const keyed = await home.run(['init', 'keyed', '--kind', 'agent'], { GEMINI_API_KEY: 'k' });
  expect(keyed.stdout).toMatch(/^Model: gemini gemini-\S+$/m);
  expect(read('keyed/agent.yaml')).toMatch(/- module: GoogleLLM\n {4}id: llm\n {4}config: \{ model: gemini-\S+ \}/);
  for (const file of ['named/team.yaml', 'keyed/agent.yaml'])
    expect(await home.run(['validate', file])).toMatchObject({ status: 0 });
});

test('a real model is offered the tool, and gets its result', async () => {
  const own = await Home.withModel(({ messages }) => {
    const result = messages.find(({ role }) => role === 'tool');
    if (result !== undefined) return { text: `It says ${result.text}` };
    return { calls: [{ name: 'get_repair_price', arguments: { part: 'tyre' } }] };
  });
  await own.upHere();
  await own.run(['init', '--kind', 'agent']);
  const { stdout } = await own.run(['chat', '--config', 'agent.yaml', 'How much is a tyre?']);
  expect(stdout).toBe('It says {"part":"tyre","euros":19}\n');
  await own.remove();
});

describe('nothing is overwritten', () => {
  test('status 2, what is there already is named, and nothing is written', async () => {
    mkdirSync(join(home.folder, 'mine', 'tools'), { recursive: true });
    writeFileSync(join(home.folder, 'mine', 'tools', 'prices.ts'), 'mine');
    const { status, stdout, stderr } = await home.run(['init', 'mine', '--kind', 'plan']);
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
    expect(stderr).toBe('Nothing is overwritten, and there is already: mine/tools/prices.ts\n');
    expect(read('mine/tools/prices.ts')).toBe('mine');
    expect(readdirSync(join(home.folder, 'mine'))).toEqual(['tools']);
  });

  test('not by a second init either', async () => {
    await home.run(['init', 'twice', '--kind', 'agent']);
    const { status, stderr } = await home.run(['init', 'twice', '--kind', 'agent']);
    expect(status).toBe(2);
    expect(stderr).toContain(
      'twice/agent.yaml, twice/tools/prices.ts, twice/tools/prices.test.ts, twice/notes/shop.md',
    );
  });
});

test('in a package of CommonJS modules, as `npm init` makes it, tools are ES modules all the same', async () => {
  mkdirSync(join(home.folder, 'package'));
  writeFileSync(join(home.folder, 'package', 'package.json'), '{ "type": "commonjs" }');
  await home.run(['init', 'package/agents', '--kind', 'agent']);
  expect(runToolTest('package/agents/tools/prices.test.ts')).toMatchObject({ status: 0, passed: '2' });
  const { stdout } = await home.run([
    'chat',
    '--config',
    'package/agents/agent.yaml',
    'What is the repair price of a tyre?',
  ]);
  expect(stdout).toContain('part: tyre, euros: 19');
});

test('the first tool of docs/tools.md runs as it is printed there, in an empty folder', async () => {
  const text = readFileSync(new URL('../../docs/tools.md', import.meta.url), 'utf8');
  const [, config = '', tool = '', words = '', answer = ''] =
    /```yaml\n([^]*?)```[^]*?```ts\n([^]*?)```[^]*?\$ (npx reprise .*)\n(?:(?!```)[^])*\n…\n(.*)\n…\n```/.exec(text) ??
    [];
  mkdirSync(join(home.folder, 'documented', 'tools'), { recursive: true });
  writeFileSync(join(home.folder, 'documented', 'agent.yaml'), config);
  writeFileSync(join(home.folder, 'documented', 'tools', 'weather.ts'), tool);
  const { stdout } = await home.run(wordsOf(words.replace('npx ', '').replace('agent.yaml', 'documented/agent.yaml')));
  expect(stdout.split('\n')[0]).toBe(answer);
});

test('an unknown kind or model is wrong usage, and nothing is written', async () => {
  const wrong: Array<[words: string[], said: RegExp]> = [
    [['--kind', 'taem'], /Allowed choices are team, agent, research, plan/],
    [['--model', 'gpt'], /"gpt" names no model/],
  ];
  for (const [words, said] of wrong) {
    const { status, stderr } = await home.run(['init', 'wrong', ...words]);
    expect(status).toBe(2);
    expect(stderr).toMatch(said);
  }
  expect(existsSync(join(home.folder, 'wrong'))).toBe(false);
});

test('without a terminal and without --kind it is a team', async () => {
  expect((await home.run(['init', 'unasked'])).stdout).toContain('unasked/team.yaml');
});

describe.runIf(hasTerminals)('on a terminal', () => {
  test('it asks for the kind, once more if the answer is none', async () => {
    const init = home.startOnTerminal(['init', 'asked']);
    await init.says(/4 {2}A plan[^]*Enter: 1\): /);
    expect(init.stderr.split('\r\n').filter((line) => line.length >= 80)).toEqual([]);
    init.type('5\r');
    await init.says(/(?:Enter: 1\): [^]*){2}/);
    init.type('3\r');
    expect(await init.finished).toMatchObject({
      status: 0,
      stdout: expect.stringContaining('asked/research.yaml') as string,
    });
  });

  test('Ctrl-C: nothing is written', async () => {
    const init = home.startOnTerminal(['init', 'left']);
    await init.says(/Enter: 1\): /);
    init.type('\u0003');
    expect((await init.finished).status).toBe(130);
    expect(existsSync(join(home.folder, 'left'))).toBe(false);
  });
});
