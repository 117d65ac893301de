/**
 * One side of `paired.ts`, a process of its own with a server and workers: `paired-side.ts run|tools|texts`. For the number of a case
 * it runs this case once, and sends what that took. With `other-sources.ts` it is another checkout that is measured.
 */
import { comparedCases } from './cases.ts';
import { openCaseStage } from './measure.ts';
import { timed, type HistorySize } from './stage.ts';

/** One run of a case. */
export interface SideRun extends HistorySize {
  /** In milliseconds. */
  wall: number;
}

const cases = comparedCases[process.argv[2] ?? ''] ?? [];
const stage = await openCaseStage();

async function run(index: number): Promise<SideRun> {
  const measured = cases[index];
  if (measured === undefined) throw new Error(`There is no case ${index}`);
  let id = '';
  const wall = await timed(async () => (id = await stage.run(measured)));
  return { wall, ...(await stage.historyOf(id)) };
}

async function hear(index: number | 'end'): Promise<void> {
  if (index !== 'end') {
    process.send?.(await run(index));
    return;
  }
  await stage.close();
  process.exit(0);
}

process.on('message', (index: number | 'end') => void hear(index));
process.send?.('ready');
