import { setImmediate as nextTurn } from 'node:timers/promises';
import { Yielder } from '../util/yielder.ts';
import type { Cipher } from '../encryption/cipher.ts';
import { now, orTouch, type Database } from './database.ts';
import { insertNamed, presentWorkflow } from './reference-rows.ts';
import { largeHashOf } from '../util/ids.ts';

/** How many objects, and of how many bytes together, one transaction writes. */
const objectsAtOnce = 300;
const bytesAtOnce = 4_000_000;

/** How many ids one statement looks up, and after how many there is a break. */
const idsAtOnce = 100;

const someIds = `id IN (${Array.from({ length: idsAtOnce }, () => '?').join()})`;
const presentObjects = `SELECT id FROM objects WHERE ${someIds}`;
const ownObjects = `${presentObjects} AND id IN (SELECT id FROM refs WHERE workflow_id = ?)`;

/** The table of objects, which the object methods of `Store` read and write. */
export class ObjectRows {
  readonly #database: Database;
  readonly #cipher: Cipher;

  constructor(database: Database, cipher: Cipher) {
    this.#database = database;
    this.#cipher = cipher;
  }

  async put(contents: readonly Uint8Array[]): Promise<string[]> {
    const ids: string[] = [];
    const yielder = new Yielder();
    let batch: Array<[id: string, content: Uint8Array]> = [];
    let bytes = 0;
    const flush = async (): Promise<void> => {
      // All in one order, or two transactions would wait for one another's rows.
      const rows = new Map(batch.toSorted(([one], [other]) => (one < other ? -1 : 1)));
      [batch, bytes] = [[], 0];
      const insert = `INSERT INTO objects (id, content, touched_at) VALUES (?, ?, ?) ${orTouch('objects')}`;
      await this.#database.write((sql) =>
        insertNamed(sql, [...rows.keys()], (id) => sql.run(insert, id, rows.get(id) ?? null, now())),
      );
    };
    for (const content of contents) {
      const id = await largeHashOf(content);
      ids.push(id);
      batch.push([id, this.#cipher.encryptBytes(content, `objects ${id}`)]);
      bytes += content.length;
      if (yielder.due) await yielder.yield();
      // A transaction holds up the process for as long as it takes.
      if (batch.length >= objectsAtOnce || bytes >= bytesAtOnce) await flush();
    }
    if (batch.length > 0) await flush();
    return ids;
  }

  async find(id: string): Promise<Uint8Array> {
    const row = await this.#database.read((sql) => sql.get('SELECT content FROM objects WHERE id = ?', id));
    if (row === undefined) throw new Error(`The store has no object ${id}`);
    return this.#cipher.decryptBytes(row['content'] as Uint8Array, `objects ${id}`);
  }

  async missing(ids: readonly string[]): Promise<string[]> {
    const workflow = presentWorkflow.getStore();
    const missing = new Set(ids);
    const all = [...missing];
    for (let from = 0; from < all.length; from += idsAtOnce) {
      const some = all.slice(from, from + idsAtOnce);
      // The statement has a fixed number of ids; what is repeated changes nothing.
      const asked = Array.from({ length: idsAtOnce }, (_, index) => some[index] ?? some[0] ?? '');
      const rows = await this.#database.read((sql) =>
        workflow === undefined ? sql.all(presentObjects, ...asked) : sql.all(ownObjects, ...asked, workflow),
      );
      for (const { id } of rows) missing.delete(String(id));
      await nextTurn();
    }
    return [...missing];
  }
}
