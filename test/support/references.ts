import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Recorded } from './replaying.ts';

/** An id of a segment, blob or object: SHA-256 in hexadecimal. */
const ids = /(?<![0-9a-f])[0-9a-f]{64}(?![0-9a-f])/g;

const idsIn = (content: unknown): string[] =>
  (typeof content === 'string' ? content : Buffer.from(content as Uint8Array).toString('latin1')).match(ids) ?? [];

/**
 * Whatever a history names, or its journal, and whatever that content names in turn, the store must know that the workflow
 * needs: `prune` reads nothing else. What is encrypted is not looked into.
 *
 * @param home has the SQLite file
 * @throws where it does not
 */
export function assertReferenced(home: string, recorded: Recorded[]): void {
  const file = join(home, 'store.sqlite');
  if (!existsSync(file)) return;
  const database = new DatabaseSync(file, { readOnly: true });
  try {
    const refs = database.prepare('SELECT id FROM refs WHERE workflow_id = ?');
    const replies = database.prepare('SELECT result AS text FROM replies WHERE workflow_id = ?');
    const contents = database.prepare(
      `SELECT messages AS content, parent FROM segments WHERE id = ? UNION ALL
       SELECT content, NULL FROM blobs WHERE id = ? UNION ALL SELECT content, NULL FROM objects WHERE id = ?`,
    );
    for (const { history, workflowId } of recorded) {
      const noted = new Set(refs.all(workflowId).map(({ id }) => String(id)));
      const waiting = textsOf(history).flatMap(idsIn);
      for (const { text } of replies.all(workflowId)) waiting.push(...idsIn(text));
      const seen = new Set<string>();
      for (let id = waiting.pop(); id !== undefined; id = waiting.pop()) {
        if (seen.has(id)) continue;
        seen.add(id);
        const rows = contents.all(id, id, id);
        if (rows.length > 0 && !noted.has(id))
          throw new Error(`The store does not know that ${workflowId} needs ${id}`);
        for (const { content, parent } of rows) waiting.push(...idsIn(content), ...idsIn(parent ?? ''));
      }
    }
  } finally {
    database.close();
  }
}

/** The payloads of a history. */
function textsOf(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return typeof value === 'string' ? [value] : [];
  if (value instanceof Uint8Array) return [Buffer.from(value).toString('latin1')];
  return Object.values(value).flatMap(textsOf);
}
