/**
 * `npm run bench -- many`: a hundred orchestrations at once, each with four calls of 1 s in a row, beside a bare Temporal workflow
 * with as many activities, on the same server: with 1, 2 and 3 workers, which are processes of their own. Wall times are medians of
 * pairs: quote the ratios. The processor time of the workers, for one run, tells more where the machine has something else to do.
 *
 * `DATABASE_URL` names the store; without it, it is SQLite. `RUNS`, `ROUNDS`, `WORKERS=1,3` and `PROFILE=DIR`, for the
 * processor profiles of the workers, are for those who look closer.
 */
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { answer, submit, teamScript, vote } from '../test/support/team-script.ts';
import { median, openStage } from './stage.ts';

const runs = Number(process.env['RUNS'] ?? 100);
const rounds = Number(process.env['ROUNDS'] ?? 5);
const counts = (process.env['WORKERS'] ?? '1,2,3').split(',').map(Number);
const profile = process.env['PROFILE'];
const calls = 4;
const milliseconds = 1000;

const stage = await openStage(async (seen) => {
  const reply = teamScript({
    answer: () => answer('A'),
    vote: () => vote('agent1', 'r'),
    decide: () => submit(),
    present: () => ({ text: 'F' }),
  })(seen);
  return { ...(await reply), delay: milliseconds };
});
const config = { agents: [{ id: 'a', backend: { type: 'openai' as const } }] };

interface Round {
  /** Seconds. */
  wall: number;
  /** Milliseconds of the workers' processors for each run. */
  cpu: number;
}

/** Workers of one kind, each a process of its own. */
async function openWorkers(kind: 'own' | 'bare', count: number) {
  const taskQueue = `${kind}-${count}`;
  const workers: ChildProcess[] = [];
  for (let number = 0; number < count; number++) {
    const worker = fork(
      fileURLToPath(new URL('./many-worker.ts', import.meta.url)),
      [kind, stage.address, stage.home, taskQueue],
      {
        env: { ...process.env, ...stage.variables },
        execArgv: profile === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${profile}/${kind}`],
      },
    );
    await once(worker, 'message');
    workers.push(worker);
  }
  const cpu = async (): Promise<number> => {
    const used = workers.map(async (worker) => {
      const answered = once(worker, 'message');
      worker.send('cpu');
      return Number((await answered)[0]);
    });
    return (await Promise.all(used)).reduce((sum, each) => sum + each, 0);
  };
  let started = 0;
  return {
    async round(): Promise<Round> {
      const before = await cpu();
      const startedAt = performance.now();
      await Promise.all(
        Array.from({ length: runs }, () => {
          const options = { taskQueue, workflowId: `${taskQueue}-${++started}` };
          return kind === 'own'
            ? stage.reprise.client.workflow.execute('orchestration', { ...options, args: [{ task: 'T', config }] })
            : stage.reprise.client.workflow.execute('inSequence', { ...options, args: [calls, milliseconds] });
        }),
      );
      const wall = (performance.now() - startedAt) / 1000;
      return { wall, cpu: ((await cpu()) - before) / 1000 / runs };
    },
    async close(): Promise<void> {
      for (const worker of workers) {
        const ended = once(worker, 'exit');
        worker.send('end');
        await ended;
      }
    },
  };
}

console.log(`Store: ${process.env['DATABASE_URL'] ? 'PostgreSQL' : 'SQLite'}`);
for (const count of counts) {
  const own = await openWorkers('own', count);
  const bare = await openWorkers('bare', count);
  const pairs: Array<{ own: Round; bare: Round }> = [];
  for (let round = 0; round <= rounds; round++) {
    const pair = { bare: await bare.round(), own: await own.round() };
    // The first round warms both up.
    if (round > 0) pairs.push(pair);
    stage.model.requests.length = 0;
  }
  const of = (pick: (pair: { own: Round; bare: Round }) => number): number => median(pairs.map(pick));
  console.log(
    `${runs} runs of ${calls} calls of ${milliseconds} ms at once, ${count} worker${count === 1 ? '' : 's'}: ` +
      `${of((pair) => pair.own.wall).toFixed(2)} s, bare ${of((pair) => pair.bare.wall).toFixed(2)} s, ` +
      `ratio ${of((pair) => pair.own.wall / pair.bare.wall).toFixed(2)}; the workers' processor time for a run ` +
      `${of((pair) => pair.own.cpu).toFixed(0)} ms, bare ${of((pair) => pair.bare.cpu).toFixed(0)} ms (medians of ${rounds} pairs)`,
  );
  await own.close();
  await bare.close();
}
await stage.close();
process.exit(0);
