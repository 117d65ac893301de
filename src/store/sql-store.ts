import { randomBytes } from 'node:crypto';
import type { Message, StoredMessage, TokenUsage, TranscriptRef } from '../protocol/message.ts';
import type { CallModelResult } from '../protocol/model-call.ts';
import type { StoredReport } from '../protocol/research.ts';
import type { CallToolResult } from '../protocol/tools/tool.ts';
import type { Cipher } from '../encryption/cipher.ts';
import { now, orTouch, type Database, type Row, type Sql, type Value } from './database.ts';
import { FileRows } from './file-rows.ts';
import { LiveTextRows } from './live-text-rows.ts';
import { largeHashOf, segmentId } from '../util/ids.ts';
import { ObjectRows } from './object-rows.ts';
import { RateRows } from './rate-rows.ts';
import { insertNamed, presentWorkflow } from './reference-rows.ts';
import { ReportRows } from './report-rows.ts';
import { resolveMessages } from './resolve.ts';
import { Sweep } from './sweep.ts';
import { sumOfUsage, type Checkpoint, type ReplyCommit, type RunFile, type Store, type Try } from './store.ts';

const chainOf = `
  WITH RECURSIVE chain(id, parent, messages, depth) AS (
    SELECT id, parent, messages, 0 FROM segments WHERE id = ?
    UNION ALL
    SELECT s.id, s.parent, s.messages, chain.depth + 1 FROM segments s JOIN chain ON s.id = chain.parent
  )
  SELECT id, parent, messages FROM chain ORDER BY depth DESC`;

/** How many characters of its hash name a result to a model, which has to repeat them. */
const resultId = 10;

/** The tables of which a row has a JSON text under a key, by the column that holds it. */
type JsonColumn = 'segments.messages' | 'replies.result' | 'tool_results.result' | 'checkpoints.state';

/** The store in a database, whichever it is. What people and models have said passes through the cipher. */
export class SqlStore implements Store {
  readonly rates: RateRows;
  readonly liveTexts: LiveTextRows;
  readonly sweep: Sweep;
  readonly #database: Database;
  readonly #cipher: Cipher;
  readonly #files: FileRows;
  readonly #objects: ObjectRows;
  readonly #reports: ReportRows;

  constructor(database: Database, cipher: Cipher) {
    this.#database = database;
    this.#cipher = cipher;
    this.#files = new FileRows(database, cipher);
    this.rates = new RateRows(database);
    this.liveTexts = new LiveTextRows(database, cipher);
    this.sweep = new Sweep(database);
    this.#objects = new ObjectRows(database, cipher);
    this.#reports = new ReportRows(database, cipher);
  }

  async findReply(key: string, inputHash: string): Promise<CallModelResult | undefined> {
    return this.#database.read((sql) => this.#reply(sql, key, inputHash));
  }

