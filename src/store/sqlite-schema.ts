import type { DatabaseSync } from 'node:sqlite';

/**
 * The tables of an empty file. `refs` says which segments, blobs and objects a workflow needs, and `touched_at` when a row was
 * last written, in seconds since 1970: `prune` leaves both alone. Indexes let it remove a row that others refer to in a time
 * that does not grow with theirs. Objects are large, which rows in the order of their keys are not made for.
 */
const schema = `
  CREATE TABLE identity (id TEXT NOT NULL);
  INSERT INTO identity VALUES (lower(hex(randomblob(8))));
  CREATE TABLE secrets (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
  CREATE TABLE namespaces (id TEXT PRIMARY KEY, name TEXT NOT NULL) WITHOUT ROWID;
  CREATE TABLE rates (id TEXT PRIMARY KEY, free_at REAL NOT NULL) WITHOUT ROWID;
  CREATE TABLE workflows (id TEXT PRIMARY KEY, needed_at INTEGER NOT NULL, touched_at INTEGER NOT NULL) WITHOUT ROWID;
  CREATE TABLE refs (workflow_id TEXT NOT NULL, id TEXT NOT NULL, PRIMARY KEY (workflow_id, id)) WITHOUT ROWID;
  CREATE TABLE segments (
    id TEXT PRIMARY KEY,
    parent TEXT,
    count INTEGER NOT NULL,
    messages TEXT NOT NULL,
    touched_at INTEGER NOT NULL
  ) WITHOUT ROWID;
  CREATE TABLE replies (
    key TEXT NOT NULL,
    input_hash TEXT NOT NULL,
    segment TEXT NOT NULL REFERENCES segments(id),
    result TEXT NOT NULL,
    workflow_id TEXT NOT NULL,
    touched_at INTEGER NOT NULL,
    PRIMARY KEY (key, input_hash)
  ) WITHOUT ROWID;
  CREATE INDEX replies_by_segment ON replies (segment);
  CREATE TABLE tries (
    key TEXT NOT NULL,
    attempt INTEGER NOT NULL,
    usage TEXT NOT NULL,
    failed INTEGER NOT NULL,
    workflow_id TEXT NOT NULL,
    touched_at INTEGER NOT NULL,
    PRIMARY KEY (key, attempt)
  ) WITHOUT ROWID;
  CREATE TABLE live_texts (
    key TEXT NOT NULL,
    attempt INTEGER NOT NULL,
    start INTEGER NOT NULL,
    text TEXT NOT NULL,
    workflow_id TEXT NOT NULL,
    touched_at INTEGER NOT NULL,
    PRIMARY KEY (key, attempt, start)
  ) WITHOUT ROWID;
  CREATE TABLE checkpoints (
    key TEXT PRIMARY KEY,
    input_hash TEXT NOT NULL,
    state TEXT NOT NULL,
    workflow_id TEXT NOT NULL,
    touched_at INTEGER NOT NULL
  ) WITHOUT ROWID;
  CREATE TABLE tool_results (
    key TEXT NOT NULL,
    input_hash TEXT NOT NULL,
    result TEXT NOT NULL,
    workflow_id TEXT NOT NULL,
    touched_at INTEGER NOT NULL,
    PRIMARY KEY (key, input_hash)
  ) WITHOUT ROWID;
  CREATE TABLE blobs (id TEXT PRIMARY KEY, content BLOB NOT NULL, touched_at INTEGER NOT NULL) WITHOUT ROWID;
  CREATE TABLE objects (id TEXT PRIMARY KEY, content BLOB NOT NULL, touched_at INTEGER NOT NULL);
  CREATE TABLE results (
    workflow_id TEXT NOT NULL,
    agent TEXT NOT NULL,
    id TEXT NOT NULL,
    blob TEXT NOT NULL REFERENCES blobs(id),
    touched_at INTEGER NOT NULL,
    PRIMARY KEY (workflow_id, agent, id)
  ) WITHOUT ROWID;
  CREATE INDEX results_by_blob ON results (blob);
  CREATE TABLE reports (id TEXT PRIMARY KEY, created_at TEXT NOT NULL, report TEXT NOT NULL) WITHOUT ROWID;
  CREATE INDEX newest_reports ON reports (created_at DESC, id);
  CREATE TABLE file_runs (workflow_id TEXT PRIMARY KEY, run_id TEXT NOT NULL, touched_at INTEGER NOT NULL) WITHOUT ROWID;
  CREATE TABLE files (
    place INTEGER PRIMARY KEY,
    workflow_id TEXT NOT NULL,
    name TEXT NOT NULL,
    kind TEXT NOT NULL,
    media_type TEXT NOT NULL,
    bytes INTEGER NOT NULL,
    text_blob TEXT REFERENCES blobs(id),
    image_blob TEXT REFERENCES blobs(id),
    note TEXT,
    source TEXT NOT NULL,
    content TEXT NOT NULL REFERENCES objects(id),
    touched_at INTEGER NOT NULL,
    UNIQUE (workflow_id, name)
  );
  CREATE INDEX files_by_text ON files (text_blob);
  CREATE INDEX files_by_image ON files (image_blob);
  CREATE INDEX files_by_content ON files (content);
`;

/** The number of that schema, which the file holds. */
const version = 1;

/**
 * Makes the tables in an empty file, even if two processes do so at once. A file of a newer version is refused, since this
 * one might misread it.
 */
export function prepareSchema(database: DatabaseSync, file: string): void {
  // The file gives room back when `prune` asks for it, which has to be said before it has a table.
  database.exec(
    'PRAGMA auto_vacuum = INCREMENTAL; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON;',
  );
  database.exec('BEGIN IMMEDIATE');
  try {
    const found = Number(database.prepare('PRAGMA user_version').get()?.['user_version']);
    if (found > version) {
      throw new Error(`${file} was written by a newer Reprise (schema ${found}, this one knows ${version})`);
    }
    if (found === 0) database.exec(`${schema}; PRAGMA user_version = ${version}`);
    database.exec('COMMIT');
  } catch (error) {
    if (database.isTransaction) database.exec('ROLLBACK');
    throw error;
  }
}
