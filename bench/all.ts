/** `npm run bench`: all that is measured, one after the other. Words name some of it: `npm run bench -- asking tools`. */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const names = ['run', 'many', 'asking', 'tools', 'research', 'solve', 'snapshots', 'footprint'];
const wanted = process.argv.slice(2);
const unknown = wanted.filter((name) => !names.includes(name));
if (unknown.length > 0) {
  console.error(`There is no bench ${unknown.join(', ')}; there are: ${names.join(', ')}`);
  process.exit(2);
}
for (const name of wanted.length > 0 ? wanted : names) {
  const file = fileURLToPath(new URL(`./${name}.ts`, import.meta.url));
  const { status } = spawnSync(process.execPath, [file], { stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
}
