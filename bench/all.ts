/**
 * `npm run bench`: all that is measured, one after the other. Words name some of it: `npm run bench -- asking tools`.
 * `npm run bench -- paired /path/to/other/checkout run` compares two checkouts.
 */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const names = [
  'run',
  'many',
  'asking',
  'tools',
  'research',
  'solve',
  'snapshots',
  'footprint',
  'growth',
  'linear',
  'carriers',
  'followers',
];

/** Runs a bench, and ends this process where it fails. */
function run(name: string, words: string[] = []): void {
  const file = fileURLToPath(new URL(`./${name}.ts`, import.meta.url));
  const { status } = spawnSync(process.execPath, [file, ...words], { stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
}

const wanted = process.argv.slice(2);
if (wanted[0] === 'paired') {
  run('paired', wanted.slice(1));
} else {
  const unknown = wanted.filter((name) => !names.includes(name));
  if (unknown.length > 0) {
    console.error(`There is no bench ${unknown.join(', ')}; there are: paired, ${names.join(', ')}`);
    process.exit(2);
  }
  for (const name of wanted.length > 0 ? wanted : names) run(name);
}
