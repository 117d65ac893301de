import { spawn, type ChildProcess } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { connect, type Run } from '../../src/client.ts';
import { freePort } from '../../src/local/ports.ts';
import { startServer } from '../../src/local/server.ts';
import { agentOf, call, toolResults } from './agent-script.ts';
import { killed } from './killed.ts';
import { startModelServer, type Scripted, type Seen } from './model-server.ts';
import { firstWords } from './first-words.ts';

const workerMain = fileURLToPath(new URL('./worker-main.ts', import.meta.url));

/**
 * When the worker of a run is killed whose agent has to ask before it books: while its model asks for the booking; while
 * the call waits for a person; when the person has just allowed it; before and after the booking, with the tool under way;
 * and around the moment in which the result is stored.
 */
export const killPoints = ['asking', 'waiting', 'answering', 'before', 'after', 'committing'] as const;

export type KillPoint = (typeof killPoints)[number];

/** What has become of a run whose worker was killed once. */
export interface KilledRun {
  point: KillPoint;
  /** Whether the tool says that it may run again with the same key, rather than that it must not run twice. */
  honoursKeys: boolean;
  /** How often the booking was made. */
  effects: number;
  /** How often a person was asked. */
  asked: number;
  answer: string;
}

interface Stand {
  /** Path of the Temporal CLI. */
  cli: string;
  /** Path of the bundled workflows. */
  bundle: string;
}

/** Two tools that book at a service, of which the first must not run twice, and one that looks whether that has happened. */
const rooms = `
const parameters = { type: 'object', properties: { run: { type: 'number' } }, required: ['run'] };
const url = process.env.SINK_URL;
const say = async (path, options) => (await fetch(url + path, options)).text();
const book = async ({ run }, { idempotencyKey, signal }) => {
  await say('/begin?run=' + run, { signal });
  return say('/book?run=' + run + '&key=' + encodeURIComponent(idempotencyKey), { method: 'POST', signal });
};
export const tools = [
  { name: 'book', description: 'Book.', parameters, sideEffects: true, timeout: 600, execute: book },
  { name: 'book_by_key', description: 'Book.', parameters, sideEffects: 'idempotent', timeout: 600, execute: book },
  { name: 'look', description: 'Look.', parameters, sideEffects: false, execute: ({ run }) => say('/look?run=' + run) },
];
`;

/**
 * A service where rooms are booked, which tells when it was reached, and holds back what a run is to be killed in.
 *
 * @param pointOf none when the worker was killed
 * @param committing when results are stored around whose storing runs are to be killed
 */
async function startRooms(pointOf: (run: number) => KillPoint | undefined, committing: Promise<void>) {
  const moments = new EventEmitter().setMaxListeners(0);
  const effects = new Map<number, number>();
  const keys = new Set<string>();
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://rooms');
    const run = Number(searchParams.get('run'));
    const key = searchParams.get('key') ?? '';
    if (pathname === '/look') return response.end(effects.has(run) ? 'done' : 'missing');
    const isBooking = pathname === '/book';
    if (isBooking && !keys.has(key)) effects.set(run, (effects.get(run) ?? 0) + 1);
    if (isBooking) keys.add(key);
    // What is held back is never answered: the worker that waits for it is about to be killed.
    const point = pointOf(run);
    if (isBooking && point === 'committing') void committing.then(() => response.end('Booked'));
    else if (point !== (isBooking ? 'after' : 'before')) response.end('Booked');
    moments.emit(`${isBooking ? 'booked' : 'begun'} ${run}`);
    return undefined;
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const close = async (): Promise<void> => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  };
  return { url, moments, effects, close };
}

/**
 * Lets runs ask for approval, and kills their worker when each has come to its point.
 *
 * @param points one for each run; the runs take turns with the two tools
 * @param told is called after each run
 */
