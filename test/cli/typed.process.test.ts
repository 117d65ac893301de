import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, test } from 'vitest';

const root = resolve(fileURLToPath(new URL('../..', import.meta.url)));
const bin = join(root, 'bin', 'reprise.mjs');
const folder = mkdtempSync(join(tmpdir(), 'reprise-where-'));
afterAll(() => rmSync(folder, { recursive: true }));

const local = join(folder, 'local');
const global = join(folder, 'global');
mkdirSync(join(local, 'node_modules', '.bin'), { recursive: true });
symlinkSync(root, join(local, 'node_modules', 'reprise'));
symlinkSync(join('..', 'reprise', 'bin', 'reprise.mjs'), join(local, 'node_modules', '.bin', 'reprise'));
mkdirSync(global);
symlinkSync(bin, join(global, 'reprise'));

/** What a person has who has not been called by npm, but for a Node that is new enough. */
function environment(path: string[]): NodeJS.ProcessEnv {
  const { HOME, PATH = '' } = process.env;
  const own = PATH.split(delimiter).filter((each) => !each.includes('node_modules'));
  return {
    HOME,
    PATH: [...path, dirname(process.execPath), ...own].join(delimiter),
    REPRISE_HOME: join(folder, 'home'),
  };
}

const places: Array<[where: string, cwd: string, path: string[], begins: string]> = [
  ['in a clone', root, [], 'npx reprise'],
  ['with a local package', local, [], 'npx reprise'],
  ['with a global package', folder, [global], 'reprise'],
];
test.for(places)('%s what is printed runs as it is printed', ([where, cwd, path, begins]) => {
  const shop = join(folder, where.replaceAll(' ', '-'));
  const type = (line: string): string =>
    execFileSync('sh', ['-c', `(${line}) 2>&1`], { cwd, env: environment(path), encoding: 'utf8' });
  const help = type(`${begins} --help`);
  expect(help).toContain(`Usage: ${begins} [options] [command]`);
  expect(help).toContain(`  ${begins} watch ask-x3f9k2m7`);
  // What an error prints.
  const [, up = ''] = /start one here: (.* up)$/m.exec(type(`${begins} list || true`)) ?? [];
  expect(type(`${up} --help`)).toContain(`Usage: ${begins} up [options]`);
  // What a command prints, and has written.
  const [validate = '', run = ''] = (type(`${begins} init ${shop} --kind team`).split('Next:\n')[1] ?? '').split('\n');
  expect(type(validate)).toContain('team.yaml is valid.');
  expect(type(`cat ${join(shop, 'team.yaml')}`)).toContain(run.trim());
  expect(run).toContain(`  ${begins} ask --config `);
});
