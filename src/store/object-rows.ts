import { setImmediate as nextTurn } from 'node:timers/promises';
import { Yielder } from '../util/yielder.ts';
import type { Cipher } from '../encryption/cipher.ts';
import { now, orTouch, type Database } from './database.ts';
import { insertNamed, presentWorkflow } from './reference-rows.ts';
import { largeHashOf } from '../util/ids.ts';
import type { Store } from './store.ts';

/** How many objects, and of how many bytes together, one transaction writes. */
const objectsAtOnce = 300;
const bytesAtOnce = 4_000_000;

/** How many ids one statement looks up, and after how many there is a break. */
const idsAtOnce = 100;

const someIds = `id IN (${Array.from({ length: idsAtOnce }, () => '?').join()})`;
const presentObjects = `SELECT id FROM objects WHERE ${someIds}`;
const ownObjects = `${presentObjects} AND id IN (SELECT id FROM refs WHERE workflow_id = ?)`;

/** The table of objects. */
export const objectRows = (
  database: Database,
  cipher: Cipher,
): Pick<Store, 'putObjects' | 'object' | 'missingObjects'> => ({
  async putObjects(contents) {
    const ids: string[] = [];
    const yielder = new Yielder();
    let batch: Array<[id: string, content: Uint8Array]> = [];
    let bytes = 0;
    const flush = async (): Promise<void> => {
      // All in one order, or two transactions would wait for one another's rows.
      const rows = new Map(batch.toSorted(([one], [other]) => (one < other ? -1 : 1)));
      [batch, bytes] = [[], 0];
      const insert = `INSERT INTO objects (id, content, touched_at) VALUES (?, ?, ?) ${orTouch('objects')}`;
      await database.write((sql) =>
        insertNamed(sql, [...rows.keys()], (id) => sql.run(insert, id, rows.get(id) ?? null, now())),
      );
    };
    for (const content of contents) {
      const id = await largeHashOf(content);
      ids.push(id);
      batch.push([id, cipher.encryptBytes(content, `objects ${id}`)]);
      bytes += content.length;
      if (yielder.due) await yielder.yield();
      // A transaction holds up the process for as long as it takes.
      if (batch.length >= objectsAtOnce || bytes >= bytesAtOnce) await flush();
    }
    if (batch.length > 0) await flush();
    return ids;
  },

  async object(id) {
    const row = await database.read((sql) => sql.get('SELECT content FROM objects WHERE id = ?', id));
    if (row === undefined) throw new Error(`The store has no object ${id}`);
    return cipher.decryptBytes(row['content'] as Uint8Array, `objects ${id}`);
  },

  async missingObjects(ids) {
    const workflow = presentWorkflow.getStore();
    const missing = new Set(ids);
    const all = [...missing];
    for (let from = 0; from < all.length; from += idsAtOnce) {
      const some = all.slice(from, from + idsAtOnce);
      // The statement has a fixed number of ids; what is repeated changes nothing.
      const asked = Array.from({ length: idsAtOnce }, (_, index) => some[index] ?? some[0] ?? '');
      const rows = await database.read((sql) =>
        workflow === undefined ? sql.all(presentObjects, ...asked) : sql.all(ownObjects, ...asked, workflow),
      );
      for (const { id } of rows) missing.delete(String(id));
      await nextTurn();
    }
    return [...missing];
  },
});
