/**
 * Finds out what the tests notice: changes the sources a little in places that a seed picks, each change for itself in a
 * temporary copy, and runs the tests. The files of the clone itself stay as they are.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { Copy, type Fate } from './mutants/copy.ts';
import { diffOf, mutated } from './mutants/mutate.ts';
import { picks, type Source } from './mutants/pick.ts';

const help = `node bin/bootstrap.mjs scripts/mutants.ts [OPTIONS] [-- COMMAND …]   which small changes the tests notice

  --seed N       picks other lines; the same number picks the same ones as long as the sources are the same (1)
  --count N      how many changes are made, one after the other (40)
  --under PATH   only in files whose path begins with this (src/)
  --timeout S    how many seconds the tests may take for one change, which is noticed when they take longer (900)
  --list         shows the changes, and runs no tests

Without a COMMAND the tests run that import the changed file, up to the first one that fails. Workflow code that runs only in
Temporal's sandbox, and commands that run as processes, are imported by few tests: name those that run them. A COMMAND runs in
the copy, once for each change, and notices it by a status other than 0. What fails without any change seems to catch everything.

Example: twenty changes to the agents' loops, and whether the tests of these notice them
  node bin/bootstrap.mjs scripts/mutants.ts --seed 7 --count 20 --under src/workflows/agent/ -- \\
    node bin/bootstrap.mjs node_modules/vitest/vitest.mjs run --bail 1 test/workflows/agent test/workflows/simple-tool`;

const options = {
  seed: { type: 'string', default: '1' },
  count: { type: 'string', default: '40' },
  under: { type: 'string', default: 'src/' },
  timeout: { type: 'string', default: '900' },
  list: { type: 'boolean', default: false },
  help: { type: 'boolean', short: 'h', default: false },
} as const;

function wrong(text: string): never {
  console.error(`${text}\n\n${help}`);
  process.exit(2);
}

function read(words: string[]) {
  try {
    return parseArgs({ args: words, options }).values;
  } catch (error) {
    return wrong((error as Error).message);
  }
}

const words = process.argv.slice(2);
const behind = words.includes('--') ? words.indexOf('--') : words.length;
const values = read(words.slice(0, behind));
const command = words.slice(behind + 1);
if (values.help) {
  console.log(help);
  process.exit(0);
}
const whole = (name: 'seed' | 'count' | 'timeout', least: number): number => {
  const value = Number(values[name]);
  return Number.isInteger(value) && value >= least ? value : wrong(`--${name} is a whole number from ${least} on`);
};
const [seed, count, timeout] = [whole('seed', 0), whole('count', 1), whole('timeout', 1)];

const root = join(import.meta.dirname, '..');
const sources = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
  .map((file) => `src/${file.replaceAll('\\', '/')}`)
  .filter((file) => file.endsWith('.ts') && file.startsWith(values.under))
  .map((file): Source => ({ file, text: readFileSync(join(root, file), 'utf8') }));
if (sources.length === 0) wrong(`there are no sources below ${values.under}`);

const copy = new Copy(root);
// A terminal's Ctrl-C may come twice, and the second one must not stop what the first one cleans up.
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.on(signal, () => {
    copy.remove();
    process.exit(130);
  });

function told({ by, files }: Fate): string {
  if (by !== undefined) return `caught by ${by}`;
  return files === 0 ? 'survived: no test imports the file' : 'survived';
}

try {
  if (!(await copy.compiles())) throw new Error('The sources do not compile as they are: see npm test');
  let [made, caught] = [0, 0];
  for (const { file, mutant, text } of picks(sources, seed)) {
    if (made === count) break;
    const fate = await copy.with(file, mutated(text, mutant), async () => {
      if (!(await copy.compiles())) return undefined;
      console.log(`${++made}/${count} ${file}:${mutant.line} ${mutant.what}\n${diffOf(text, mutant)}`);
      if (values.list) return { by: undefined, files: undefined };
      return command.length > 0 ? copy.command(command, timeout) : copy.related(file, timeout);
    });
    if (fate === undefined || values.list) continue;
    if (fate.by !== undefined) caught += 1;
    console.log(`${told(fate)}\n`);
  }
  if (made < count) console.log(`There are no more that compile below ${values.under}`);
  if (!values.list) console.log(`${caught} of ${made} mutants caught`);
} finally {
  copy.remove();
}