export async function askedKills(
  { bundle, cli }: Stand,
  points: KillPoint[],
  told: (run: KilledRun) => void = () => {},
): Promise<KilledRun[]> {
  const home = mkdtempSync(join(tmpdir(), 'reprise-asked-'));
  writeFileSync(join(home, 'rooms.ts'), rooms);
  let isStruck = false;
  const pointOf = (run: number): KillPoint | undefined => (isStruck ? undefined : points[run]);
  const [answering, committing, struck] = [1, 2, 3].map(() => Promise.withResolvers<void>()) as [
    PromiseWithResolvers<void>,
    PromiseWithResolvers<void>,
    PromiseWithResolvers<void>,
  ];
  const service = await startRooms(pointOf, committing.promise);
  const say = booking(service.moments);
  const model = await startModelServer(async (seen) => {
    const reply = say(seen);
    if (pointOf(runIn(seen)) === 'asking') await struck.promise;
    return reply;
  });
  const server = await startServer({
    cli,
    port: await freePort(),
    database: join(home, 'temporal.db'),
    log: join(home, 'temporal.log'),
  });
  const env = {
    ...process.env,
    OPENAI_API_KEY: 'test-key',
    OPENAI_BASE_URL: model.openai,
    SINK_URL: service.url,
  };
  const startWorker = async (): Promise<ChildProcess> => {
    const worker = spawn(process.execPath, [workerMain, server.address, home, bundle], {
      env,
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    await firstWords(worker);
    return worker;
  };
  let worker = await startWorker();
  const reprise = await connect({ address: server.address });
  try {
    const reached = points.map((point, number) => {
      const moment = { asking: 'asked', before: 'begun', after: 'booked', committing: 'booked' }[point as 'asking'];
      return once(service.moments, `${moment ?? 'waits'} ${number}`);
    });
    const answered: Array<Promise<void>> = [];
    const endings = points.map(async (point, number) => {
      const run = await reprise.startSession({ config, text: `Run ${number}.` });
      const asked = await decideAll(run, async (decide) => {
        if (pointOf(number) === 'waiting' || pointOf(number) === 'answering') {
          service.moments.emit(`waits ${number}`);
          await (point === 'waiting' ? struck : answering).promise;
        }
        const decided = decide();
        if (pointOf(number) === 'answering') answered.push(decided);
        await decided;
      });
      const { answer } = await run.result();
      const effects = service.effects.get(number) ?? 0;
      const ended = { point, honoursKeys: honoursKey(number), effects, asked, answer };
      told(ended);
      return ended;
    });
    // A run that fails before its point reaches none.
    await Promise.race([Promise.all(reached), Promise.all(endings)]);
    answering.resolve();
    while (answered.length < points.filter((point) => point === 'answering').length) await pause(1);
    await Promise.all(answered);
    committing.resolve();
    await pause(Math.random() * 30);
    await killed(worker);
    isStruck = true;
    worker = await startWorker();
    struck.resolve();
    return await Promise.all(endings);
  } finally {
    await reprise.close();
    for (const child of [worker, server.process]) await killed(child);
    await Promise.all([model.close(), service.close()]);
    rmSync(home, { recursive: true, force: true });
  }
}

const config = agentOf('openai', { simple: {} }, ['rooms'], { attended: true });

/** Allows each call that waits until the run has ended, and says so twice. @returns how many have waited */
async function decideAll(run: Run, around: (decide: () => Promise<void>) => Promise<void>): Promise<number> {
  const decided = new Set<string>();
  while (await run.isOpen()) {
    const pending = await run.pendingQuestions().catch(() => []);
    for (const { questionId: id } of pending) {
      if (decided.has(id)) continue;
      decided.add(id);
      await around(async () => {
        await run.approve({ id, action: 'allow' });
        await run.approve({ id, action: 'allow' });
      });
    }
    await pause(50);
  }
  return decided.size;
}

const runIn = ({ prompt }: Seen): number => Number(/Run (\d+)\./.exec(prompt)?.[1]);

/** The tool of a run: each point has both in turn. */
const honoursKey = (run: number): boolean => (run + Math.floor(run / killPoints.length)) % 2 === 1;

/** Books, and where it is not known whether that has happened, looks, and books again if it has not. */
const booking =
  (moments: EventEmitter) =>
  (seen: Seen): Scripted => {
    const run = runIn(seen);
    const last = toolResults(seen).at(-1);
    if (last === undefined) moments.emit(`asked ${run}`);
    if (last === undefined || last === 'missing') return call(honoursKey(run) ? 'book_by_key' : 'book', { run });
    return last.includes('may or may not have taken effect') ? call('look', { run }) : { text: `Done: ${last}` };
  };
