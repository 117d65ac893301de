import type { TokenUsage } from '../protocol/message.ts';
import type { CallModelResult } from '../protocol/model-call.ts';
import type { CallToolResult } from '../protocol/tools/tool.ts';
import type { Cipher } from '../encryption/cipher.ts';
import { now, openedJson, sealedJson, type Database, type Sql } from './database.ts';
import { presentWorkflow } from './reference-rows.ts';
import { insertSegment } from './transcript-rows.ts';
import { sumOfUsage, type Checkpoint, type Store, type Try } from './store.ts';

/** The tables of calls: their replies, results, checkpoints and tries. */
export function journalRows(database: Database, cipher: Cipher) {
  const resultOf = async (sql: Sql, table: 'replies' | 'tool_results', key: string, inputHash: string) => {
    const row = await sql.get(`SELECT result FROM ${table} WHERE key = ? AND input_hash = ?`, key, inputHash);
    return row && openedJson(cipher, `${table}.result`, key, row);
  };
  const replyOf = (sql: Sql, key: string, inputHash: string) =>
    resultOf(sql, 'replies', key, inputHash) as Promise<CallModelResult | undefined>;
  const toolResultOf = (sql: Sql, key: string, inputHash: string) =>
    resultOf(sql, 'tool_results', key, inputHash) as Promise<CallToolResult | undefined>;
  return {
    findReply: (key, inputHash) => database.read((sql) => replyOf(sql, key, inputHash)),

    commitReply: ({ key, inputHash, parent, messages, result }) =>
      database.write(async (sql) => {
        const first = await replyOf(sql, key, inputHash);
        if (first !== undefined) return first;
        const transcript = await insertSegment(sql, cipher, parent, messages);
        const full: CallModelResult = { transcript, ...result };
        const written = await sql.run(
          'INSERT INTO replies (key, input_hash, segment, result, workflow_id, touched_at) VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING',
          key,
          inputHash,
          transcript.id,
          sealedJson(cipher, 'replies.result', key, full),
          workflowId(),
          now(),
        );
        await sql.run('DELETE FROM checkpoints WHERE key = ?', key);
        return (written === 0 ? await replyOf(sql, key, inputHash) : undefined) ?? full;
      }),

    async putCheckpoint(key, inputHash, checkpoint) {
      const upsert = `INSERT INTO checkpoints (key, input_hash, state, workflow_id, touched_at) VALUES (?, ?, ?, ?, ?)
        ON CONFLICT (key) DO UPDATE SET input_hash = excluded.input_hash, state = excluded.state,
        touched_at = excluded.touched_at`;
      const values = [key, inputHash, sealedJson(cipher, 'checkpoints.state', key, checkpoint), workflowId(), now()];
      await database.write((sql) => sql.run(upsert, ...values));
    },

    async checkpoint(key, inputHash) {
      const select = 'SELECT state FROM checkpoints WHERE key = ? AND input_hash = ?';
      const row = await database.read((sql) => sql.get(select, key, inputHash));
      return row && (openedJson(cipher, 'checkpoints.state', key, row) as Checkpoint);
    },

    findToolResult: (key, inputHash) => database.read((sql) => toolResultOf(sql, key, inputHash)),

    async commitToolResult(key, inputHash, result) {
      const values = [key, inputHash, sealedJson(cipher, 'tool_results.result', key, result), workflowId(), now()];
      return database.write(async (sql) => {
        const insert = 'INSERT INTO tool_results VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING';
        const written = await sql.run(insert, ...values);
        return (written === 0 ? await toolResultOf(sql, key, inputHash) : undefined) ?? result;
      });
    },

    async recordTry(key, { attempt, usage, failed }) {
      const insert = 'INSERT INTO tries VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING';
      const values = [key, attempt, JSON.stringify(usage), failed ? 1 : 0, workflowId(), now()];
      await database.write((sql) => sql.run(insert, ...values));
    },

    tries: (key) => database.read((sql) => triesOf(sql, key)),

    spent: (keys) =>
      database.read(async (sql) => {
        const found = new Map<string, TokenUsage>();
        for (const key of keys) {
          const row = await sql.get('SELECT result FROM replies WHERE key = ?', key);
          const reply = row && (openedJson(cipher, 'replies.result', key, row) as CallModelResult);
          const tries = reply === undefined ? await triesOf(sql, key) : [];
          if (reply !== undefined) found.set(key, sumOfUsage([reply.usage, ...(reply.summary ? [reply.summary] : [])]));
          else if (tries.length > 0) found.set(key, sumOfUsage(tries.map(({ usage }) => usage)));
        }
        return found;
      }),
  } satisfies Partial<Store>;
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
