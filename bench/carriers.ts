/**
 * `npm run bench -- carriers`: by what the text that a model is writing comes to its readers. Five calls at once write texts of 30,000
 * characters, which grow by 400 a second, and one reader polls as a feed does. All carriers are measured in turn, beside each other.
 */
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Client, Connection, type WorkflowHandle } from '@temporalio/client';
import pg from 'pg';
import { hasPostgres, startPostgres } from '../test/support/postgres.ts';
import { head, type Carrier } from './carriers-text.ts';
import { median, openServer } from './stage.ts';

const calls = 5;
const rounds = Number(process.env['ROUNDS'] ?? 3);

const server = await openServer();
const { address, home } = server;
const client = new Client({ connection: await Connection.connect({ address }) });

const file = join(home, 'texts.sqlite');
const sqlite = new DatabaseSync(file);
sqlite.exec(
  'PRAGMA journal_mode = WAL; CREATE TABLE texts (place INTEGER PRIMARY KEY, call TEXT NOT NULL, start INTEGER NOT NULL, text TEXT NOT NULL)',
);
const postgres = hasPostgres('the carriers of PostgreSQL') ? await startPostgres() : undefined;
const pool = new pg.Pool({ connectionString: postgres?.url });
if (postgres)
  await pool.query(
    'CREATE TABLE texts (place BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY, call TEXT NOT NULL, start INTEGER NOT NULL, text TEXT NOT NULL)',
  );

const carriers: Carrier[] = [
  'heartbeats',
  'whole heartbeats',
  'sqlite',
  ...(postgres ? (['postgres', 'notify'] as const) : []),
];

/** The processor time of a process and of its children, in milliseconds. */
function cpuOf(pid: number): number {
  const stats = readdirSync('/proc').flatMap((name) => {
    try {
      const fields = readFileSync(`/proc/${name}/stat`, 'utf8')
        .replace(/^.*\) /, '')
        .split(' ');
      return /^\d+$/.test(name) ? [{ pid: Number(name), parent: Number(fields[1]), fields }] : [];
    } catch {
      return [];
    }
  });
  return stats
    .filter((each) => each.pid === pid || each.parent === pid)
    .reduce((sum, { fields }) => sum + (Number(fields[11]) + Number(fields[12])) * 10, 0);
}

/** When it was seen how far a text has come, in characters and milliseconds, by its activity id. */
type Seen = Map<string, Array<[number, number]>>;

async function readHeartbeats(handle: WorkflowHandle, note: (id: string, end: number) => void): Promise<void> {
  const { raw } = await handle.describe();
  for (const { activityId, heartbeatDetails } of raw.pendingActivities ?? []) {
    const [payload] = heartbeatDetails?.payloads ?? [];
    if (!payload) continue;
    const { characters } = client.options.loadedDataConverter.payloadConverter.fromPayload<{ characters: number }>(
      payload,
    );
    note(activityId ?? '', characters);
  }
}

type Row = { call: string; start: number; text: string; place: string };

/** Reads by a carrier until it is told to stop. */
async function read(carrier: Carrier, handle: WorkflowHandle, seen: Seen, isOver: () => boolean): Promise<void> {
  const note = (id: string, end: number): void => {
    const known = seen.get(id) ?? [];
    seen.set(id, known);
    if (end > (known.at(-1)?.[0] ?? head.length)) known.push([end, Date.now()]);
  };
  const noteRows = (rows: Row[]): void => {
    for (const { call, start, text } of rows) note(call.split('/')[1] ?? '', start + text.length);
  };
  let listener: pg.PoolClient | undefined;
  if (carrier === 'notify') {
    listener = await pool.connect();
    await listener.query('LISTEN texts');
    listener.on('notification', ({ payload = '' }) => {
      const { id, offset, text } = JSON.parse(payload) as { id: string; offset: number; text: string };
      note(id.split('/')[1] ?? '', offset + text.length);
    });
  }
  const select = sqlite.prepare('SELECT * FROM texts WHERE place > ? ORDER BY place');
  let place = 0;
  let askedAt = 0;
  // A feed asks for calls and events each 250 ms, whatever carries the texts.
  const asksEvery = carrier === 'whole heartbeats' ? 100 : 250;
  while (!isOver()) {
    if (Date.now() - askedAt >= asksEvery) {
      askedAt = Date.now();
      await readHeartbeats(handle, carrier.includes('heartbeats') ? note : () => {});
    }
    if (carrier === 'sqlite') {
      const rows = select.all(place) as unknown as Row[];
      noteRows(rows);
      place = Number(rows.at(-1)?.place ?? place);
    }
    if (carrier === 'postgres') {
      const { rows } = await pool.query<Row>('SELECT * FROM texts WHERE place > $1 ORDER BY place', [place]);
      noteRows(rows);
      place = Number(rows.at(-1)?.place ?? place);
    }
    await pause(carrier === 'heartbeats' || carrier === 'notify' ? 250 : 100);
  }
  listener?.release(true);
}

