/**
 * `npm run bench -- many`: a hundred orchestrations at once, each with four calls of 1 s in a row, beside a bare Temporal workflow
 * with as many activities, on the same server: with 1, 2 and 3 workers, which are processes of their own. There are two floors: one
 * whose activities wait, and one whose activities make the same requests to the same model by the same SDK. Wall times are medians of
 * rounds: quote the ratios. The processor time of the workers, for one run, tells more where the machine has something else to do.
 *
 * `DATABASE_URL` names the store; without it, it is SQLite. With `REPRISE_ENCRYPTION_KEY` everything is encrypted. `RUNS`, `ROUNDS`,
 * `WORKERS=1,3` and `PROFILE=DIR`, for the processor profiles of the workers, are for those who look closer.
 */
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { Client } from '@temporalio/client';
import type { Script } from '../test/support/model-server.ts';
import { shortTeam } from './cases.ts';
import { median, openStage } from './stage.ts';

const runs = Number(process.env['RUNS'] ?? 100);
const rounds = Number(process.env['ROUNDS'] ?? 5);
const counts = (process.env['WORKERS'] ?? '1,2,3').split(',').map(Number);
const profile = process.env['PROFILE'];
const calls = 4;
const milliseconds = 1000;

const storeVariables = Object.fromEntries(
  ['DATABASE_URL', 'REPRISE_ENCRYPTION_KEY'].flatMap((name) => {
    const value = process.env[name];
    return value === undefined ? [] : [[name, value]];
  }),
);
const team = shortTeam(milliseconds);
const script: Script = (seen) =>
  seen.prompt.includes('A bare request.') ? { text: 'F', delay: milliseconds } : team(seen);
const stage = await openStage(script, undefined, storeVariables);
/** Bare workers encrypt nothing. */
const bareClient = new Client({ connection: stage.reprise.client.connection });
const config = { agents: [{ id: 'a', backend: { type: 'openai' as const } }] };

interface Round {
  /** Seconds. */
  wall: number;
  /** Milliseconds of the workers' processors for each run. */
  cpu: number;
}

type Kind = 'own' | 'bare' | 'calling';

/** Workers of one kind, each a process of its own. */
async function openWorkers(kind: Kind, count: number) {
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
            : bareClient.workflow.execute('inSequence', { ...options, args: [calls, milliseconds] });
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

const isEncrypted = process.env['REPRISE_ENCRYPTION_KEY'] !== undefined;
console.log(`Store: ${process.env['DATABASE_URL'] ? 'PostgreSQL' : 'SQLite'}${isEncrypted ? ', encrypted' : ''}`);
for (const count of counts) {
  const workers = {
    bare: await openWorkers('bare', count),
    calling: await openWorkers('calling', count),
    own: await openWorkers('own', count),
  };
  const measured: Array<Record<Kind, Round>> = [];
  for (let round = 0; round <= rounds; round++) {
    const each = {
      bare: await workers.bare.round(),
      calling: await workers.calling.round(),
      own: await workers.own.round(),
    };
    // The first round warms all of them up.
    if (round > 0) measured.push(each);
    stage.model.requests.length = 0;
  }
  const of = (pick: (each: Record<Kind, Round>) => number, digits: number): string =>
    median(measured.map(pick)).toFixed(digits);
  console.log(
    `${runs} runs of ${calls} calls of ${milliseconds} ms at once, ${count} worker${count === 1 ? '' : 's'}: ` +
      `${of(({ own }) => own.wall, 2)} s; bare ${of(({ bare }) => bare.wall, 2)} s, ratio ` +
      `${of(({ own, bare }) => own.wall / bare.wall, 2)}; bare with the same requests ` +
      `${of(({ calling }) => calling.wall, 2)} s, ratio ${of(({ own, calling }) => own.wall / calling.wall, 2)}; ` +
      `the workers' processor time for a run ${of(({ own }) => own.cpu, 0)} ms, bare ${of(({ bare }) => bare.cpu, 0)} ms, ` +
      `with the same requests ${of(({ calling }) => calling.cpu, 0)} ms (medians of ${rounds} rounds)`,
  );
  for (const each of Object.values(workers)) await each.close();
}
await stage.close();
process.exit(0);
