import type { AttachmentKind } from '../protocol/attachment.ts';
import type { SqliteStatements } from './sqlite-statements.ts';
import type { RunFile } from './store.ts';

/** The tables of runs' files, which the file methods of `Store` read and write. */
export class FileRows {
  readonly #sql: SqliteStatements;

  constructor(sql: SqliteStatements) {
    this.#sql = sql;
  }

  begin(workflowId: string, runId: string): Promise<void> {
    return this.#sql.write(() => {
      const row = this.#sql.get('SELECT run_id FROM file_runs WHERE workflow_id = ?', workflowId);
      if (row?.['run_id'] === runId) return;
      this.#sql.run('DELETE FROM files WHERE workflow_id = ?', workflowId);
      this.#sql.run('INSERT OR REPLACE INTO file_runs VALUES (?, ?)', workflowId, runId);
    });
  }

  put(workflowId: string, file: RunFile): Promise<RunFile> {
    return this.#sql.write(() => {
      const { name, kind, mediaType, bytes, hash, text = null, image = null, note = null, content = null, from } = file;
      const first = this.find(workflowId, name);
      if (first !== undefined && [first.from, from].includes('attachment')) return first;
      const values = [workflowId, name, kind, mediaType, bytes, hash, text, image, note, content, from];
      this.#sql.run(
        `INSERT INTO files (workflow_id, name, kind, media_type, bytes, hash, text_blob, image_blob, note, content,
         source) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
         ON CONFLICT (workflow_id, name) DO UPDATE SET kind = excluded.kind, media_type = excluded.media_type,
         bytes = excluded.bytes, hash = excluded.hash, text_blob = excluded.text_blob,
         image_blob = excluded.image_blob, note = excluded.note, content = excluded.content,
         source = excluded.source`,
        ...values,
      );
      return file;
    });
  }

  find(workflowId: string, name: string): RunFile | undefined {
    const row = this.#sql.get('SELECT * FROM files WHERE workflow_id = ? AND name = ?', workflowId, name);
    return row && fileOf(row);
  }

  all(workflowId: string): RunFile[] {
    return this.#sql.all('SELECT * FROM files WHERE workflow_id = ? ORDER BY place', workflowId).map(fileOf);
  }
}

function fileOf(row: ReturnType<SqliteStatements['all']>[number]): RunFile {
  return {
    name: String(row['name']),
    kind: row['kind'] as AttachmentKind,
    mediaType: String(row['media_type']),
    bytes: Number(row['bytes']),
    hash: String(row['hash']),
    ...(row['text_blob'] !== null && { text: String(row['text_blob']) }),
    ...(row['image_blob'] !== null && { image: String(row['image_blob']) }),
    ...(row['note'] !== null && { note: String(row['note']) }),
    ...(row['content'] !== null && { content: String(row['content']) }),
    from: row['source'] as RunFile['from'],
  };
}
