import type { AttachmentKind } from '../protocol/attachment.ts';
import type { SqliteStatements } from './sqlite-statements.ts';
import type { RunFile } from './store.ts';

type Row = ReturnType<SqliteStatements['all']>[number];

/** The files of runs, as rows. */
export class FileRows {
  readonly #sql: SqliteStatements;

  constructor(sql: SqliteStatements) {
    this.#sql = sql;
  }

  begin(workflowId: string, runId: string): void {
    this.#sql.write(() => {
      const row = this.#sql.get('SELECT run_id FROM file_runs WHERE workflow_id = ?', workflowId);
      if (row?.['run_id'] === runId) return;
      this.#sql.run('DELETE FROM files WHERE workflow_id = ?', workflowId);
      this.#sql.run('INSERT OR REPLACE INTO file_runs VALUES (?, ?)', workflowId, runId);
    });
  }

  put(workflowId: string, file: RunFile): RunFile {
    return this.#sql.write(() => {
      const first = this.find(workflowId, file.name);
      if (first === undefined) {
        this.#sql.run(
          `INSERT INTO files (kind, media_type, bytes, hash, text_blob, image_blob, note, source, workflow_id, name)
           VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
          ...valuesOf(file),
          workflowId,
          file.name,
        );
        return file;
      }
      if (first.from === 'attachment' || file.from === 'attachment') return first;
      this.#sql.run(
        `UPDATE files SET kind = ?, media_type = ?, bytes = ?, hash = ?, text_blob = ?, image_blob = ?, note = ?,
         source = ? WHERE workflow_id = ? AND name = ?`,
        ...valuesOf(file),
        workflowId,
        file.name,
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

function valuesOf({ kind, mediaType, bytes, hash, text, image, note, from }: RunFile) {
  return [kind, mediaType, bytes, hash, text ?? null, image ?? null, note ?? null, from] as const;
}

function fileOf(row: Row): RunFile {
  return {
    name: String(row['name']),
    kind: row['kind'] as AttachmentKind,
    mediaType: String(row['media_type']),
    bytes: Number(row['bytes']),
    hash: String(row['hash']),
    ...(row['text_blob'] !== null && { text: String(row['text_blob']) }),
    ...(row['image_blob'] !== null && { image: String(row['image_blob']) }),
    ...(row['note'] !== null && { note: String(row['note']) }),
    from: row['source'] as RunFile['from'],
  };
}
