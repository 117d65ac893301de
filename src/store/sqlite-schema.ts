import type { DatabaseSync } from 'node:sqlite';

/** What each version adds to the one before; the first makes an empty database one of version 1. */
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
];

/** A database of a newer version is refused rather than misread. */
const version = steps.length;

/** Brings an empty or older database to this version. Two processes may do so at once. */
export function prepareSchema(database: DatabaseSync, file: string): void {
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
    database.exec('ROLLBACK');
    throw error;
  }
}
