import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Message, TokenUsage, TranscriptRef } from '../protocol/message.ts';
import type { CallModelResult } from '../protocol/model-call.ts';
import type { StoredReport } from '../protocol/research.ts';
import type { CallToolResult } from '../protocol/tool.ts';
import { hashOf, segmentId } from './ids.ts';
import { FileRows } from './sqlite-files.ts';
import { SqliteStatements } from './sqlite-statements.ts';
import { sumOfUsage, type ReplyCommit, type RunFile, type Store, type Try } from './store.ts';

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
  mkdirSync(dirname(file), { recursive: true });
  const database = new DatabaseSync(file, { timeout: 5000 });
  prepareSchema(database, file);
  // SQLite waits for a lock by blocking the process, which at this point has nothing else to do yet.
  database.exec('PRAGMA busy_timeout = 0');
  return new SqliteStore(database);
}

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
      return full;
    });
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
    const id = hashOf(text);
    await this.#sql.write(() => this.#sql.run('INSERT OR IGNORE INTO blobs VALUES (?, ?)', id, text));
    return id;
  }

  async blob(id: string): Promise<string> {
    const row = await this.#sql.read(() => this.#sql.get('SELECT content FROM blobs WHERE id = ?', id));
    if (row === undefined) throw new Error(`The store has no blob ${id}`);
    return String(row['content']);
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
    return rows.map((row) => JSON.parse(String(row['report'])) as StoredReport);
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

/** What each version of the schema adds to the one before. The first step turns an empty database into version 1. */
const steps = [
  `
  CREATE TABLE segments (
    id TEXT PRIMARY KEY,
    parent TEXT,
    count INTEGER NOT NULL,
    messages TEXT NOT NULL
  ) WITHOUT ROWID;
  CREATE TABLE replies (
    key TEXT NOT NULL,
    input_hash TEXT NOT NULL,
    segment TEXT NOT NULL REFERENCES segments(id),
    result TEXT NOT NULL,
    PRIMARY KEY (key, input_hash)
  ) WITHOUT ROWID;
  CREATE TABLE spent (key TEXT PRIMARY KEY, usage TEXT NOT NULL) WITHOUT ROWID;
  CREATE TABLE blobs (id TEXT PRIMARY KEY, content TEXT NOT NULL) WITHOUT ROWID;
`,
  `
  CREATE TABLE tool_results (
    key TEXT NOT NULL,
    input_hash TEXT NOT NULL,
    result TEXT NOT NULL,
    PRIMARY KEY (key, input_hash)
  ) WITHOUT ROWID;
`,
  `
  CREATE TABLE reports (id TEXT PRIMARY KEY, created_at TEXT NOT NULL, report TEXT NOT NULL) WITHOUT ROWID;
  CREATE INDEX newest_reports ON reports (created_at DESC, id);
`,
  `
  CREATE TABLE files (
    place INTEGER PRIMARY KEY,
    workflow_id TEXT NOT NULL,
    name TEXT NOT NULL,
    kind TEXT NOT NULL,
    media_type TEXT NOT NULL,
    bytes INTEGER NOT NULL,
    hash TEXT NOT NULL,
    text_blob TEXT REFERENCES blobs(id),
    image_blob TEXT REFERENCES blobs(id),
    note TEXT,
    source TEXT NOT NULL,
    UNIQUE (workflow_id, name)
  );
  CREATE TABLE file_runs (workflow_id TEXT PRIMARY KEY, run_id TEXT NOT NULL) WITHOUT ROWID;
`,
  `
  CREATE TABLE tries (
    key TEXT NOT NULL,
    attempt INTEGER NOT NULL,
    usage TEXT NOT NULL,
    failed INTEGER NOT NULL,
    PRIMARY KEY (key, attempt)
  ) WITHOUT ROWID;
  INSERT INTO tries SELECT key, 1, usage, 0 FROM spent;
  DROP TABLE spent;
`,
];

const version = steps.length;

/**
 * Brings an empty or older database to this version, even if two processes do so at once. A database of a newer version
 * is refused, since this one might misread it.
 */
function prepareSchema(database: DatabaseSync, file: string): void {
  database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON;');
  database.exec('BEGIN IMMEDIATE');
  try {
    const found = Number(database.prepare('PRAGMA user_version').get()?.['user_version']);
    if (found > version) {
      throw new Error(`${file} was written by a newer Reprise (schema ${found}, this one knows ${version})`);
    }
    for (const step of steps.slice(found)) database.exec(step);
    database.exec(`PRAGMA user_version = ${version}`);
    database.exec('COMMIT');
  } catch (error) {
    if (database.isTransaction) database.exec('ROLLBACK');
    throw error;
  }
}
