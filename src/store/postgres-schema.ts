import type { ClientBase } from 'pg';

/** The number of the schema, which the table `identity` holds. */
const version = 1;

/** The tables of `sqlite-schema.ts`. What is no JSON is bytes, since a text of PostgreSQL has no zero characters. */
const schema = `
  CREATE TABLE identity (id TEXT NOT NULL, schema INTEGER NOT NULL);
  INSERT INTO identity VALUES (substr(replace(gen_random_uuid()::text, '-', ''), 1, 16), ${version});
  CREATE TABLE secrets (name TEXT PRIMARY KEY, value TEXT NOT NULL);
  CREATE TABLE namespaces (id TEXT PRIMARY KEY, name TEXT NOT NULL);
  CREATE TABLE rates (id TEXT PRIMARY KEY, free_at DOUBLE PRECISION NOT NULL);
  CREATE TABLE workflows (id TEXT PRIMARY KEY, needed_at BIGINT NOT NULL, touched_at BIGINT NOT NULL);
  CREATE TABLE refs (workflow_id TEXT NOT NULL, id TEXT NOT NULL, PRIMARY KEY (workflow_id, id));
  CREATE TABLE segments (
    id TEXT PRIMARY KEY,
    parent TEXT,
    count INTEGER NOT NULL,
    messages TEXT NOT NULL,
    touched_at BIGINT NOT NULL
  );
  CREATE TABLE replies (
    key TEXT NOT NULL,
    input_hash TEXT NOT NULL,
    segment TEXT NOT NULL REFERENCES segments(id),
    result TEXT NOT NULL,
    workflow_id TEXT NOT NULL,
    touched_at BIGINT NOT NULL,
    PRIMARY KEY (key, input_hash)
  );
  CREATE INDEX replies_by_segment ON replies (segment);
  CREATE TABLE tries (
    key TEXT NOT NULL,
    attempt INTEGER NOT NULL,
    usage TEXT NOT NULL,
    failed INTEGER NOT NULL,
    workflow_id TEXT NOT NULL,
    touched_at BIGINT NOT NULL,
    PRIMARY KEY (key, attempt)
  );
  CREATE TABLE live_texts (
    key TEXT NOT NULL,
    attempt INTEGER NOT NULL,
    start INTEGER NOT NULL,
    text TEXT NOT NULL,
    workflow_id TEXT NOT NULL,
    touched_at BIGINT NOT NULL,
    PRIMARY KEY (key, attempt, start)
  );
  CREATE TABLE checkpoints (
    key TEXT PRIMARY KEY,
    input_hash TEXT NOT NULL,
    state TEXT NOT NULL,
    workflow_id TEXT NOT NULL,
    touched_at BIGINT NOT NULL
  );
  CREATE TABLE tool_results (
    key TEXT NOT NULL,
    input_hash TEXT NOT NULL,
    result TEXT NOT NULL,
    workflow_id TEXT NOT NULL,
    touched_at BIGINT NOT NULL,
    PRIMARY KEY (key, input_hash)
  );
  CREATE TABLE blobs (id TEXT PRIMARY KEY, content BYTEA NOT NULL, touched_at BIGINT NOT NULL);
  CREATE TABLE objects (id TEXT PRIMARY KEY, content BYTEA NOT NULL, touched_at BIGINT NOT NULL);
  CREATE TABLE results (
    workflow_id TEXT NOT NULL,
    agent TEXT NOT NULL,
    id TEXT NOT NULL,
    blob TEXT NOT NULL REFERENCES blobs(id),
    touched_at BIGINT NOT NULL,
    PRIMARY KEY (workflow_id, agent, id)
  );
  CREATE INDEX results_by_blob ON results (blob);
  CREATE TABLE reports (id TEXT PRIMARY KEY, created_at TEXT NOT NULL, report TEXT NOT NULL);
  CREATE INDEX newest_reports ON reports (created_at DESC, id);
  CREATE TABLE file_runs (workflow_id TEXT PRIMARY KEY, run_id TEXT NOT NULL, touched_at BIGINT NOT NULL);
  CREATE TABLE files (
    place BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    workflow_id TEXT NOT NULL,
    name TEXT NOT NULL,
    kind TEXT NOT NULL,
    media_type TEXT NOT NULL,
    bytes BIGINT NOT NULL,
    text_blob TEXT REFERENCES blobs(id),
    image_blob TEXT REFERENCES blobs(id),
    note TEXT,
    source TEXT NOT NULL,
    content TEXT NOT NULL REFERENCES objects(id),
    touched_at BIGINT NOT NULL,
    UNIQUE (workflow_id, name)
  );
  CREATE INDEX files_by_text ON files (text_blob);
  CREATE INDEX files_by_image ON files (image_blob);
  CREATE INDEX files_by_content ON files (content);
`;

/** A number that no other program's lock is likely to have. */
const lock = 7_374_737_365;

/** https://www.postgresql.org/docs/current/errcodes-appendix.html: a table that is there, and a column that is not. */
const takenCodes = ['42P07', '42703'];

/**
 * Makes the tables in an empty database, even if many processes do so at once: an advisory lock of the database lets them in
 * one after the other. A database of a newer version is refused, since this one might misread it.
 *
 * @param place the database in words, for the refusal
 */
export async function prepareSchema(client: ClientBase, place: string): Promise<void> {
  // Each statement has to see what the lock's last holder has committed, whatever the role's own default is.
  await client.query('BEGIN ISOLATION LEVEL READ COMMITTED');
  await client.query('SELECT pg_advisory_xact_lock($1)', [lock]);
  const own = `SELECT 1 FROM pg_tables WHERE schemaname = current_schema() AND tablename = 'identity'`;
  const { rowCount } = await client.query(own);
  try {
    if (rowCount === 0) await client.query(schema);
    const { rows } = await client.query<{ schema: number }>('SELECT schema FROM identity');
    const found = rows[0]?.schema ?? version;
    if (found > version)
      throw new Error(`${place} was written by a newer Reprise (schema ${found}, this one knows ${version})`);
  } catch (error) {
    const { code, message } = error as { code?: string; message: string };
    if (code === undefined || !takenCodes.includes(code)) throw error;
    throw new Error(`${place}: ${message}. Reprise needs a database of its own`, { cause: error });
  }
  await client.query('COMMIT');
}
