import { Breaks } from '../util/breaks.ts';
import type { Cipher } from '../encryption/cipher.ts';
import type { Database, Row, Value } from './database.ts';

/** What of a store is needed, as the histories of runs say. */
export interface Needed {
  /** The runs, of which the journal is kept. */
  runIds: ReadonlySet<string>;
  /** Their workflows, of which files and long results are kept. */
  workflowIds: ReadonlySet<string>;
  /** All ids of segments, blobs and objects that the histories name. Others may be among them. */
  ids: ReadonlySet<string>;
}

/** How many rows of a table there are, how many of them nobody needs, and the bytes of their content. */
export interface Swept {
  rows: number;
  removed: number;
  bytes: number;
}

/** How many rows are read at a time, and how many are removed in one transaction. */
const page = 500;

/** An id of a segment, blob or object: SHA-256 in hexadecimal. */
const idIn = /(?<![0-9a-f])[0-9a-f]{64}(?![0-9a-f])/g;

export const idsIn = (text: string): string[] => text.match(idIn) ?? [];

/** A table whose rows belong to runs. */
interface Owned {
  table: string;
  /** The columns of its primary key; the first one says whose a row is. */
  keys: [owner: string, ...others: string[]];
  /** Whether the first one is a journal key, `runId/activityId`, rather than a workflow's id. */
  isJournal: boolean;
  /** The columns with content: `sealed` ones are opened by the cipher for the place that this returns. */
  content: string[];
  place?: (row: Row) => string;
  /** The columns that are ids. */
  ids: string[];
}

const keyPlace = (column: string) => (row: Row) => `${column} ${String(row['key'])}`;

/** In an order in which no row is removed while another one refers to it. */
const owned: Owned[] = [
  {
    table: 'replies',
    keys: ['key', 'input_hash'],
    isJournal: true,
    content: ['result'],
    place: keyPlace('replies.result'),
    ids: ['segment'],
  },
  {
    table: 'tool_results',
    keys: ['key', 'input_hash'],
    isJournal: true,
    content: ['result'],
    place: keyPlace('tool_results.result'),
    ids: [],
  },
  {
    table: 'checkpoints',
    keys: ['key'],
    isJournal: true,
    content: ['state'],
    place: keyPlace('checkpoints.state'),
    ids: [],
  },
  { table: 'tries', keys: ['key', 'attempt'], isJournal: true, content: ['usage'], ids: [] },
  { table: 'results', keys: ['workflow_id', 'agent', 'id'], isJournal: false, content: [], ids: ['blob'] },
  {
    table: 'files',
    keys: ['workflow_id', 'name'],
    isJournal: false,
    content: [],
    ids: ['text_blob', 'image_blob', 'content'],
  },
  { table: 'file_runs', keys: ['workflow_id'], isJournal: false, content: [], ids: [] },
];

/** The tables whose rows are named by their content, by the column that holds it. */
const named = { segments: 'messages', blobs: 'content', objects: 'content' } as const;

/**
 * Removes what no run needs: a mark and sweep, as a conservative garbage collector does it. Whatever looks like an id in the
 * content of something needed counts as a reference, so that a reference of a form which nobody thought of here is kept too.
 *
 * Workers may read and write meanwhile. Rows that were written, or stored once more, since `before` are left alone with all
 * that they refer to: a run may be about to name them. It may be ended at any moment, and begins anew the next time.
 */
export class Sweep {
  readonly #database: Database;
  readonly #cipher: Cipher;
  readonly #breaks = new Breaks();

  constructor(database: Database, cipher: Cipher) {
    this.#database = database;
    this.#cipher = cipher;
  }

  /** The namespaces whose workers use the store: Temporal's ids, and names. */
  async namespaces(): Promise<Map<string, string>> {
    const rows = await this.#database.read((sql) => sql.all('SELECT * FROM namespaces'));
    return new Map(rows.map((row) => [String(row['id']), String(row['name'])]));
  }

  async joinNamespace(id: string, name: string): Promise<void> {
    const insert = 'INSERT INTO namespaces (id, name) VALUES (?, ?) ON CONFLICT DO NOTHING';
    await this.#database.write((sql) => sql.run(insert, id, name));
  }

  forgetNamespace(id: string): Promise<unknown> {
    return this.#database.write((sql) => sql.run('DELETE FROM namespaces WHERE id = ?', id));
  }

  /** The runs that the journal has entries of. */
  async runIds(): Promise<Set<string>> {
    const found = new Set<string>();
    for (const { isJournal, keys, table } of owned) {
      if (!isJournal) continue;
      await this.#each(table, keys, keys.join(), async (row) => void found.add(runOf(row)));
    }
    return found;
  }

  size = (): Promise<{ bytes: number; free: number }> => this.#database.size();

  shrink = (): Promise<boolean> => this.#database.shrink();

