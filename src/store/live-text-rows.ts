import type { Cipher } from '../encryption/cipher.ts';
import { now, type Database } from './database.ts';
import type { LiveTexts } from './store.ts';

const insert = 'INSERT INTO live_texts VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING';

/** The table of texts in progress. What a worker that was killed has left is there until the call's next try ends, or `prune`. */
export const liveTextRows = (database: Database, cipher: Cipher): LiveTexts => ({
  async write(pieces, ended) {
    const rows = pieces.map(({ attempt, key, offset, text, workflowId }) => {
      const sealed = cipher.encryptText(JSON.stringify(text), purposeOf(key, attempt, offset));
      return [key, attempt, offset, sealed, workflowId, now()];
    });
    const forget = 'DELETE FROM live_texts WHERE key = ? AND attempt <= ?';
    await database.write((sql) =>
      Promise.all([
        ...rows.map((values) => sql.run(insert, ...values)),
        ...ended.map(({ attempt, key }) => sql.run(forget, key, attempt)),
      ]),
    );
  },

  async read(key, attempt, offset) {
    const select = `SELECT attempt, start, text FROM live_texts
      WHERE key = ? AND (attempt > ? OR (attempt = ? AND start >= ?)) ORDER BY attempt, start`;
    const rows = await database.read((sql) => sql.all(select, key, attempt, attempt, offset));
    return rows.map((row) => {
      const [tried, start] = [Number(row['attempt']), Number(row['start'])];
      const text = cipher.decryptText(String(row['text']), purposeOf(key, tried, start));
      return { attempt: tried, offset: start, text: JSON.parse(text) as string };
    });
  },
});

const purposeOf = (key: string, attempt: number, offset: number): string => `live_texts ${key} ${attempt} ${offset}`;
