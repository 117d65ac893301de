/**
 * Proves the package: packs it, installs it in an empty folder, and asks it a question there with the offline model.
 * Ends with an error when a step fails or there is no answer.
 *
 *   npm run try-package [-- QUESTION]
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { environmentVariables } from '../src/config/environment.ts';
import { freePort } from '../src/embedded/ports.ts';

const question =
  process.argv[2] ?? 'How many attempts does an orchestration get by default, and what happens at the limit?';
const base = mkdtempSync(join(tmpdir(), 'reprise-package-'));
const folder = join(base, 'empty');
mkdirSync(folder);

/** The environment without keys: a package without any must answer too. */
const env = Object.fromEntries(
  Object.entries({ ...process.env, REPRISE_HOME: join(base, 'home') }).filter(
    ([name]) => !environmentVariables.includes(name as (typeof environmentVariables)[number]),
  ),
);

function run(cwd: string, command: string, ...words: string[]): string {
  const startedAt = Date.now();
  const printed = execFileSync(command, words, {
    cwd,
    env,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  console.error(`ok ${[command, ...words].join(' ')} (${((Date.now() - startedAt) / 1000).toFixed(1)} s)`);
  return printed.trim();
}

try {
  run('.', 'npm', 'pack', '--pack-destination', base);
  const file = readdirSync(base).find((name) => name.endsWith('.tgz')) ?? '';
  writeFileSync(join(folder, 'package.json'), '{"private": true, "type": "module"}');
  run(folder, 'npm', 'install', join(base, file));
  run(
    folder,
    process.execPath,
    '--input-type=module',
    '--eval',
    "await import('reprise'); await import('reprise/worker');",
  );
  const reprise = join(folder, 'node_modules', '.bin', 'reprise');
  try {
    const answer = run(
      folder,
      reprise,
      'ask',
      '--plain',
      '--temporal',
      `127.0.0.1:${await freePort()}`,
      question,
    );
    if (answer === '') throw new Error('there is no answer');
    console.log(answer);
  } finally {
    run(folder, reprise, 'down');
  }
} finally {
  rmSync(base, { recursive: true, force: true });
}
