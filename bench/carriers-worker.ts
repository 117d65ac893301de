/**
 * A bare worker as a process of its own, whose activities write texts and hand them on by a carrier: `node carriers-worker.ts
 * CARRIER ADDRESS PLACE`, where PLACE is an SQLite file or the address of a PostgreSQL database.
 */
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Context } from '@temporalio/activity';
import { NativeConnection, Worker } from '@temporalio/worker';
import pg from 'pg';
import { quietRuntime } from '../src/worker/quiet-runtime.ts';
import { head, pace, pieceOf, pieces } from './carriers-text.ts';

const [carrier = '', address = '', place = ''] = process.argv.slice(2);

/** Hands on what is new of a text. */
type HandOn = (activityId: string, offset: number, text: string, whole: string) => unknown;

/** How often it does so, in milliseconds. */
const everyMs = carrier === 'heartbeats' ? 500 : 100;

async function open(): Promise<HandOn> {
  if (carrier === 'heartbeats') return () => {};
  if (carrier === 'whole heartbeats')
    return (_id, _offset, _text, whole) => Context.current().heartbeat({ partial: whole, characters: whole.length });
  if (carrier === 'sqlite') {
    const database = new DatabaseSync(place);
    database.exec('PRAGMA synchronous = FULL; PRAGMA busy_timeout = 5000');
    const insert = database.prepare('INSERT INTO texts (call, start, text) VALUES (?, ?, ?)');
    const due: Array<[string, number, string]> = [];
    // All that is new goes in one transaction.
    setInterval(() => {
      if (due.length === 0) return;
      database.exec('BEGIN IMMEDIATE');
      for (const values of due.splice(0)) insert.run(...values);
      database.exec('COMMIT');
    }, everyMs);
    return (...[id, offset, text]) => due.push([id, offset, text]);
  }
  const pool = new pg.Pool({ connectionString: place });
  if (carrier === 'notify') {
    // A payload has fewer than 8,000 bytes.
    return async (id, offset, text) => {
      for (let from = 0; from < text.length; from += 2000) {
        const payload = JSON.stringify({ id, offset: offset + from, text: text.slice(from, from + 2000) });
        await pool.query('SELECT pg_notify($1, $2)', ['texts', payload]);
      }
    };
  }
  const due: Array<[string, number, string]> = [];
  setInterval(() => {
    const rows = due.splice(0);
    if (rows.length === 0) return;
    const values = rows.map((_, index) => `($${index * 3 + 1}, $${index * 3 + 2}, $${index * 3 + 3})`).join();
    void pool.query(`INSERT INTO texts (call, start, text) VALUES ${values}`, rows.flat());
  }, everyMs);
  return (...[id, offset, text]) => due.push([id, offset, text]);
}

quietRuntime();
const handOn = await open();
const worker = await Worker.create({
  connection: await NativeConnection.connect({ address }),
  taskQueue: carrier,
  workflowsPath: fileURLToPath(new URL('./workflows.ts', import.meta.url)),
  maxHeartbeatThrottleInterval: carrier === 'whole heartbeats' ? everyMs : 500,
  activities: {
    /** Writes a text. @returns when how much of it was there, in characters and milliseconds */
    async speak(): Promise<Array<[number, number]>> {
      const { activityId, workflowExecution } = Context.current().info;
      const id = `${workflowExecution?.runId}/${activityId}`;
      const written: Array<[number, number]> = [];
      let whole = head;
      let handed = 0;
      const next = (): void => {
        void handOn(id, handed, whole.slice(handed), whole);
        handed = whole.length;
      };
      next();
      const timer = setInterval(next, everyMs);
      // Heartbeats with the end of the text there are in any case, since by them it is known that the worker lives.
      const ends = (): void => Context.current().heartbeat({ partial: whole.slice(-4000), characters: whole.length });
      const beating = setInterval(carrier === 'whole heartbeats' ? () => {} : ends, 500);
      for (let piece = 0; piece < pieces; piece++) {
        await pause(pace);
        whole += pieceOf(piece);
        written.push([whole.length, Date.now()]);
      }
      await pause(everyMs * 3);
      clearInterval(timer);
      clearInterval(beating);
      return written;
    },
  },
});
process.on('message', () => {
  const { system, user } = process.cpuUsage();
  process.send?.((system + user) / 1000);
});
const ended = worker.run();
process.send?.('polling');
await ended;
