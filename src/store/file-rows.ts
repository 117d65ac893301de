import type { AttachmentKind } from '../protocol/attachment.ts';
import type { Cipher } from '../encryption/cipher.ts';
import { now, type Database, type Row, type Sql } from './database.ts';
import type { RunFile, Store } from './store.ts';

/** The tables of runs' files. */
export function fileRows(database: Database, cipher: Cipher) {
  const fileOf = (row: Row): RunFile => {
    const name = String(row['name']);
    const place = placeOf(String(row['workflow_id']), name);
    return {
      name,
      kind: row['kind'] as AttachmentKind,
      mediaType: String(row['media_type']),
      bytes: Number(row['bytes']),
      ...(row['text_blob'] !== null && { text: String(row['text_blob']) }),
      ...(row['image_blob'] !== null && { image: String(row['image_blob']) }),
      ...(row['note'] !== null && { note: cipher.decryptText(String(row['note']), place) }),
      content: String(row['content']),
      from: row['source'] as RunFile['from'],
    };
  };
  const find = async (sql: Sql, workflowId: string, name: string): Promise<RunFile | undefined> => {
    const row = await sql.get('SELECT * FROM files WHERE workflow_id = ? AND name = ?', workflowId, name);
    return row && fileOf(row);
  };
  return {
    beginFiles: (workflowId, runId) =>
      database.write(async (sql) => {
        // Of two at once for the same run, the second waits for the first one here, and then changes nothing.
        const begun = await sql.run(
          `INSERT INTO file_runs (workflow_id, run_id, touched_at) VALUES (?, ?, ?)
           ON CONFLICT (workflow_id) DO UPDATE SET run_id = excluded.run_id, touched_at = excluded.touched_at WHERE file_runs.run_id <> excluded.run_id`,
          workflowId,
          runId,
          now(),
        );
        if (begun > 0) await sql.run('DELETE FROM files WHERE workflow_id = ?', workflowId);
      }),

    async putFile(workflowId, file) {
      const { name, kind, mediaType, bytes, text = null, image = null, note, content, from } = file;
      const sealed = note === undefined ? null : cipher.encryptText(note, placeOf(workflowId, name));
      const values = [workflowId, name, kind, mediaType, bytes, text, image, sealed, content, from, now()];
      return database.write(async (sql) => {
        const written = await sql.run(
          `INSERT INTO files (workflow_id, name, kind, media_type, bytes, text_blob, image_blob, note, content, source,
           touched_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
           ON CONFLICT (workflow_id, name) DO UPDATE SET kind = excluded.kind, media_type = excluded.media_type,
           bytes = excluded.bytes, text_blob = excluded.text_blob, image_blob = excluded.image_blob,
           note = excluded.note, content = excluded.content, source = excluded.source,
           touched_at = excluded.touched_at WHERE files.source = 'tool' AND excluded.source = 'tool'`,
          ...values,
        );
        return (written === 0 ? await find(sql, workflowId, name) : undefined) ?? file;
      });
    },

    file: (workflowId, name) => database.read((sql) => find(sql, workflowId, name)),

    async files(workflowId) {
      const every = 'SELECT * FROM files WHERE workflow_id = ? ORDER BY place';
      const rows = await database.read((sql) => sql.all(every, workflowId));
      return rows.map(fileOf);
    },
  } satisfies Partial<Store>;
}

const placeOf = (workflowId: string, name: string): string => `files ${workflowId}/${name}`;
