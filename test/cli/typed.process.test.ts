import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { printedCommands } from '../support/printed-commands.ts';

const root = resolve(fileURLToPath(new URL('../..', import.meta.url)));
const folder = mkdtempSync(join(tmpdir(), 'reprise-where-'));
const [local, global] = [join(folder, 'local'), join(folder, 'global')];
afterAll(() => rmSync(folder, { recursive: true }));

/** What a person has who has not been called by npm, but for a Node that is new enough. */
function environment(path: string[]): NodeJS.ProcessEnv {
  const { HOME, PATH = '' } = process.env;
  const own = PATH.split(delimiter).filter((each) => !each.includes('node_modules'));
  return {
    HOME,
    PATH: [...path, dirname(process.execPath), ...own].join(delimiter),
    REPRISE_HOME: join(folder, 'home'),
    TEMPORAL_ADDRESS: inject('temporal').address,
  };
}

const run = (cwd: string, program: string, ...words: string[]): string =>
  execFileSync(program, words, { cwd, env: environment([]), encoding: 'utf8' });

/** Packs what a release would hold, and has npm install it in both ways. Its dependencies are those of the clone. */
beforeAll(() => {
  const staged = join(folder, 'staged');
  const {
    dependencies,
    scripts: _,
    ...manifest
  } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    dependencies: Record<string, string>;
    scripts: object;
  };
  for (const name of ['bin', 'examples', 'schemas', 'src', 'templates'])
    cpSync(join(root, name), join(staged, name), { recursive: true });
  writeFileSync(join(staged, 'package.json'), JSON.stringify(manifest));
  const tsc = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
  // Types are checked elsewhere, and without them no file needs to know another one.
  const plain = ['--noCheck', '--noResolve', '--types', '', '--declaration', 'false'];
  run(root, process.execPath, tsc, '-p', 'tsconfig.build.json', ...plain, '--outDir', join(staged, 'dist'));
  const packed = join(staged, run(staged, 'npm', 'pack', '--silent').trim());
  mkdirSync(local);
  writeFileSync(join(local, 'package.json'), '{"private": true}');
  run(local, 'npm', 'install', '--offline', '--no-audit', packed);
  run(folder, 'npm', 'install', '--offline', '--no-audit', '--global', '--prefix', global, packed);
  for (const modules of [join(local, 'node_modules'), join(global, 'lib', 'node_modules')])
    for (const name of Object.keys(dependencies)) {
      mkdirSync(dirname(join(modules, name)), { recursive: true });
      symlinkSync(join(root, 'node_modules', name), join(modules, name));
    }
});

const places: Array<[where: string, cwd: string, path: string[], begins: string]> = [
  ['in a clone', root, [], 'npx reprise'],
  ['with a local package', local, [], 'npx reprise'],
  ['with a global package', folder, [join(global, 'bin')], 'reprise'],
];
test.for(places)('%s what is printed runs as it is printed', ([where, cwd, path, begins]) => {
  const shop = join(folder, where.replaceAll(' ', '-'));
  const type = (line: string): string =>
    execFileSync('sh', ['-c', `(${line}) 2>&1`], { cwd, env: environment(path), encoding: 'utf8' });
  // What an error prints.
  const [, up = ''] = /start one here: (.* up)$/m.exec(type(`${begins} list --temporal 127.0.0.1:1 || true`)) ?? [];
  const help = type(`${up} --help`);
  expect(help).toContain(`Usage: ${begins} up [options]`);
  expect(help).toMatch(new RegExp(`^  ${begins} up `, 'm'));
  // What a command prints, and has written.
  const [validate = '', ask = ''] = (type(`${begins} init ${shop} --kind team`).split('Next:\n')[1] ?? '').split('\n');
  expect(type(validate)).toContain('team.yaml is valid.');
  expect(readFileSync(join(shop, 'team.yaml'), 'utf8')).toContain(ask.trim());
  expect(ask).toContain(`  ${begins} ask --config `);
});

test("Temporal's CLI takes each of its commands that is printed, but for those of Temporal Cloud, which are an extension", async () => {
  const printed = (await printedCommands()).filter(({ text }) => /^temporal (?!cloud )/.test(text));
  expect(printed).not.toEqual([]);
  const env = environment([dirname(inject('temporal').cli)]);
  for (const { text } of printed) expect(() => execFileSync('sh', ['-c', text], { env })).not.toThrow();
});
