import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import type { Message, TokenUsage, TranscriptRef } from '../messages/message.ts';
import type { CallModelResult } from '../messages/model-call.ts';
import type { CallToolResult } from '../messages/tool.ts';
import { hashOf, segmentId } from './ids.ts';
import { prepareSchema } from './sqlite-schema.ts';
import type { ReplyCommit, Store } from './store.ts';

const chainOf = `
  WITH RECURSIVE chain(id, parent, messages, depth) AS (
    SELECT id, parent, messages, 0 FROM segments WHERE id = ?
    UNION ALL
    SELECT s.id, s.parent, s.messages, chain.depth + 1 FROM segments s JOIN chain ON s.id = chain.parent
  )
  SELECT parent, messages FROM chain ORDER BY depth DESC`;

/**
 * The embedded store: one SQLite file that several workers of one machine may share.
 * A commit is on the disk when it returns (WAL, `synchronous = FULL`).
 *
 * @param file its folder is made where it is missing
 * @throws where the file was written by a newer version, or cannot be opened
 */
export function openSqliteStore(file: string): Store {
  mkdirSync(dirname(file), { recursive: true });
  // Without a timeout a second writer fails at once instead of waiting for the first.
  const database = new DatabaseSync(file, { timeout: 5000 });
  prepareSchema(database, file);
  return new SqliteStore(database);
}

class SqliteStore implements Store {
  readonly #database: DatabaseSync;
  readonly #statements = new Map<string, StatementSync>();

  constructor(database: DatabaseSync) {
    this.#database = database;
  }

  async findReply(key: string, inputHash: string): Promise<CallModelResult | undefined> {
    return this.#reply(key, inputHash);
  }

  async commitReply({ key, inputHash, parent, messages, result }: ReplyCommit): Promise<CallModelResult> {
    return this.#write(() => {
      const first = this.#reply(key, inputHash);
      if (first !== undefined) return first;
      const transcript = this.#insert(parent, messages);
      const full: CallModelResult = { transcript, ...result };
      this.#run(
        'INSERT INTO replies VALUES (?, ?, ?, ?)',
        key,
        inputHash,
        transcript.id,
        JSON.stringify(full),
      );
      return full;
    });
  }

  async findToolResult(key: string, inputHash: string): Promise<CallToolResult | undefined> {
    return this.#toolResult(key, inputHash);
  }

  async commitToolResult(key: string, inputHash: string, result: CallToolResult): Promise<CallToolResult> {
    return this.#write(() => {
      const first = this.#toolResult(key, inputHash);
      if (first !== undefined) return first;
      this.#run('INSERT INTO tool_results VALUES (?, ?, ?)', key, inputHash, JSON.stringify(result));
      return result;
    });
  }

  async putSegment(parent: string | null, messages: Message[]): Promise<TranscriptRef> {
    return this.#write(() => this.#insert(parent, messages));
  }

  async recordSpent(key: string, usage: TokenUsage): Promise<void> {
    this.#write(() => this.#run('INSERT OR REPLACE INTO spent VALUES (?, ?)', key, JSON.stringify(usage)));
  }

  async spent(keys: string[]): Promise<Map<string, TokenUsage>> {
    const found = new Map<string, TokenUsage>();
    for (const key of keys) {
      const reply = this.#get('SELECT result FROM replies WHERE key = ?', key);
      const estimate = this.#get('SELECT usage FROM spent WHERE key = ?', key);
      if (reply !== undefined) found.set(key, (JSON.parse(String(reply['result'])) as CallModelResult).usage);
      else if (estimate !== undefined) found.set(key, JSON.parse(String(estimate['usage'])) as TokenUsage);
    }
    return found;
  }

  async messages(segment: string): Promise<Message[]> {
    const rows = this.#statement(chainOf).all(segment);
    const oldest = rows[0];
    if (oldest === undefined) throw new Error(`The store has no segment ${segment}`);
    if (oldest['parent'] !== null) throw new Error(`The store has no segment ${String(oldest['parent'])}`);
    return rows.flatMap((row) => JSON.parse(String(row['messages'])) as Message[]);
  }

  async segment(segment: string): Promise<Message[]> {
    const row = this.#get('SELECT messages FROM segments WHERE id = ?', segment);
    if (row === undefined) throw new Error(`The store has no segment ${segment}`);
    return JSON.parse(String(row['messages'])) as Message[];
  }

  async putBlob(text: string): Promise<string> {
    const id = hashOf(text);
    this.#write(() => this.#run('INSERT OR IGNORE INTO blobs VALUES (?, ?)', id, text));
    return id;
  }

  async blob(id: string): Promise<string> {
    const row = this.#get('SELECT content FROM blobs WHERE id = ?', id);
    if (row === undefined) throw new Error(`The store has no blob ${id}`);
    return String(row['content']);
  }

  async close(): Promise<void> {
    this.#database.close();
  }

  #reply(key: string, inputHash: string): CallModelResult | undefined {
    const row = this.#get('SELECT result FROM replies WHERE key = ? AND input_hash = ?', key, inputHash);
    return row && (JSON.parse(String(row['result'])) as CallModelResult);
  }

  #toolResult(key: string, inputHash: string): CallToolResult | undefined {
    const row = this.#get('SELECT result FROM tool_results WHERE key = ? AND input_hash = ?', key, inputHash);
    return row && (JSON.parse(String(row['result'])) as CallToolResult);
  }

  /** Within a transaction. */
  #insert(parent: string | null, messages: Message[]): TranscriptRef {
    const id = segmentId(parent, messages);
    const count = this.#count(parent) + messages.length;
    this.#run(
      'INSERT OR IGNORE INTO segments VALUES (?, ?, ?, ?)',
      id,
      parent,
      count,
      JSON.stringify(messages),
    );
    return { id, messages: count };
  }

  #count(segment: string | null): number {
    if (segment === null) return 0;
    const row = this.#get('SELECT count FROM segments WHERE id = ?', segment);
    if (row === undefined) throw new Error(`The store has no segment ${segment}`);
    return Number(row['count']);
  }

  /** Takes the write lock before it reads: a read that turns into a write in a deferred transaction fails at once. */
  #write<T>(work: () => T): T {
    this.#database.exec('BEGIN IMMEDIATE');
    try {
      const result = work();
      this.#database.exec('COMMIT');
      return result;
    } catch (error) {
      this.#database.exec('ROLLBACK');
      throw error;
    }
  }

  #statement(sql: string): StatementSync {
    const statement = this.#statements.get(sql) ?? this.#database.prepare(sql);
    this.#statements.set(sql, statement);
    return statement;
  }

  #run(sql: string, ...values: Array<string | number | null>): void {
    this.#statement(sql).run(...values);
  }

  #get(sql: string, ...values: string[]) {
    return this.#statement(sql).get(...values);
  }
}