  /**
   * Finds all segments, blobs and objects that are needed.
   *
   * @param before seconds since 1970: rows from then on are needed, whoever they belong to
   * @param onFound is told how many there are so far
   */
  async mark(needed: Needed, before: number, onFound: (count: number) => void = () => {}): Promise<Set<string>> {
    const found = new Set<string>();
    let waiting = [...needed.ids];
    const see = (text: string): void => void waiting.push(...idsIn(text));
    for (const each of owned) {
      await this.#each(each.table, each.keys, '*', async (row) => {
        if (!isNeeded(each, row, needed, before)) return;
        for (const column of each.ids) if (typeof row[column] === 'string') see(row[column]);
        for (const column of each.content) see(this.#text(row[column], each.place?.(row)));
      });
    }
    await this.#each('reports', ['id'], 'id, report', async (row) => {
      see(this.#text(row['report'], `reports.report ${String(row['id'])}`));
    });
    for (const table of Object.keys(named)) {
      await this.#each(table, ['id'], 'id, touched_at', async (row) => {
        if (Number(row['touched_at']) >= before) waiting.push(String(row['id']));
      });
    }
    const seen = new Set<string>();
    while (waiting.length > 0) {
      const fresh = [...new Set(waiting)].filter((id) => !seen.has(id));
      waiting = [];
      for (let from = 0; from < fresh.length; from += page) {
        const some = fresh.slice(from, from + page);
        for (const id of some) seen.add(id);
        for (const [table, column] of Object.entries(named)) {
          const extra = table === 'segments' ? ', parent' : '';
          const query = `SELECT id, ${column}${extra} FROM ${table} WHERE id IN (${some.map(() => '?').join()})`;
          for (const row of await this.#database.read((sql) => sql.all(query, ...some))) {
            const id = String(row['id']);
            found.add(id);
            if (typeof row['parent'] === 'string') waiting.push(row['parent']);
            const place = table === 'segments' ? `segments.messages ${id}` : `${table} ${id}`;
            see(this.#text(row[column], place));
            if (this.#breaks.due) await this.#breaks.take();
          }
        }
        onFound(found.size);
      }
    }
    return found;
  }

  /**
   * Removes what is not needed and was last written before `before`.
   *
   * @param marked what `mark` has found
   * @param isDry whether it is only counted
   * @returns what was removed, by table
   */
  async remove(
    needed: Needed,
    marked: ReadonlySet<string>,
    before: number,
    isDry: boolean,
  ): Promise<Map<string, Swept>> {
    const swept = new Map<string, Swept>();
    for (const each of owned) {
      const sizes =
        [...each.content, ...each.ids].map((column) => `coalesce(octet_length(${column}), 0)`).join(' + ') || '0';
      const columns = `${each.keys.join()}, touched_at, ${sizes} AS bytes`;
      swept.set(
        each.table,
        await this.#sweep(each.table, each.keys, columns, before, isDry, (row) => isNeeded(each, row, needed, before)),
      );
    }
    for (const [table, column] of Object.entries(named)) {
      const columns = `id, touched_at, octet_length(${column}) AS bytes`;
      const keep = (row: Row): boolean => marked.has(String(row['id'])) || Number(row['touched_at']) >= before;
      swept.set(table, await this.#sweep(table, ['id'], columns, before, isDry, keep));
    }
    return swept;
  }

  async #sweep(
    table: string,
    keys: readonly string[],
    columns: string,
    before: number,
    isDry: boolean,
    isKept: (row: Row) => boolean,
  ): Promise<Swept> {
    const swept: Swept = { rows: 0, removed: 0, bytes: 0 };
    // A row that is stored once more at this very moment is left alone.
    const statement = `DELETE FROM ${table} WHERE ${keys.map((key) => `${key} = ?`).join(' AND ')} AND touched_at < ?`;
    await this.#pages(table, keys, columns, async (rows) => {
      swept.rows += rows.length;
      const unwanted = rows.filter((row) => !isKept(row));
      if (unwanted.length === 0) return;
      const gone = isDry
        ? unwanted.map(() => 1)
        : await this.#database.write(async (sql) => {
            const counts: number[] = [];
            for (const row of unwanted)
              counts.push(await sql.run(statement, ...keys.map((key) => row[key] as Value), before));
            return counts;
          });
      for (const [index, row] of unwanted.entries()) {
        if (gone[index] !== 1) continue;
        swept.removed += 1;
        swept.bytes += Number(row['bytes']);
      }
    });
    return swept;
  }

  async #each(
    table: string,
    keys: readonly string[],
    columns: string,
    work: (row: Row) => Promise<void>,
  ): Promise<void> {
    await this.#pages(table, keys, columns, async (rows) => {
      for (const row of rows) {
        await work(row);
        if (this.#breaks.due) await this.#breaks.take();
      }
    });
  }

  /** Reads a table by its primary key, a page at a time, so that rows may come and go meanwhile. */
  async #pages(
    table: string,
    keys: readonly string[],
    columns: string,
    work: (rows: Row[]) => Promise<void>,
  ): Promise<void> {
    const order = keys.join();
    const first = `SELECT ${columns} FROM ${table} ORDER BY ${order} LIMIT ${page}`;
    const next = `SELECT ${columns} FROM ${table} WHERE (${order}) > (${keys.map(() => '?').join()}) ORDER BY ${order} LIMIT ${page}`;
    let last: Row | undefined;
    for (;;) {
      const values = last === undefined ? [] : keys.map((key) => last?.[key] as Value);
      const rows = await this.#database.read((sql) => sql.all(last === undefined ? first : next, ...values));
      if (rows.length === 0) return;
      last = rows.at(-1);
      await work(rows);
      await this.#breaks.take();
    }
  }

  /** A content in clear. @param place undefined for what is not sealed */
  #text(content: unknown, place: string | undefined): string {
    if (content === null || content === undefined) return '';
    if (typeof content === 'string') return place === undefined ? content : this.#cipher.openText(content, place);
    const bytes = place === undefined ? (content as Uint8Array) : this.#cipher.openBytes(content as Uint8Array, place);
    return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');
  }
}

function isNeeded({ isJournal, keys: [owner] }: Owned, row: Row, needed: Needed, before: number): boolean {
  if (Number(row['touched_at']) >= before) return true;
  return isJournal ? needed.runIds.has(runOf(row)) : needed.workflowIds.has(String(row[owner]));
}

/** The run of a journal key. */
const runOf = (row: Row): string => String(row['key']).split('/')[0] ?? '';
