/**
 * Proves that the package works: packs it, checks it with publint, installs it in an empty folder, and asks it a question
 * there with the offline model, both by the command line and by the example of the library. Ends with an error where a
 * step fails or there is no answer.
 *
 *   npm run try-package [-- QUESTION]
 */
import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';
import { environmentVariables } from '../src/config/environment.ts';
import { freePort } from '../src/embedded/ports.ts';

const question =
  process.argv[2] ?? 'How many attempts does an orchestration get by default, and what happens at the limit?';
const base = mkdtempSync(join(tmpdir(), 'reprise-package-'));
const folder = join(base, 'empty');
mkdirSync(folder);

/** The environment without keys, since the package must answer without any. */
const env = Object.fromEntries(
  Object.entries({
    ...process.env,
    REPRISE_HOME: join(base, 'home'),
    TEMPORAL_ADDRESS: `127.0.0.1:${await freePort()}`,
  }).filter(([name]) => !environmentVariables.includes(name as (typeof environmentVariables)[number])),
);

function run(cwd: string, command: string, ...words: string[]): string {
  const startedAt = Date.now();
  const printed = execFileSync(command, words, { cwd, env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] });
  console.error(`ok ${[command, ...words].join(' ')} (${((Date.now() - startedAt) / 1000).toFixed(1)} s)`);
  return printed.trim();
}

/** What of a packed package would not work for those who install it. */
async function problemsOf(file: string): Promise<string[]> {
  const tarball = Uint8Array.from(readFileSync(file)).buffer;
  const { messages, pkg } = await publint({ pack: { tarball } });
  return messages.flatMap((message) => formatMessage(message, pkg, { color: false }) ?? []);
}

try {
  run('.', 'npm', 'pack', '--pack-destination', base);
  const file = readdirSync(base).find((name) => name.endsWith('.tgz')) ?? '';
  const problems = await problemsOf(join(base, file));
  if (problems.length > 0) throw new Error(`publint says of the package:\n${problems.join('\n')}`);
  writeFileSync(join(folder, 'package.json'), '{"private": true, "type": "module"}');
  run(folder, 'npm', 'install', join(base, file));
  const imports = "await import('reprise'); await import('reprise/worker');";
  run(folder, process.execPath, '--input-type=module', '--eval', imports);
  const reprise = join(folder, 'node_modules', '.bin', 'reprise');
  try {
    const answer = run(folder, reprise, 'ask', '--plain', question);
    const example = 'programmatic.ts';
    copyFileSync(join(folder, 'node_modules', 'reprise', 'examples', example), join(folder, example));
    const answerToExample = run(folder, process.execPath, example, question);
    if (answer === '' || answerToExample === '') throw new Error('there is no answer');
    console.log(answer);
  } finally {
    run(folder, reprise, 'down');
  }
} finally {
  rmSync(base, { recursive: true, force: true });
}
