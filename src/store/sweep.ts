import type { Database } from './database.ts';
import { touchedFor } from './reference-rows.ts';

/** How many rows nobody needs of those that a table has, and the bytes of their content. */
export interface Swept {
  rows: number;
  of: number;
  bytes: number;
}

interface SweepSettings {
  /** Seconds since 1970: what was written from then on stays, whoever has written it. */
  before: number;
  /** Whether what is to be removed is only counted. */
  isDry: boolean;
}

/** How many rows one transaction writes or removes: others wait for as long as it takes. */
const page = 2000;

/** The tables with their keys and what they hold, in an order in which no row is removed while another one refers to it. */
const tables: Record<string, { keys: string; content: string[] }> = {
  replies: { keys: 'key, input_hash', content: ['result'] },
  tool_results: { keys: 'key, input_hash', content: ['result'] },
  checkpoints: { keys: 'key', content: ['state'] },
  tries: { keys: 'key, attempt', content: ['usage'] },
  live_texts: { keys: 'key, attempt, start', content: ['text'] },
  results: { keys: 'workflow_id, agent, id', content: ['blob'] },
  files: { keys: 'workflow_id, name', content: ['text_blob', 'image_blob', 'content'] },
  file_runs: { keys: 'workflow_id', content: [] },
  segments: { keys: 'id', content: ['messages'] },
  blobs: { keys: 'id', content: ['content'] },
  objects: { keys: 'id', content: ['content'] },
};

/** Removes what no workflow needs, while workers read and write. It may be ended at any moment, and begins anew the next time. */
export const sweepOf = (database: Database) => ({
  /** The namespaces whose workers use the store: Temporal's ids, and names. */
  async namespaces(): Promise<Map<string, string>> {
    const rows = await database.read((sql) => sql.all('SELECT * FROM namespaces'));
    return new Map(rows.map((row) => [String(row['id']), String(row['name'])]));
  },

  forgetNamespace: (id: string): Promise<unknown> =>
    database.write((sql) => sql.run('DELETE FROM namespaces WHERE id = ?', id)),

  /** Those that have stored something. */
  async workflowIds(): Promise<Set<string>> {
    const rows = await database.read((sql) => sql.all('SELECT id FROM workflows'));
    return new Set(rows.map(({ id }) => String(id)));
  },

  size: () => database.size(),

  shrink: () => database.shrink(),

  /**
   * Removes what was last written before some time and is not of these workflows, by table: journals and files, and the
   * segments, blobs and objects that none of them has stored.
   */
  async remove(workflowIds: ReadonlySet<string>, { before, isDry }: SweepSettings): Promise<Record<string, Swept>> {
    const startedAt = Date.now();
    await need(database, [...workflowIds].toSorted(), startedAt);
    // A workflow counts as written to an hour late, and must not go while something that it has written stays.
    const kept: [number, number] = [startedAt, before - 2 * touchedFor];
    const swept: Record<string, Swept> = {};
    for (const [table, { content, keys }] of Object.entries(tables)) {
      const bytes = content.map((column) => `coalesce(octet_length(${column}), 0)`).join(' + ') || '0';
      const unwanted = unwantedIn(table, keys);
      const count = `SELECT (SELECT count(*) FROM ${table}) AS total, count(*) AS unwanted, sum(${bytes}) AS bytes
        FROM ${table} WHERE ${unwanted}`;
      const row = await database.read((sql) => sql.get(count, before, ...kept));
      swept[table] = { rows: Number(row?.['unwanted']), of: Number(row?.['total']), bytes: Number(row?.['bytes']) };
      if (isDry) continue;
      // What is stored once more at this very moment is left alone: PostgreSQL looks at the outer condition again.
      const some = `SELECT ${keys} FROM ${table} WHERE ${unwanted} LIMIT ${page}`;
      const remove = `DELETE FROM ${table} WHERE (${keys}) IN (${some}) AND touched_at < ?`;
      while ((await database.write((sql) => sql.run(remove, before, ...kept, before))) > 0);
    }
    if (!isDry) await forget(database, kept);
    return swept;
  },
});

/** Notes that workflows were needed at a time, in milliseconds since 1970, unless another prune has noted a later one. */
async function need(database: Database, workflowIds: string[], time: number): Promise<void> {
  const upsert = `INSERT INTO workflows (id, needed_at, touched_at) VALUES (?, ?, 0)
    ON CONFLICT (id) DO UPDATE SET needed_at = excluded.needed_at WHERE workflows.needed_at < excluded.needed_at`;
  for (let from = 0; from < workflowIds.length; from += page) {
    const some = workflowIds.slice(from, from + page);
    await database.write((sql) => Promise.all(some.map((id) => sql.run(upsert, id, time))));
  }
}

/** Removes the references of workflows that are gone. */
async function forget(database: Database, kept: [number, number]): Promise<void> {
  const isGone = 'needed_at < ? AND touched_at < ?';
  const gone = await database.read((sql) => sql.all(`SELECT id FROM workflows WHERE ${isGone}`, ...kept));
  for (const { id } of gone) {
    await database.write(async (sql) => {
      // Whoever starts a workflow of this id at this moment waits here for the other, and finds its references as it has made them.
      const removed = await sql.run(`DELETE FROM workflows WHERE id = ? AND ${isGone}`, String(id), ...kept);
      if (removed > 0) await sql.run('DELETE FROM refs WHERE workflow_id = ?', String(id));
    });
  }
}

/** The condition of rows that nobody needs, given the time before which they were written, and who is kept. */
function unwantedIn(table: string, keys: string): string {
  const isKept = '(w.needed_at >= ? OR w.touched_at >= ?)';
  return keys === 'id'
    ? `touched_at < ? AND id IN (SELECT id FROM ${table} EXCEPT
         SELECT r.id FROM refs r JOIN workflows w ON w.id = r.workflow_id WHERE ${isKept})`
    : `touched_at < ? AND NOT EXISTS (SELECT 1 FROM workflows w WHERE w.id = ${table}.workflow_id AND ${isKept})`;
}
