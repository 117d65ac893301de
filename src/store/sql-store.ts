import { randomBytes } from 'node:crypto';
import type { Cipher } from '../encryption/cipher.ts';
import { now, type Database } from './database.ts';
import { fileRows } from './file-rows.ts';
import { journalRows } from './journal-rows.ts';
import { liveTextRows } from './live-text-rows.ts';
import { objectRows } from './object-rows.ts';
import { rateRows } from './rate-rows.ts';
import { reportRows } from './report-rows.ts';
import { sweepOf } from './sweep.ts';
import type { Store } from './store.ts';
import { transcriptRows } from './transcript-rows.ts';

/** How many characters of its hash name a result to a model, which has to repeat them. */
const resultId = 10;

export interface SqlStore extends Store {
  readonly sweep: ReturnType<typeof sweepOf>;
}

/** The store in a database, whichever it is. What people and models have said passes through the cipher. */
export const sqlStore = (database: Database, cipher: Cipher): SqlStore => ({
  rates: rateRows(database),
  liveTexts: liveTextRows(database, cipher),
  sweep: sweepOf(database),
  ...journalRows(database, cipher),
  ...transcriptRows(database, cipher),
  ...objectRows(database, cipher),
  ...reportRows(database, cipher),
  ...fileRows(database, cipher),

  async putResult(workflowId, agent, blob) {
    const id = blob.slice(0, resultId);
    const upsert = `INSERT INTO results (workflow_id, agent, id, blob, touched_at) VALUES (?, ?, ?, ?, ?)
      ON CONFLICT (workflow_id, agent, id) DO UPDATE SET blob = excluded.blob, touched_at = excluded.touched_at`;
    await database.write((sql) => sql.run(upsert, workflowId, agent, id, blob, now()));
    return id;
  },

  async result(workflowId, agent, id) {
    const select = 'SELECT blob FROM results WHERE workflow_id = ? AND agent = ? AND id = ?';
    const row = await database.read((sql) => sql.get(select, workflowId, agent, id));
    return row && String(row['blob']);
  },

  async secret(name) {
    const select = 'SELECT value FROM secrets WHERE name = ?';
    const known = await database.read((sql) => sql.get(select, name));
    const row =
      known ??
      (await database.write(async (sql) => {
        const made = cipher.encryptText(randomBytes(32).toString('base64'), `secrets ${name}`);
        await sql.run('INSERT INTO secrets (name, value) VALUES (?, ?) ON CONFLICT DO NOTHING', name, made);
        return sql.get(select, name);
      }));
    return cipher.decryptText(String(row?.['value']), `secrets ${name}`);
  },

  async secretNames() {
    const rows = await database.read((sql) => sql.all('SELECT name FROM secrets ORDER BY name'));
    return rows.map(({ name }) => String(name));
  },

  async identity() {
    const row = await database.read((sql) => sql.get('SELECT id FROM identity'));
    return String(row?.['id']);
  },

  async joinNamespace(id, name) {
    const insert = 'INSERT INTO namespaces (id, name) VALUES (?, ?) ON CONFLICT DO NOTHING';
    await database.write((sql) => sql.run(insert, id, name));
  },

  close: () => database.close(),
});
