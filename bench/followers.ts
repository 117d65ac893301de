/**
 * `npm run bench -- followers`: 1,000 who follow one run by server-sent events, and 100 each who follow ten others, through two HTTP
 * servers on this machine.
 *
 * First, paired: how long a run beside them takes, with those followers and without, and what a server's memory and processors
 * have to do. Then servers are killed at random, and each is begun again at once, while each follower goes on at whichever answers
 * from where it was: it counts events that it has missed or got twice. `KILLS`, `ROUNDS` and `SCALE` (0.1: a tenth of the followers)
 * are for those who look closer.
 */
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { get } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { connect } from '../src/client.ts';
import { Feeds } from '../src/client/feed.ts';
import { freePort } from '../src/local/ports.ts';
import { createApp } from '../src/serve/app.ts';
import { listen } from '../src/serve/listen.ts';
import { answer, restart, submit, teamScript, vote } from '../test/support/team-script.ts';
import { median, openStage } from './stage.ts';

const token = 'the-token-of-a-bench';

/** Where followers read what, and how many of them. */
interface Followed {
  ports: number[];
  ids: Array<[id: string, followers: number]>;
}

/** What the followers have seen. */
interface Seen {
  followers: number;
  events: number;
  missed: number;
  twice: number;
  /** How often a stream broke and was taken up again. */
  resumed: number;
}

const role = process.argv[2];
if (role !== undefined) process.once('disconnect', () => process.exit());
if (role === 'server') await serve();
else if (role === 'readers') await read();
else await bench();

/** A server as a process of its own, so that it can be killed. */
async function serve(): Promise<void> {
  const [port = '', address = '', home = ''] = process.argv.slice(3);
  const reprise = await connect({ address, home, variables: {} });
  const served = {
    reprise,
    ready: async () => reprise,
    feeds: new Feeds(reprise, { home, variables: {} }),
    configs: home,
    home,
    owner: token,
    url: `http://127.0.0.1:${port}`,
    port: Number(port),
    origins: [],
    typed: (text: string) => text,
    say: (text: string) => console.error(text),
  };
  await listen(createApp(served).fetch, { host: '127.0.0.1', port: Number(port) });
  process.send?.('ready');
}

/** Follows what it is told to, and tells what was seen once all runs have ended. */
async function read(): Promise<void> {
  const [{ ids, ports }] = (await once(process, 'message')) as [Followed];
  const seen: Seen = { followers: 0, events: 0, missed: 0, twice: 0, resumed: -ids.reduce((sum, [, n]) => sum + n, 0) };
  const all = ids.flatMap(([id, count]) => Array.from({ length: count }, (_, index) => follow(id, index, ports, seen)));
  seen.followers = all.length;
  process.send?.('reading');
  await Promise.all(all);
  process.send?.(seen);
  process.disconnect();
}

async function follow(id: string, index: number, ports: number[], seen: Seen): Promise<void> {
  const place = { last: 0, isOver: false };
  for (let tries = index; !place.isOver; tries++) {
    seen.resumed += 1;
    await readOnce(id, ports[tries % ports.length] ?? 0, place, seen).catch(() => {});
    if (!place.isOver) await pause(100 * Math.random());
  }
}

/** Reads one stream to its end, or until it breaks. */
function readOnce(id: string, port: number, place: { last: number; isOver: boolean }, seen: Seen): Promise<void> {
  const headers = {
    accept: 'text/event-stream',
    authorization: `Bearer ${token}`,
    'last-event-id': String(place.last),
  };
  return new Promise((resolve, reject) => {
    const request = get(
      { host: '127.0.0.1', port, path: `/api/v1/runs/${id}/events`, headers, agent: false },
      (answered) => {
        if (answered.statusCode === 204) place.isOver = true;
        let rest = '';
        answered.setEncoding('utf8');
        answered.on('data', (text: string) => {
          const blocks = (rest + text).split('\n\n');
          rest = blocks.pop() ?? '';
          for (const block of blocks) {
            if (/^event: end$/m.test(block)) place.isOver = true;
            const seq = Number(/^id: (\d+)$/m.exec(block)?.[1] ?? NaN);
            if (Number.isNaN(seq)) continue;
            seen.events += 1;
            if (seq <= place.last) seen.twice += 1;
            else seen.missed += seq - place.last - 1;
            place.last = Math.max(place.last, seq);
          }
        });
        answered.once('end', resolve);
        answered.once('error', reject);
        answered.once('close', resolve);
      },
    );
    request.once('error', reject);
  });
}

