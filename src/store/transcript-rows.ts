import type { StoredMessage, TranscriptRef } from '../protocol/message.ts';
import type { Cipher } from '../encryption/cipher.ts';
import { now, openedJson, orTouch, sealedJson, type Database, type Sql } from './database.ts';
import { largeHashOf, segmentId } from '../util/ids.ts';
import { insertNamed } from './reference-rows.ts';
import { resolveMessages } from './resolve.ts';
import type { Store } from './store.ts';

const chainOf = `
  WITH RECURSIVE chain(id, parent, messages, depth) AS (
    SELECT id, parent, messages, 0 FROM segments WHERE id = ?
    UNION ALL
    SELECT s.id, s.parent, s.messages, chain.depth + 1 FROM segments s JOIN chain ON s.id = chain.parent
  )
  SELECT id, parent, messages FROM chain ORDER BY depth DESC`;

type Transcripts = Pick<Store, 'putSegment' | 'messages' | 'segment' | 'putBlob' | 'blob'>;

/** The tables of segments, and of the texts that they refer to. */
export function transcriptRows(database: Database, cipher: Cipher): Transcripts {
  const rows: Transcripts = {
    putSegment: (parent, messages) => database.write((sql) => insertSegment(sql, cipher, parent, messages)),

    async messages(segment) {
      const chain = await database.read((sql) => sql.all(chainOf, segment));
      const missing = chain[0] === undefined ? segment : chain[0]['parent'];
      if (missing !== null) throw noSegment(String(missing));
      const stored = chain.flatMap(
        (row) => openedJson(cipher, 'segments.messages', String(row['id']), row) as StoredMessage[],
      );
      return resolveMessages(rows, stored);
    },

    async segment(segment) {
      const row = await database.read((sql) => sql.get('SELECT messages FROM segments WHERE id = ?', segment));
      if (row === undefined) throw noSegment(segment);
      return openedJson(cipher, 'segments.messages', segment, row) as StoredMessage[];
    },

    async putBlob(text) {
      const id = await largeHashOf(text);
      const sealed = cipher.encryptBytes(Buffer.from(text), `blobs ${id}`);
      const insert = `INSERT INTO blobs (id, content, touched_at) VALUES (?, ?, ?) ${orTouch('blobs')}`;
      await database.write((sql) => insertNamed(sql, [id], () => sql.run(insert, id, sealed, now())));
      return id;
    },

    async blob(id) {
      const row = await database.read((sql) => sql.get('SELECT content FROM blobs WHERE id = ?', id));
      if (row === undefined) throw new Error(`The store has no blob ${id}`);
      return Buffer.from(cipher.decryptBytes(row['content'] as Uint8Array, `blobs ${id}`)).toString();
    },
  };
  return rows;
}

/** Inserts a segment in the present transaction. */
export async function insertSegment(
  sql: Sql,
  cipher: Cipher,
  parent: string | null,
  messages: StoredMessage[],
): Promise<TranscriptRef> {
  const id = segmentId(parent, messages);
  const count = (await countOf(sql, parent)) + messages.length;
  const insert = `INSERT INTO segments (id, parent, count, messages, touched_at) VALUES (?, ?, ?, ?, ?) ${orTouch('segments')}`;
  const values = [id, parent, count, sealedJson(cipher, 'segments.messages', id, messages), now()];
  await insertNamed(sql, [id], () => sql.run(insert, ...values));
  return { id, messages: count };
}

async function countOf(sql: Sql, segment: string | null): Promise<number> {
  if (segment === null) return 0;
  const row = await sql.get('SELECT count FROM segments WHERE id = ?', segment);
  if (row === undefined) throw noSegment(segment);
  return Number(row['count']);
}

const noSegment = (id: string): Error => new Error(`The store has no segment ${id}`);
