import {
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { findOrchestrators, nodeImports, textOf } from '../../src/config/extensions.ts';
import { keptBundle, workflowBundle } from '../../src/worker/workflow-bundle.ts';
import { folderOf, orchestrator } from '../support/extensions.ts';

function placesOf(files: Record<string, string>): { home: string; folder: string } {
  const places = { home: mkdtempSync(join(tmpdir(), 'reprise-bundles-')), folder: folderOf(files) };
  onTestFinished(() => {
    for (const each of Object.values(places)) rmSync(each, { recursive: true, force: true });
  });
  return places;
}

async function bundleOf({ home, folder }: { home: string; folder: string }) {
  let isMade = false;
  const bundle = await workflowBundle(home, folder, () => {
    isMade = true;
  });
  return { ...bundle, isMade };
}

// NAME stands for the name, so that no worker takes this file itself for one.
test.each([
  ['a function', 'export async function NAME() {}', true],
  ['a plain function', 'export function NAME(text) {}', true],
  ['a constant', 'export const NAME: HandleText = async () => {};', true],
  ['a list', 'const NAME = 1;\nexport { other, NAME };', true],
  ['a list under another name', "export { run as NAME } from './run.ts';", true],
  ['a longer name', 'export const NAMEUpdate = 1;', false],
  ['no export', 'async function NAME() {}', false],
])('an orchestrator is recognised by what its file exports: %s', (_, text, isOne) => {
  const { folder } = placesOf({ 'mine.ts': text.replaceAll('NAME', 'handleText') });
  expect(findOrchestrators(folder)).toEqual(isOne ? ['./mine.ts'] : []);
});

test('packages, hidden folders, declarations and other files are left aside', () => {
  const text = orchestrator('');
  const { folder } = placesOf({
    'a.ts': text,
    'b.mts': text,
    'deep/er/c.js': text,
    'd.mjs': text,
    'e.d.ts': text,
    'f.md': text,
    '.hidden/g.ts': text,
    'node_modules/h/index.js': text,
  });
  expect(findOrchestrators(folder)).toEqual(['./a.ts', './b.mts', './d.mjs', './deep/er/c.js']);
});

test('of this clone nothing is bundled but its examples: each other file would cost a newcomer seconds', () => {
  const bundled = findOrchestrators('.').filter((file) => nodeImports(textOf(file)).length === 0);
  expect(bundled.filter((file) => !/^\.\/(?:examples|templates)\//.test(file))).toEqual([]);
});

test('a folder that does not exist has no orchestrators', () => {
  expect(findOrchestrators(join(tmpdir(), 'reprise-nowhere'))).toEqual([]);
});

test('without orchestrators, the bundle is that of the sources, and its map does not repeat their texts', async () => {
  const places = placesOf({ 'other.ts': 'export const x = 1;\n' });
  const first = await bundleOf(places);
  expect(first).toEqual({
    codePath: keptBundle(places.home),
    hash: '',
    orchestrators: { names: [], leftOut: {} },
    isMade: true,
  });
  expect(await bundleOf(places)).toEqual({ ...first, isMade: false });
  const map = readFileSync(first.codePath, 'utf8').split('base64,').at(-1) ?? '';
  expect(Object.keys(JSON.parse(Buffer.from(map, 'base64').toString()))).not.toContain('sourcesContent');
});

// One after the other, since each bundle takes two seconds of the processor, and one that fails is made again without the file.
test('a bundle is kept until a file that it was made from changes, goes or comes, also in a home that is reached through a link; what was left out is not tried again until what it lacked is there', async () => {
  const { home, folder } = placesOf({
    'good.ts': orchestrator('return "good";'),
    'mine.ts': orchestrator('return help;', "import { help } from './help.ts';\n"),
    'other.ts': 'export const x = 1;\n',
  });
  const places = { home: `${home}-link`, folder };
  symlinkSync(home, places.home);
  onTestFinished(() => unlinkSync(places.home));
  const change = (name: string, text: string): void => writeFileSync(join(places.folder, name), text);
  const first = await bundleOf(places);
  expect(first).toMatchObject({ isMade: true, orchestrators: { names: ['./good.ts'] } });
  expect(first.orchestrators.leftOut['./mine.ts']).toContain("Can't resolve './help.ts'");
  const madeAt = statSync(first.codePath).mtimeMs;
  expect(await bundleOf(places)).toEqual({ ...first, isMade: false });
  change('other.ts', 'export const x = 2;\n');
  expect(await bundleOf(places)).toEqual({ ...first, isMade: false });
  expect(statSync(first.codePath).mtimeMs).toBe(madeAt);
  const both = { names: ['./good.ts', './mine.ts'], leftOut: {} };
  change('help.ts', "export const help = 'one';\n");
  expect(await bundleOf(places)).toMatchObject({ isMade: true, orchestrators: both });
  expect(await bundleOf(places)).toMatchObject({ isMade: false, orchestrators: both });
  change('help.ts', "export const help = 'two';\n");
  expect(await bundleOf(places)).toMatchObject({ isMade: true, orchestrators: both });
  change('more.ts', orchestrator('return "more";'));
  const all = ['./good.ts', './mine.ts', './more.ts'];
  expect(await bundleOf(places)).toMatchObject({ isMade: true, orchestrators: { names: all } });
  unlinkSync(join(places.folder, 'help.ts'));
  expect((await bundleOf(places)).orchestrators.names).toEqual(['./good.ts', './more.ts']);
});

test('what imports modules of Node by itself is left out without being bundled, until it no longer does, and what names a loader of webpack, which is not run: agents may have written both', async () => {
  const places = placesOf({
    'snapshots/run/final/mine.ts': orchestrator("return 'x';", "import '!!./loader.cjs!./text.js';"),
    'snapshots/run/final/loader.cjs': `module.exports = () => { require('node:fs').writeFileSync(__dirname + '/run', ''); return ''; };`,
    'snapshots/run/final/text.js': '',
    // The compiler would read which plugins to run here.
    '.swcrc': 'not JSON',
    'good.ts': orchestrator("return 'x';", "import type { Stats } from 'node:fs';\n"),
    'script.ts': orchestrator(
      'return help;',
      "import {\n  join,\n} from 'node:path';\nimport 'node:fs';\nimport './help.ts';\n",
    ),
  });
  const { orchestrators } = await bundleOf(places);
  expect(orchestrators.names).toEqual(['./good.ts']);
  expect(orchestrators.leftOut).toEqual({
    './script.ts': expect.stringContaining('it imports node:fs, node:path, which') as string,
    './snapshots/run/final/mine.ts': expect.stringContaining('names a loader') as string,
  });
  expect(existsSync(join(places.folder, 'snapshots/run/final/run'))).toBe(false);
  writeFileSync(join(places.folder, 'script.ts'), orchestrator("return 'x';"));
  expect((await bundleOf(places)).orchestrators.names).toEqual(['./good.ts', './script.ts']);
});
