import type { MigrationBuilder } from 'node-pg-migrate';

/** The tables of `sqlite-schema.ts`. What is no JSON is bytes, since a text of PostgreSQL has no zero characters. */
export function up(migration: MigrationBuilder): void {
  migration.sql(`
    CREATE TABLE identity (id TEXT NOT NULL);
    INSERT INTO identity VALUES (substr(replace(gen_random_uuid()::text, '-', ''), 1, 16));
    CREATE TABLE secrets (name TEXT PRIMARY KEY, value TEXT NOT NULL);
    CREATE TABLE segments (id TEXT PRIMARY KEY, parent TEXT, count INTEGER NOT NULL, messages TEXT NOT NULL);
    CREATE TABLE replies (
      key TEXT NOT NULL,
      input_hash TEXT NOT NULL,
      segment TEXT NOT NULL REFERENCES segments(id),
      result TEXT NOT NULL,
      PRIMARY KEY (key, input_hash)
    );
    CREATE TABLE tries (
      key TEXT NOT NULL,
      attempt INTEGER NOT NULL,
      usage TEXT NOT NULL,
      failed INTEGER NOT NULL,
      PRIMARY KEY (key, attempt)
    );
    CREATE TABLE checkpoints (key TEXT PRIMARY KEY, input_hash TEXT NOT NULL, state TEXT NOT NULL);
    CREATE TABLE tool_results (
      key TEXT NOT NULL,
      input_hash TEXT NOT NULL,
      result TEXT NOT NULL,
      PRIMARY KEY (key, input_hash)
    );
    CREATE TABLE blobs (id TEXT PRIMARY KEY, content BYTEA NOT NULL);
    CREATE TABLE objects (id TEXT PRIMARY KEY, content BYTEA NOT NULL);
    CREATE TABLE results (
      workflow_id TEXT NOT NULL,
      agent TEXT NOT NULL,
      id TEXT NOT NULL,
      blob TEXT NOT NULL REFERENCES blobs(id),
      PRIMARY KEY (workflow_id, agent, id)
    );
    CREATE TABLE reports (id TEXT PRIMARY KEY, created_at TEXT NOT NULL, report TEXT NOT NULL);
    CREATE INDEX newest_reports ON reports (created_at DESC, id);
    CREATE TABLE file_runs (workflow_id TEXT PRIMARY KEY, run_id TEXT NOT NULL);
    CREATE TABLE files (
      place BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      workflow_id TEXT NOT NULL,
      name TEXT NOT NULL,
      kind TEXT NOT NULL,
      media_type TEXT NOT NULL,
      bytes BIGINT NOT NULL,
      hash TEXT NOT NULL,
      text_blob TEXT REFERENCES blobs(id),
      image_blob TEXT REFERENCES blobs(id),
      note TEXT,
      source TEXT NOT NULL,
      content TEXT REFERENCES objects(id),
      UNIQUE (workflow_id, name)
    );
  `);
}
