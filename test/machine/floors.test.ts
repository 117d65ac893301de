import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { floors, importsBack } from '../../scripts/check-floors.ts';

test.each([
  ['a value', 'store/a.ts', "\nimport { x } from '../models/b.ts';", /^src\/store\/a\.ts:2: store .*models/],
  ['a type', 'store/a.ts', "import type { X } from '../models/b.ts';", /models/],
  ['a type in a type', 'store/a.ts', "let x: import('../models/b.ts').X;", /models/],
  ['what is only run', 'store/a.ts', "import '../models/b.ts';", /models/],
  ['what is re-exported', 'store/a.ts', "export * from '../models/b.ts';", /models/],
  ['what is imported later', 'store/a.ts', "await import('../models/b.ts')", /models/],
  ['a room into the contract of tools', 'tools/a.ts', "import { x } from './web/b.ts';", /tools\/web/],
  ['the library', 'telemetry/a.ts', "import { x } from '../client.ts';", /client/],
  ['a leaf into workflows', 'workflows/a.ts', "import { x } from '../util/b.ts';", /util/],
  ['anything into a folder without a floor', 'new/a.ts', "import { x } from '../util/b.ts';", /new\/a must not import/],
])('a folder must not import from below: %s', (_, file, text, problem) => {
  expect(importsBack(file, text)).toEqual([expect.stringMatching(problem)]);
});

test.each([
  ['from itself', 'store/a.ts', "import { x } from './b.ts';"],
  ['from above', 'store/a.ts', "import { x } from '../util/b.ts';"],
  ['the contract of tools into a room', 'tools/web/a.ts', "import { x } from '../tool.ts';"],
  ['packages', 'store/a.ts', "import pg from 'pg';"],
])('a folder may import %s', (_, file, text) => {
  expect(importsBack(file, text)).toEqual([]);
});

describe('the house', () => {
  test('has at most 16 folders, and each has a floor', () => {
    const folders = readdirSync('src', { withFileTypes: true }).filter((each) => each.isDirectory());
    expect(folders.length).toBeLessThanOrEqual(16);
    expect(new Set(folders.map(({ name }) => name))).toEqual(new Set(floors.map((floor) => floor.split('/')[0])));
  });

  test('is described in CONTRIBUTING as in the README of each folder', () => {
    const described = floors.map((floor) => {
      const [, title, says] =
        /^# src\/(\S+)\n\n(.+)\n$/s.exec(readFileSync(join('src', floor, 'README.md'), 'utf8')) ?? [];
      return [`\`src/${title}\``, says?.replaceAll('\n', ' ').replace(/ Imports [^.]+\.$/, '')];
    });
    const rows = readFileSync('CONTRIBUTING.md', 'utf8').matchAll(/^\| (`src\/\S+?`) +\| (.+?) +\|$/gm);
    expect([...rows].map(([, folder, says]) => [folder, says])).toEqual(described);
  });

  const sources = readdirSync('src', { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'));
  const linesOf = (file: string): number => readFileSync(join('src', file), 'utf8').split('\n').length - 1;

  test('has no file of more than 300 lines', () => {
    expect(sources.filter((file) => linesOf(file) > 300)).toEqual([]);
  });

  test('has no folder of more than 25 files', () => {
    const counts = Map.groupBy(sources, dirname);
    expect([...counts].filter(([, files]) => files.length > 25).map(([folder]) => folder)).toEqual([]);
  });

  test('shows each workflow, its document’s algorithm, in one screen', () => {
    expect(sources.filter((file) => file.endsWith('workflow.ts') && linesOf(file) > 80)).toEqual([]);
  });
});