  async commitReply({ key, inputHash, parent, messages, result }: ReplyCommit): Promise<CallModelResult> {
    return this.#database.write(async (sql) => {
      const first = await this.#reply(sql, key, inputHash);
      if (first !== undefined) return first;
      const transcript = await this.#insert(sql, parent, messages);
      const full: CallModelResult = { transcript, ...result };
      const written = await sql.run(
        'INSERT INTO replies (key, input_hash, segment, result, workflow_id, touched_at) VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING',
        key,
        inputHash,
        transcript.id,
        this.#sealed('replies.result', key, full),
        workflowId(),
        now(),
      );
      await sql.run('DELETE FROM checkpoints WHERE key = ?', key);
      return (written === 0 ? await this.#reply(sql, key, inputHash) : undefined) ?? full;
    });
  }

  async putCheckpoint(key: string, inputHash: string, checkpoint: Checkpoint): Promise<void> {
    const upsert = `INSERT INTO checkpoints (key, input_hash, state, workflow_id, touched_at) VALUES (?, ?, ?, ?, ?)
      ON CONFLICT (key) DO UPDATE SET input_hash = excluded.input_hash, state = excluded.state,
      touched_at = excluded.touched_at`;
    const values = [key, inputHash, this.#sealed('checkpoints.state', key, checkpoint), workflowId(), now()];
    await this.#database.write((sql) => sql.run(upsert, ...values));
  }

  async checkpoint(key: string, inputHash: string): Promise<Checkpoint | undefined> {
    const sql = 'SELECT state FROM checkpoints WHERE key = ? AND input_hash = ?';
    const row = await this.#row(sql, key, inputHash);
    return row && (this.#opened('checkpoints.state', key, row) as Checkpoint);
  }

  async findToolResult(key: string, inputHash: string): Promise<CallToolResult | undefined> {
    return this.#database.read((sql) => this.#toolResult(sql, key, inputHash));
  }

  async commitToolResult(key: string, inputHash: string, result: CallToolResult): Promise<CallToolResult> {
    const values = [key, inputHash, this.#sealed('tool_results.result', key, result), workflowId(), now()];
    return this.#database.write(async (sql) => {
      const insert = 'INSERT INTO tool_results VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING';
      const written = await sql.run(insert, ...values);
      return (written === 0 ? await this.#toolResult(sql, key, inputHash) : undefined) ?? result;
    });
  }

  async putSegment(parent: string | null, messages: StoredMessage[]): Promise<TranscriptRef> {
    return this.#database.write((sql) => this.#insert(sql, parent, messages));
  }

  async recordTry(key: string, { attempt, usage, failed }: Try): Promise<void> {
    const insert = 'INSERT INTO tries VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING';
    const values = [key, attempt, JSON.stringify(usage), failed ? 1 : 0, workflowId(), now()];
    await this.#database.write((sql) => sql.run(insert, ...values));
  }

  async tries(key: string): Promise<Try[]> {
    return this.#database.read((sql) => triesOf(sql, key));
  }

  async spent(keys: string[]): Promise<Map<string, TokenUsage>> {
    return this.#database.read(async (sql) => {
      const found = new Map<string, TokenUsage>();
      for (const key of keys) {
        const row = await sql.get('SELECT result FROM replies WHERE key = ?', key);
        const reply = row && (this.#opened('replies.result', key, row) as CallModelResult);
        const tries = reply === undefined ? await triesOf(sql, key) : [];
        if (reply !== undefined) found.set(key, sumOfUsage([reply.usage, ...(reply.summary ? [reply.summary] : [])]));
        else if (tries.length > 0) found.set(key, sumOfUsage(tries.map(({ usage }) => usage)));
      }
      return found;
    });
  }

  async messages(segment: string): Promise<Message[]> {
    const rows = await this.#database.read((sql) => sql.all(chainOf, segment));
    const missing = rows[0] === undefined ? segment : rows[0]['parent'];
    if (missing !== null) throw noSegment(String(missing));
    const stored = rows.flatMap((row) => this.#opened('segments.messages', String(row['id']), row) as StoredMessage[]);
    return resolveMessages(this, stored);
  }

  async segment(segment: string): Promise<StoredMessage[]> {
    const row = await this.#row('SELECT messages FROM segments WHERE id = ?', segment);
    if (row === undefined) throw noSegment(segment);
    return this.#opened('segments.messages', segment, row) as StoredMessage[];
  }

  async putBlob(text: string): Promise<string> {
    const id = await largeHashOf(text);
    const sealed = this.#cipher.encryptBytes(Buffer.from(text), `blobs ${id}`);
    const insert = `INSERT INTO blobs (id, content, touched_at) VALUES (?, ?, ?) ${orTouch('blobs')}`;
    await this.#database.write((sql) => insertNamed(sql, [id], () => sql.run(insert, id, sealed, now())));
    return id;
  }

  async blob(id: string): Promise<string> {
    const row = await this.#row('SELECT content FROM blobs WHERE id = ?', id);
    if (row === undefined) throw new Error(`The store has no blob ${id}`);
    return Buffer.from(this.#cipher.decryptBytes(row['content'] as Uint8Array, `blobs ${id}`)).toString();
  }

  async putObjects(contents: readonly Uint8Array[]): Promise<string[]> {
    return this.#objects.put(contents);
  }

  async object(id: string): Promise<Uint8Array> {
    return this.#objects.find(id);
  }

  async missingObjects(ids: readonly string[]): Promise<string[]> {
    return this.#objects.missing(ids);
  }

  async putResult(workflowId: string, agent: string, blob: string): Promise<string> {
    const id = blob.slice(0, resultId);
    const upsert = `INSERT INTO results (workflow_id, agent, id, blob, touched_at) VALUES (?, ?, ?, ?, ?)
      ON CONFLICT (workflow_id, agent, id) DO UPDATE SET blob = excluded.blob, touched_at = excluded.touched_at`;
    await this.#database.write((sql) => sql.run(upsert, workflowId, agent, id, blob, now()));
    return id;
  }

  async result(workflowId: string, agent: string, id: string): Promise<string | undefined> {
    const sql = 'SELECT blob FROM results WHERE workflow_id = ? AND agent = ? AND id = ?';
    const row = await this.#row(sql, workflowId, agent, id);
    return row && String(row['blob']);
  }

  async putReport(report: StoredReport): Promise<StoredReport> {
    return this.#reports.put(report);
  }

  async report(id: string): Promise<StoredReport | undefined> {
    return this.#reports.find(id);
  }

  async reports(limit: number): Promise<StoredReport[]> {
    return this.#reports.newest(limit);
  }

  async beginFiles(workflowId: string, runId: string): Promise<void> {
    await this.#files.begin(workflowId, runId);
  }

  async putFile(workflowId: string, file: RunFile): Promise<RunFile> {
    return this.#files.put(workflowId, file);
  }

  async file(workflowId: string, name: string): Promise<RunFile | undefined> {
    return this.#files.find(workflowId, name);
  }

  async files(workflowId: string): Promise<RunFile[]> {
    return this.#files.all(workflowId);
  }

  async secret(name: string): Promise<string> {
    const select = 'SELECT value FROM secrets WHERE name = ?';
    const known = await this.#row(select, name);
    const row =
      known ??
      (await this.#database.write(async (sql) => {
        const made = this.#cipher.encryptText(randomBytes(32).toString('base64'), `secrets ${name}`);
        await sql.run('INSERT INTO secrets (name, value) VALUES (?, ?) ON CONFLICT DO NOTHING', name, made);
        return sql.get(select, name);
      }));
    return this.#cipher.decryptText(String(row?.['value']), `secrets ${name}`);
  }

  async secretNames(): Promise<string[]> {
    const rows = await this.#database.read((sql) => sql.all('SELECT name FROM secrets ORDER BY name'));
    return rows.map(({ name }) => String(name));
  }

  async identity(): Promise<string> {
    return String((await this.#row('SELECT id FROM identity'))?.['id']);
  }

  joinNamespace(id: string, name: string): Promise<void> {
    return this.sweep.joinNamespace(id, name);
  }

  close(): Promise<void> {
    return this.#database.close();
  }

  #row(query: string, ...values: Value[]): Promise<Row | undefined> {
    return this.#database.read((sql) => sql.get(query, ...values));
  }

  #sealed(column: JsonColumn, key: string, content: object): string {
    return this.#cipher.encryptText(JSON.stringify(content), `${column} ${key}`);
  }

  #opened(column: JsonColumn, key: string, row: Row): unknown {
    const stored = String(row[column.slice(column.indexOf('.') + 1)]);
    return JSON.parse(this.#cipher.decryptText(stored, `${column} ${key}`));
  }

  async #reply(sql: Sql, key: string, inputHash: string): Promise<CallModelResult | undefined> {
    const row = await sql.get('SELECT result FROM replies WHERE key = ? AND input_hash = ?', key, inputHash);
    return row && (this.#opened('replies.result', key, row) as CallModelResult);
  }

  async #toolResult(sql: Sql, key: string, inputHash: string): Promise<CallToolResult | undefined> {
    const row = await sql.get('SELECT result FROM tool_results WHERE key = ? AND input_hash = ?', key, inputHash);
    return row && (this.#opened('tool_results.result', key, row) as CallToolResult);
  }

  /** Inserts a segment. */
  async #insert(sql: Sql, parent: string | null, messages: StoredMessage[]): Promise<TranscriptRef> {
    const id = segmentId(parent, messages);
    const count = (await countOf(sql, parent)) + messages.length;
    const insert = `INSERT INTO segments (id, parent, count, messages, touched_at) VALUES (?, ?, ?, ?, ?) ${orTouch('segments')}`;
    const values = [id, parent, count, this.#sealed('segments.messages', id, messages), now()];
    await insertNamed(sql, [id], () => sql.run(insert, ...values));
    return { id, messages: count };
  }
}

/** Whose the rows of the journal are. */
const workflowId = (): string => presentWorkflow.getStore() ?? '';

async function triesOf(sql: Sql, key: string): Promise<Try[]> {
  const rows = await sql.all('SELECT attempt, usage, failed FROM tries WHERE key = ? ORDER BY attempt', key);
  return rows.map(({ attempt, usage, failed }) => ({
    attempt: Number(attempt),
    usage: JSON.parse(String(usage)) as TokenUsage,
    failed: failed === 1,
  }));
}

async function countOf(sql: Sql, segment: string | null): Promise<number> {
  if (segment === null) return 0;
  const row = await sql.get('SELECT count FROM segments WHERE id = ?', segment);
  if (row === undefined) throw noSegment(segment);
  return Number(row['count']);
}

const noSegment = (id: string): Error => new Error(`The store has no segment ${id}`);
