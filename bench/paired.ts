/**
 * `npm run bench -- paired /path/to/other/checkout run|tools|texts [--rounds N]`: measures this checkout and another one in turn, on
 * one machine in one go, since nothing else can be compared where other work comes and goes. Each is a process of its own. In each
 * round both run each case once, right after each other, and the one that goes first changes. The other checkout must have its
 * `node_modules`; nothing is written into it. Quote the medians of the ratios: above 1, this checkout is slower.
 */
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { comparedCases } from './cases.ts';
import type { SideRun } from './paired-side.ts';
import { median } from './stage.ts';

const { values, positionals } = parseArgs({
  options: { rounds: { type: 'string', default: '9' } },
  allowPositionals: true,
});
const [given = '', bench = ''] = positionals;
const rounds = Number(values.rounds);
const other = resolve(given);
const problem =
  given === '' || !Object.keys(comparedCases).includes(bench) || !(rounds >= 1)
    ? `say: paired /path/to/other/checkout ${Object.keys(comparedCases).join('|')} [--rounds N]`
    : existsSync(`${other}/src`) && existsSync(`${other}/node_modules`)
      ? undefined
      : `${other} is no checkout with its node_modules: run npm ci there`;
if (problem !== undefined) {
  console.error(problem);
  process.exit(2);
}

const fileOf = (name: string): string => fileURLToPath(new URL(name, import.meta.url));

/** Starts one side. */
function startSide(isOther: boolean): ChildProcess {
  const side = fork(fileOf('./paired-side.ts'), [bench], {
    execArgv: isOther ? ['--import', fileOf('./other-sources.ts')] : [],
    env: { ...process.env, OTHER_CHECKOUT: other },
  });
  side.once('exit', (code) => {
    if (code === 0) return;
    console.error(`The bench ${bench} of ${isOther ? other : 'this checkout'} has ended with status ${code}`);
    for (const each of [own, others]) each.kill();
    process.exit(1);
  });
  return side;
}

const own = startSide(false);
const others = startSide(true);
await Promise.all([once(own, 'message'), once(others, 'message')]);

async function runOn(side: ChildProcess, index: number): Promise<SideRun> {
  side.send(index);
  const [run] = (await once(side, 'message')) as [SideRun];
  return run;
}

interface Pair {
  own: SideRun;
  other: SideRun;
}

/** @param ownFirst which of the two runs first */
async function pairOf(index: number, ownFirst: boolean): Promise<Pair> {
  if (ownFirst) return { own: await runOn(own, index), other: await runOn(others, index) };
  const other = await runOn(others, index);
  return { own: await runOn(own, index), other };
}

for (const [index, { ideal, name }] of (comparedCases[bench] ?? []).entries()) {
  // What comes first warms both up.
  await pairOf(index, true);
  const pairs: Pair[] = [];
  for (let round = 0; round < rounds; round++) pairs.push(await pairOf(index, round % 2 === 0));
  const side = (what: keyof Pair): string => {
    const mid = (pick: (run: SideRun) => number): number => median(pairs.map((pair) => pick(pair[what])));
    const wall = mid((run) => run.wall);
    return (
      `${wall.toFixed(0)} ms (${(wall / ideal).toFixed(3)} of the model's time), ` +
      `${mid((run) => run.events)} events, ${mid((run) => run.bytes)} bytes`
    );
  };
  const ratios = pairs.map((pair) => pair.own.wall / pair.other.wall);
  console.log(`${name}:`);
  console.log(`  this checkout: ${side('own')}`);
  console.log(`  ${other}: ${side('other')}`);
  console.log(
    `  ratio ${median(ratios).toFixed(3)} (median of ${rounds} pairs; ${Math.min(...ratios).toFixed(3)} to ` +
      `${Math.max(...ratios).toFixed(3)})`,
  );
}
for (const side of [own, others]) side.send('end');
await Promise.all([once(own, 'exit'), once(others, 'exit')]);