interface Figures {
  latencies: number[];
  events: number;
  bytes: number;
  worker: number;
  reader: number;
  temporal: number;
  postgres: number;
}

const workers = new Map<Carrier, ChildProcess>();
for (const carrier of carriers) {
  const place = carrier === 'sqlite' ? file : (postgres?.url ?? '');
  const worker = fork(fileURLToPath(new URL('./carriers-worker.ts', import.meta.url)), [carrier, address, place]);
  workers.set(carrier, worker);
  await once(worker, 'message');
}

async function cpu(worker: ChildProcess): Promise<Pick<Figures, 'worker' | 'reader' | 'temporal' | 'postgres'>> {
  worker.send('cpu');
  const [own] = (await once(worker, 'message')) as [number];
  const { system, user } = process.cpuUsage();
  return {
    worker: own,
    reader: (system + user) / 1000,
    temporal: cpuOf(server.pid ?? 0),
    postgres: cpuOf(postgres?.pid() ?? -1),
  };
}

let count = 0;

async function measure(carrier: Carrier): Promise<Figures> {
  const worker = workers.get(carrier) as ChildProcess;
  const before = await cpu(worker);
  const handle = await client.workflow.start('speaking', {
    taskQueue: carrier,
    workflowId: `speaking-${++count}`,
    args: [calls],
  });
  let over = false;
  const seen: Seen = new Map();
  const reading = read(carrier, handle, seen, () => over);
  const written = (await handle.result()) as Array<Array<[number, number]>>;
  over = true;
  await reading;
  const after = await cpu(worker);
  sqlite.exec('DELETE FROM texts');
  if (postgres) await pool.query('DELETE FROM texts');
  const latencies = written.flatMap((pieces, index) => {
    const looks = seen.get(String(index + 1)) ?? [];
    return pieces.map(([characters, at]) => (looks.find(([end]) => end >= characters)?.[1] ?? Infinity) - at);
  });
  const { events, historySizeBytes } = await (async () => {
    const { raw } = await handle.describe();
    const { historyLength, historySizeBytes: size } = raw.workflowExecutionInfo ?? {};
    return { events: Number(historyLength), historySizeBytes: Number(size) };
  })();
  return {
    latencies,
    events,
    bytes: historySizeBytes,
    worker: after.worker - before.worker,
    reader: after.reader - before.reader,
    temporal: after.temporal - before.temporal,
    postgres: after.postgres - before.postgres,
  };
}

const figures = new Map<Carrier, Figures[]>(carriers.map((carrier) => [carrier, []]));
for (let round = 0; round < rounds; round++)
  for (const carrier of carriers) figures.get(carrier)?.push(await measure(carrier));

for (const [carrier, of] of figures) {
  const latencies = of.flatMap((each) => each.latencies).sort((one, other) => one - other);
  const at = (share: number): string => String(Math.round(latencies[Math.floor(latencies.length * share)] ?? NaN));
  const mid = (pick: (each: Figures) => number): string => median(of.map(pick)).toFixed(0);
  console.log(
    `${carrier}: ${at(0.5)} ms from the model to the reader, 95th percentile ${at(0.95)} ms; history ${mid((each) => each.events)} events, ` +
      `${mid((each) => each.bytes)} bytes; processor for ${calls} calls of 8 s: worker ${mid((each) => each.worker)} ms, reader ` +
      `${mid((each) => each.reader)} ms, Temporal ${mid((each) => each.temporal)} ms, PostgreSQL ${mid((each) => each.postgres)} ms`,
  );
}
for (const worker of workers.values()) worker.kill();
await pool.end().catch(() => {});
await postgres?.stop();
await server.close();
process.exit(0);