async function bench(): Promise<void> {
  const [kills, rounds, scale] = [['KILLS', 50] as const, ['ROUNDS', 5] as const, ['SCALE', 1] as const].map(
    ([name, usual]) => Number(process.env[name] ?? usual),
  ) as [number, number, number];
  const delay = 500;
  const script = teamScript({
    answer: () => answer('A'),
    vote: () => vote('agent1', 'r'),
    decide: ({ prompt }) => (prompt.includes('A short task') ? submit() : restart('more', 'Go on.')),
    present: () => ({ text: 'F' }),
  });
  const stage = await openStage(async (seen) => ({ ...(await script(seen)), delay }));
  const config = (restarts: number) => ({
    agents: ['a', 'b', 'c'].map((id) => ({ id, backend: { type: 'openai' as const } })),
    orchestrator: { coordination: { max_orchestration_restarts: restarts } },
  });
  const startMany = (restarts: number) =>
    Promise.all(
      Array.from({ length: 11 }, () =>
        stage.reprise.startOrchestration({ task: 'A long task', config: config(restarts) }),
      ),
    );
  const ports = [await freePort(), await freePort()];
  const startServer = async (port: number): Promise<ChildProcess> => {
    const child = fork(import.meta.filename, ['server', String(port), stage.address, stage.home]);
    await once(child, 'message');
    return child;
  };
  const servers = await Promise.all(ports.map(startServer));
  const startReaders = async (ids: string[]): Promise<{ child: ChildProcess; seen: Promise<Seen> }> => {
    const child = fork(import.meta.filename, ['readers']);
    child.send({
      ports,
      ids: ids.map((id, index) => [id, Math.ceil((index === 0 ? 1000 : 100) * scale)]),
    } satisfies Followed);
    await once(child, 'message');
    return { child, seen: once(child, 'message').then(([seen]) => seen as Seen) };
  };

  const took = { alone: [] as number[], followed: [] as number[] };
  let memory = 0;
  for (let round = 0; round < rounds; round++) {
    for (const side of round % 2 === 0 ? (['alone', 'followed'] as const) : (['followed', 'alone'] as const)) {
      const others = await startMany(20);
      const readers = side === 'followed' ? await startReaders(others.map(({ id }) => id)) : undefined;
      const since = performance.now();
      const run = await stage.reprise.startOrchestration({ task: 'A short task', config: config(0) });
      await run.result();
      took[side].push(performance.now() - since);
      memory = Math.max(memory, ...servers.map(({ pid = 0 }) => residentMb(pid)));
      await Promise.all(others.map((each) => each.terminate()));
      readers?.child.kill('SIGKILL');
    }
  }
  const ratios = took.followed.map((each, index) => each / (took.alone[index] ?? NaN));
  console.log(
    `a run beside ${Math.ceil(1000 * scale) + 10 * Math.ceil(100 * scale)} followers: ${median(took.followed).toFixed(0)} ms, without ${median(took.alone).toFixed(0)} ms; paired ${median(ratios).toFixed(3)}`,
  );
  console.log(`memory of a server: ${memory.toFixed(0)} MB`);

  const runs = await startMany(Math.ceil(kills * 1.2));
  const readers = await startReaders(runs.map(({ id }) => id));
  for (let kill = 0; kill < kills; kill++) {
    const which = Math.floor(Math.random() * servers.length);
    const ended = once(servers[which] as ChildProcess, 'exit');
    servers[which]?.kill('SIGKILL');
    await ended;
    servers[which] = await startServer(ports[which] ?? 0);
    await pause(500 * Math.random());
  }
  await Promise.all(runs.map((each) => each.cancel().catch(() => {})));
  const seen = await readers.seen;
  console.log(
    `${kills} kills: ${seen.followers} followers got ${seen.events} events, took ${seen.resumed} streams up again; missed ${seen.missed}, twice ${seen.twice}`,
  );
  for (const server of servers) server.kill('SIGKILL');
  await stage.close();
  if (seen.missed + seen.twice > 0) process.exitCode = 1;
}

/** The memory that a process has, in MB. */
function residentMb(pid: number): number {
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024;
}
