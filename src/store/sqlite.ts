import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { Breaks } from '../breaks.ts';
import { privateFile, privateFolder } from '../private-files.ts';
import type { Message, TokenUsage, TranscriptRef } from '../protocol/message.ts';
import type { CallModelResult } from '../protocol/model-call.ts';
import type { StoredReport } from '../protocol/research.ts';
import type { CallToolResult } from '../protocol/tool.ts';
import { largeHashOf, segmentId } from './ids.ts';
import { FileRows } from './sqlite-files.ts';
import { prepareSchema } from './sqlite-schema.ts';
import { SqliteStatements } from './sqlite-statements.ts';
import { sumOfUsage, type Checkpoint, type ReplyCommit, type RunFile, type Store, type Try } from './store.ts';

const chainOf = `
  WITH RECURSIVE chain(id, parent, messages, depth) AS (
    SELECT id, parent, messages, 0 FROM segments WHERE id = ?
    UNION ALL
    SELECT s.id, s.parent, s.messages, chain.depth + 1 FROM segments s JOIN chain ON s.id = chain.parent
  )
  SELECT parent, messages FROM chain ORDER BY depth DESC`;

/**
 * Opens the embedded store, an SQLite file that several workers of one machine may share. A commit is on the disk when
 * it returns (WAL, `synchronous = FULL`).
 *
 * @param file the path of the file, whose folder is created if it is missing
 * @throws `Error` if a newer version wrote the file, or if it cannot be opened
 */
export function openSqliteStore(file: string): Store {
  privateFolder(dirname(file));
  privateFile(file);
  const database = new DatabaseSync(file, { timeout: 5000 });
  prepareSchema(database, file);
  // SQLite waits for a lock by blocking the process, which at this point has nothing else to do yet.
  database.exec('PRAGMA busy_timeout = 0');
  return new SqliteStore(database);
}

/** How many objects, and of how many bytes together, one transaction writes. */
const objectsAtOnce = 300;
const bytesAtOnce = 4_000_000;

/** How many ids are looked up without a break. */
const idsAtOnce = 1000;

/** How many characters of its hash name a result to a model, which has to repeat them. */
const resultId = 10;

class SqliteStore implements Store {
  readonly #sql: SqliteStatements;
  readonly #files: FileRows;

  constructor(database: DatabaseSync) {
    this.#sql = new SqliteStatements(database);
    this.#files = new FileRows(this.#sql);
  }

  async findReply(key: string, inputHash: string): Promise<CallModelResult | undefined> {
    return this.#sql.read(() => this.#reply(key, inputHash));
  }

