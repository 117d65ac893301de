import { AsyncLocalStorage } from 'node:async_hooks';
import { now, type Sql } from './database.ts';

/** The id of the workflow for which an activity stores something. There is none outside of activities. */
export const presentWorkflow = new AsyncLocalStorage<string>();

/**
 * For how long a workflow does not count as written to once more, in seconds. To touch its row with each write would have its
 * agents wait for one another.
 */
export const touchedFor = 3600;

const touch = `INSERT INTO workflows (id, needed_at, touched_at) SELECT ?, 0, CAST(? AS BIGINT)
  WHERE NOT EXISTS (SELECT 1 FROM workflows WHERE id = ? AND touched_at >= ?)
  ON CONFLICT (id) DO UPDATE SET touched_at = excluded.touched_at`;

/**
 * Inserts rows that are named by their content, in the present transaction, and notes that the workflow needs them, even if
 * another one has stored them already: `prune` then leaves them alone.
 */
export async function insertNamed(
  sql: Sql,
  ids: readonly string[],
  insert: (id: string) => Promise<unknown>,
): Promise<void> {
  const workflow = presentWorkflow.getStore();
  if (workflow === undefined) {
    await Promise.all(ids.map(insert));
    return;
  }
  const time = now();
  const refer = `INSERT INTO refs (workflow_id, id) VALUES ${ids.map(() => '(?, ?)').join()} ON CONFLICT DO NOTHING`;
  await Promise.all([
    sql.run(touch, workflow, time, workflow, time - touchedFor),
    ...ids.map(insert),
    sql.run(refer, ...ids.flatMap((id) => [workflow, id])),
  ]);
}
