import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';

/** Prints which of some packages modules load, besides those that other packages load. */
const script = `
  import { registerHooks } from 'node:module';
  const found = new Set();
  registerHooks({
    resolve(name, context, next) {
      if (!context.parentURL?.includes('/node_modules/')) found.add(/^(?:@[^/]+\\/)?[^/]+/.exec(name)?.[0]);
      return next(name, context);
    },
  });
  for (const name of process.argv.slice(1)) await import(name);
  const some = ['@octokit/rest', '@temporalio/client', 'log-update', 'node:http', 'string-width', 'yaml', 'zod'];
  console.log(some.filter((each) => found.has(each)).join(' '));
`;

test.each([
  ['what all commands need has nothing to do with Temporal, schemas or widths', ['run', 'commands/down'], ''],
  [
    'what only looks at runs loads no schemas',
    ['connection', 'commands/list', 'commands/look'],
    '@temporalio/client log-update string-width',
  ],
  [
    'what answers, steers or ends a run loads no schemas and no live view',
    ['commands/settle', 'commands/steer'],
    '@temporalio/client string-width',
  ],
  [
    'what few workers do loads its library, or that of HTTP, when it is first done',
    ['../activities/issues', '../tools/web/fetch', '../worker/health'],
    '',
  ],
])('%s', (_, names, loaded) => {
  const modules = names.map((name) => new URL(`../../src/cli/${name}.ts`, import.meta.url).href);
  const words = ['--input-type=module', '-e', script, ...modules];
  const { status, stdout } = spawnSync(process.execPath, words, { encoding: 'utf8' });
  expect({ status, stdout: stdout.trim() }).toEqual({ status: 0, stdout: loaded });
});
