import { expect, test } from 'vitest';
import { problemsIn } from '../../scripts/check-zones.ts';

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
