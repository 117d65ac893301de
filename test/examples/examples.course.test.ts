import { copyFileSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { postEvaluation, preEvaluation } from '../../examples/programmatic.ts';
import { checkTeam } from '../../src/config/kinds.ts';
import { readConfigFile } from '../../src/config/read-config.ts';
import { sharedRunning } from '../support/running.ts';
import { teamScript } from '../support/team-script.ts';

const running = sharedRunning();
const keyless = sharedRunning(() => ({ OPENAI_API_KEY: '', ANTHROPIC_API_KEY: '' }));

const place = (name: string) => fileURLToPath(new URL(`../../examples/${name}.yaml`, import.meta.url));

test.each([
  ['planning-to-execution', /migration that creates the users table was written and run/],
  ['multi-step-task', /cloned with `git clone`/],
  ['incomplete-solution', /PostgreSQL is configured as the database/],
])('the use case %s restarts once, knowing what is missing, and then answers in full', async (name, missing) => {
  const read = readConfigFile(place(name), checkTeam);
  if (!read.ok) throw new Error(read.problems.join('\n'));
  const task = /"(.*)"$/m.exec(readFileSync(place(name), 'utf8'))?.[1] ?? '';
  const run = running(teamScript());
  const result = await run.orchestrate({ task, config: read.config });
  expect(result).toMatchObject({ attempts: 2, outcome: 'submitted' });
  expect(result.restarts[0]?.reason).toContain('leaves out');
  expect(result.answer).toMatch(missing);
});

test('a file named in the input is found in the worker’s configuration folder', async () => {
  const run = keyless(teamScript());
  copyFileSync(place('orchestration-restart'), `${run.home}/team.yaml`);
  const result = await run.orchestrate({ task: 'What does a restart keep?', config: 'team' });
  expect(result.answer).toContain('keeps the timeout flags');
});

test.each([
  ['pre', preEvaluation],
  ['post', postEvaluation],
])('the programmatic configuration of the %s-evaluation runs', async (_, config) => {
  const run = running(teamScript());
  expect(await run.orchestrate({ task: 'T', config })).toMatchObject({ outcome: 'submitted', usage: { calls: 8 } });
});
