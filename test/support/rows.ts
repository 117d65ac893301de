import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

/** How many rows a table of a home's store has. */
export function rowsIn(home: string, table: 'replies' | 'reports' | 'tool_results'): number {
  const database = new DatabaseSync(join(home, 'store.sqlite'), { readOnly: true, timeout: 5000 });
  const row = database.prepare(`SELECT count(*) AS rows FROM ${table}`).get();
  database.close();
  return Number(row?.['rows']);
}
