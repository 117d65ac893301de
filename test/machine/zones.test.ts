import { expect, test } from 'vitest';
import { problemsIn, strangersIn } from '../../scripts/check-zones.ts';

const problems = (file: string, text: string) => problemsIn(new Map([[file, text]]));

test.each([
  [
    'a workflow must not import Node',
    'workflows/a.ts',
    "import { join } from 'node:path';",
    /src\/workflows\/a\.ts:1: "node:path" in the deterministic zone/,
  ],
  ['a workflow must not import zod', 'workflows/a.ts', "import { z } from 'zod';", /"zod"/],
  [
    'a workflow must not import an activity',
    'workflows/a.ts',
    "\nimport { x } from '../activities/a.ts';",
    /:2: workflows must not import activities/,
  ],
  [
    'an agent must not re-export a model',
    'agents/a.ts',
    "export { x } from '../models/a.ts';",
    /agents must not import models/,
  ],
  [
    'a rule imports nothing but types',
    'rules/a.ts',
    "import { x } from '../prompts/a.ts';",
    /rules import nothing but types/,
  ],
  [
    'the world must not import a door',
    'store/a.ts',
    "import { x } from '../cli/a.ts';",
    /store must not import cli/,
  ],
  [
    'the world must not import the client',
    'store/a.ts',
    "import { x } from '../client.ts';",
    /store must not import client/,
  ],
  [
    'what is allowed instead is listed',
    'models/a.ts',
    "import { x } from '../embedded/a.ts';",
    /models must not import embedded \("\.\.\/embedded\/a\.ts"\).*allowed: workflows, .*, tools$/,
  ],
  [
    'an import while running counts',
    'agents/a.ts',
    "\n  const a = await import('../tools/a.ts');",
    /:2: agents must not import tools/,
  ],
  ['a side-effect import counts', 'prompts/a.ts', "import 'node:fs';", /"node:fs"/],
  [
    'an import over several lines counts',
    'prompts/a.ts',
    "import {\n  a,\n} from '../config/a.ts';",
    /prompts must not import config/,
  ],
  ['a room without a zone', 'attic/a.ts', "import { x } from './b.ts';", /the room "attic" has no zone/],
  ['a file that is too long', 'rules/a.ts', 'x\n'.repeat(301), /301 lines; at most 300/],
])('%s', (_, file, text, problem) => {
  expect(problems(file, text)).toEqual([expect.stringMatching(problem)]);
});

test.each([
  ['types cross all zones', 'workflows/a.ts', "import type { A } from '../activities/a.ts';"],
  ['workflows use the sandboxed SDK', 'workflows/a.ts', "import { sleep } from '@temporalio/workflow';"],
  ['rules use other rules', 'rules/a.ts', "import { x } from './b.ts';"],
  ['the world uses prompts', 'models/a.ts', "import { headings } from '../prompts/headings.ts';"],
  ['doors use everything', 'cli/a.ts', "import { x } from '../store/a.ts';\nimport fs from 'node:fs';"],
])('allowed: %s', (_, file, text) => {
  expect(problems(file, text)).toEqual([]);
});

const outside = ['..', 'shared'].join('/');

test.each([
  ['docs/a.md', `\nSee ${outside}/design.md.`, 'docs/a.md:2'],
  ['src/rules/a.ts', `/** From \`${outside}/x.md\`. */`, 'src/rules/a.ts:1'],
])('a text in %s that names what is not in the project', (file, text, place) => {
  expect(strangersIn(new Map([[file, text]]))).toEqual([expect.stringContaining(`${place}: names `)]);
});

test('a relative import of a room whose name ends alike is no such text', () => {
  expect(
    strangersIn(new Map([['src/a/b.ts', `import '../${outside}/c.ts'; import '${outside}d.ts';`]])),
  ).toEqual([]);
});