  async commitReply({ key, inputHash, parent, messages, result }: ReplyCommit): Promise<CallModelResult> {
    return this.#sql.write(() => {
      const first = this.#reply(key, inputHash);
      if (first !== undefined) return first;
      const transcript = this.#insert(parent, messages);
      const full: CallModelResult = { transcript, ...result };
      this.#sql.run('INSERT INTO replies VALUES (?, ?, ?, ?)', key, inputHash, transcript.id, JSON.stringify(full));
      this.#sql.run('DELETE FROM checkpoints WHERE key = ?', key);
      return full;
    });
  }

  async putCheckpoint(key: string, inputHash: string, checkpoint: Checkpoint): Promise<void> {
    const values = [key, inputHash, JSON.stringify(checkpoint)];
    await this.#sql.write(() => this.#sql.run('INSERT OR REPLACE INTO checkpoints VALUES (?, ?, ?)', ...values));
  }

  async checkpoint(key: string, inputHash: string): Promise<Checkpoint | undefined> {
    const sql = 'SELECT state FROM checkpoints WHERE key = ? AND input_hash = ?';
    return this.#sql.read(() => this.#sql.json(sql, key, inputHash) as Checkpoint | undefined);
  }

  async findToolResult(key: string, inputHash: string): Promise<CallToolResult | undefined> {
    return this.#sql.read(() => this.#toolResult(key, inputHash));
  }

  async commitToolResult(key: string, inputHash: string, result: CallToolResult): Promise<CallToolResult> {
    return this.#sql.write(() => {
      const first = this.#toolResult(key, inputHash);
      if (first !== undefined) return first;
      this.#sql.run('INSERT INTO tool_results VALUES (?, ?, ?)', key, inputHash, JSON.stringify(result));
      return result;
    });
  }

  async putSegment(parent: string | null, messages: Message[]): Promise<TranscriptRef> {
    return this.#sql.write(() => this.#insert(parent, messages));
  }

  async recordTry(key: string, { attempt, usage, failed }: Try): Promise<void> {
    const values = [key, attempt, JSON.stringify(usage), failed ? 1 : 0];
    await this.#sql.write(() => this.#sql.run('INSERT OR IGNORE INTO tries VALUES (?, ?, ?, ?)', ...values));
  }

  async tries(key: string): Promise<Try[]> {
    return this.#sql.read(() => this.#tries(key));
  }

  async spent(keys: string[]): Promise<Map<string, TokenUsage>> {
    return this.#sql.read(() => {
      const found = new Map<string, TokenUsage>();
      for (const key of keys) {
        const reply = this.#sql.json('SELECT result FROM replies WHERE key = ?', key) as CallModelResult | undefined;
        const tries = this.#tries(key).map(({ usage }) => usage);
        const usage = reply?.usage ?? sumOfUsage(tries);
        if (reply !== undefined || tries.length > 0) found.set(key, usage);
      }
      return found;
    });
  }

  async messages(segment: string): Promise<Message[]> {
    const rows = await this.#sql.read(() => this.#sql.all(chainOf, segment));
    const missing = rows[0] === undefined ? segment : rows[0]['parent'];
    if (missing !== null) throw noSegment(String(missing));
    return rows.flatMap((row) => JSON.parse(String(row['messages'])) as Message[]);
  }

  async segment(segment: string): Promise<Message[]> {
    const messages = await this.#sql.read(() => this.#sql.json('SELECT messages FROM segments WHERE id = ?', segment));
    if (messages === undefined) throw noSegment(segment);
    return messages as Message[];
  }

  async putBlob(text: string): Promise<string> {
    const id = await largeHashOf(text);
    await this.#sql.write(() => this.#sql.run('INSERT OR IGNORE INTO blobs VALUES (?, ?)', id, text));
    return id;
  }

  async blob(id: string): Promise<string> {
    const row = await this.#sql.read(() => this.#sql.get('SELECT content FROM blobs WHERE id = ?', id));
    if (row === undefined) throw new Error(`The store has no blob ${id}`);
    return String(row['content']);
  }

  async putObjects(contents: readonly Uint8Array[]): Promise<string[]> {
    const ids: string[] = [];
    const breaks = new Breaks();
    let batch: Array<[id: string, content: Uint8Array]> = [];
    let bytes = 0;
    const flush = async (): Promise<void> => {
      const rows = batch;
      [batch, bytes] = [[], 0];
      await this.#sql.write(() => {
        for (const row of rows) this.#sql.run('INSERT OR IGNORE INTO objects VALUES (?, ?)', ...row);
      });
    };
    for (const content of contents) {
      const id = await largeHashOf(content);
      ids.push(id);
      batch.push([id, content]);
      bytes += content.length;
      if (breaks.due) await breaks.take();
      // A transaction holds up the process for as long as it takes.
      if (batch.length >= objectsAtOnce || bytes >= bytesAtOnce) await flush();
    }
    if (batch.length > 0) await flush();
    return ids;
  }

  async object(id: string): Promise<Uint8Array> {
    const row = await this.#sql.read(() => this.#sql.get('SELECT content FROM objects WHERE id = ?', id));
    if (row === undefined) throw new Error(`The store has no object ${id}`);
    return row['content'] as Uint8Array;
  }

  async missingObjects(ids: readonly string[]): Promise<string[]> {
    const isMissing = (id: string): boolean => this.#sql.get('SELECT 1 FROM objects WHERE id = ?', id) === undefined;
    const missing: string[] = [];
    const all = [...new Set(ids)];
    for (let from = 0; from < all.length; from += idsAtOnce) {
      const some = all.slice(from, from + idsAtOnce);
      missing.push(...(await this.#sql.read(() => some.filter(isMissing))));
      await nextTurn();
    }
    return missing;
  }

  async putResult(workflowId: string, agent: string, blob: string): Promise<string> {
    const id = blob.slice(0, resultId);
    const values = [workflowId, agent, id, blob];
    await this.#sql.write(() => this.#sql.run('INSERT OR REPLACE INTO results VALUES (?, ?, ?, ?)', ...values));
    return id;
  }

  async result(workflowId: string, agent: string, id: string): Promise<string | undefined> {
    const sql = 'SELECT blob FROM results WHERE workflow_id = ? AND agent = ? AND id = ?';
    const row = await this.#sql.read(() => this.#sql.get(sql, workflowId, agent, id));
    return row && String(row['blob']);
  }

  async putReport(report: StoredReport): Promise<StoredReport> {
    return this.#sql.write(() => {
      const first = this.#report(report.id);
      if (first !== undefined) return first;
      const { id, createdAt } = report;
      this.#sql.run('INSERT INTO reports VALUES (?, ?, ?)', id, createdAt, JSON.stringify(report));
      return report;
    });
  }

  async report(id: string): Promise<StoredReport | undefined> {
    return this.#sql.read(() => this.#report(id));
  }

  async reports(limit: number): Promise<StoredReport[]> {
    const newest = 'SELECT report FROM reports ORDER BY created_at DESC, id LIMIT ?';
    const rows = await this.#sql.read(() => this.#sql.all(newest, limit));
    const breaks = new Breaks();
    const reports: StoredReport[] = [];
    for (const row of rows) {
      reports.push(JSON.parse(String(row['report'])) as StoredReport);
      if (breaks.due) await breaks.take();
    }
    return reports;
  }

  async beginFiles(workflowId: string, runId: string): Promise<void> {
    await this.#files.begin(workflowId, runId);
  }

  async putFile(workflowId: string, file: RunFile): Promise<RunFile> {
    return this.#files.put(workflowId, file);
  }

  async file(workflowId: string, name: string): Promise<RunFile | undefined> {
    return this.#sql.read(() => this.#files.find(workflowId, name));
  }

  async files(workflowId: string): Promise<RunFile[]> {
    return this.#sql.read(() => this.#files.all(workflowId));
  }

  async close(): Promise<void> {
    await this.#sql.close();
  }

  #reply(key: string, inputHash: string): CallModelResult | undefined {
    const sql = 'SELECT result FROM replies WHERE key = ? AND input_hash = ?';
    return this.#sql.json(sql, key, inputHash) as CallModelResult | undefined;
  }

  #tries(key: string): Try[] {
    const rows = this.#sql.all('SELECT attempt, usage, failed FROM tries WHERE key = ? ORDER BY attempt', key);
    return rows.map(({ attempt, usage, failed }) => ({
      attempt: Number(attempt),
      usage: JSON.parse(String(usage)) as TokenUsage,
      failed: failed === 1,
    }));
  }

  #toolResult(key: string, inputHash: string): CallToolResult | undefined {
    const sql = 'SELECT result FROM tool_results WHERE key = ? AND input_hash = ?';
    return this.#sql.json(sql, key, inputHash) as CallToolResult | undefined;
  }

  #report(id: string): StoredReport | undefined {
    return this.#sql.json('SELECT report FROM reports WHERE id = ?', id) as StoredReport | undefined;
  }

  /** Inserts a segment, which must happen in a transaction. */
  #insert(parent: string | null, messages: Message[]): TranscriptRef {
    const id = segmentId(parent, messages);
    const count = this.#count(parent) + messages.length;
    this.#sql.run('INSERT OR IGNORE INTO segments VALUES (?, ?, ?, ?)', id, parent, count, JSON.stringify(messages));
    return { id, messages: count };
  }

  #count(segment: string | null): number {
    if (segment === null) return 0;
    const row = this.#sql.get('SELECT count FROM segments WHERE id = ?', segment);
    if (row === undefined) throw noSegment(segment);
    return Number(row['count']);
  }
}

const noSegment = (id: string): Error => new Error(`The store has no segment ${id}`);
