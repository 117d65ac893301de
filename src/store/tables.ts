import { SetupError } from '../util/environment.ts';

/** The number of the schema, which a database holds. */
export const schemaVersion = 1;

/** How a database writes what others write otherwise. */
interface Dialect {
  /** The type of whole numbers of more than 32 bits. */
  big: string;
  binary: string;
  real: string;
  /** The type of a key that is counted up. */
  counted: string;
  /** What a table is told whose rows are to be in the order of their keys. */
  keyed: string;
}

/**
 * The tables of an empty database. `refs` says which segments, blobs and objects a workflow needs, and `touched_at` when a row was
 * last written, in seconds since 1970: `prune` leaves both alone. Indexes let it remove a row that others refer to in a time
 * that does not grow with theirs. Objects are large, which rows in the order of their keys are not made for. What is no JSON is
 * bytes, since a text of PostgreSQL has no zero characters.
 */
export const tables = ({ big, binary, counted, keyed, real }: Dialect): string => `
  CREATE TABLE secrets (name TEXT PRIMARY KEY, value TEXT NOT NULL)${keyed};
  CREATE TABLE namespaces (id TEXT PRIMARY KEY, name TEXT NOT NULL)${keyed};
  CREATE TABLE rates (id TEXT PRIMARY KEY, free_at ${real} NOT NULL)${keyed};
  CREATE TABLE workflows (id TEXT PRIMARY KEY, needed_at ${big} NOT NULL, touched_at ${big} NOT NULL)${keyed};
  CREATE TABLE refs (workflow_id TEXT NOT NULL, id TEXT NOT NULL, PRIMARY KEY (workflow_id, id))${keyed};
  CREATE TABLE segments (
    id TEXT PRIMARY KEY,
    parent TEXT,
    count INTEGER NOT NULL,
    messages TEXT NOT NULL,
    touched_at ${big} NOT NULL
  )${keyed};
  CREATE TABLE replies (
    key TEXT NOT NULL,
    input_hash TEXT NOT NULL,
    segment TEXT NOT NULL REFERENCES segments(id),
    result TEXT NOT NULL,
    workflow_id TEXT NOT NULL,
    touched_at ${big} NOT NULL,
    PRIMARY KEY (key, input_hash)
  )${keyed};
  CREATE INDEX replies_by_segment ON replies (segment);
  CREATE TABLE tries (
    key TEXT NOT NULL,
    attempt INTEGER NOT NULL,
    usage TEXT NOT NULL,
    failed INTEGER NOT NULL,
    workflow_id TEXT NOT NULL,
    touched_at ${big} NOT NULL,
    PRIMARY KEY (key, attempt)
  )${keyed};
  CREATE TABLE live_texts (
    key TEXT NOT NULL,
    attempt INTEGER NOT NULL,
    start INTEGER NOT NULL,
    text TEXT NOT NULL,
    workflow_id TEXT NOT NULL,
    touched_at ${big} NOT NULL,
    PRIMARY KEY (key, attempt, start)
  )${keyed};
  CREATE TABLE checkpoints (
    key TEXT PRIMARY KEY,
    input_hash TEXT NOT NULL,
    state TEXT NOT NULL,
    workflow_id TEXT NOT NULL,
    touched_at ${big} NOT NULL
  )${keyed};
  CREATE TABLE tool_results (
    key TEXT NOT NULL,
    input_hash TEXT NOT NULL,
    result TEXT NOT NULL,
    workflow_id TEXT NOT NULL,
    touched_at ${big} NOT NULL,
    PRIMARY KEY (key, input_hash)
  )${keyed};
  CREATE TABLE blobs (id TEXT PRIMARY KEY, content ${binary} NOT NULL, touched_at ${big} NOT NULL)${keyed};
  CREATE TABLE objects (id TEXT PRIMARY KEY, content ${binary} NOT NULL, touched_at ${big} NOT NULL);
  CREATE TABLE results (
    workflow_id TEXT NOT NULL,
    agent TEXT NOT NULL,
    id TEXT NOT NULL,
    blob TEXT NOT NULL REFERENCES blobs(id),
    touched_at ${big} NOT NULL,
    PRIMARY KEY (workflow_id, agent, id)
  )${keyed};
  CREATE INDEX results_by_blob ON results (blob);
  CREATE TABLE reports (id TEXT PRIMARY KEY, created_at TEXT NOT NULL, report TEXT NOT NULL)${keyed};
  CREATE INDEX newest_reports ON reports (created_at DESC, id);
  CREATE TABLE file_runs (workflow_id TEXT PRIMARY KEY, run_id TEXT NOT NULL, touched_at ${big} NOT NULL)${keyed};
  CREATE TABLE files (
    place ${counted} PRIMARY KEY,
    workflow_id TEXT NOT NULL,
    name TEXT NOT NULL,
    kind TEXT NOT NULL,
    media_type TEXT NOT NULL,
    bytes ${big} NOT NULL,
    text_blob TEXT REFERENCES blobs(id),
    image_blob TEXT REFERENCES blobs(id),
    note TEXT,
    source TEXT NOT NULL,
    content TEXT NOT NULL REFERENCES objects(id),
    touched_at ${big} NOT NULL,
    UNIQUE (workflow_id, name)
  );
  CREATE INDEX files_by_text ON files (text_blob);
  CREATE INDEX files_by_image ON files (image_blob);
  CREATE INDEX files_by_content ON files (content);
`;

/** @param place the database in words @throws `SetupError` where it is of a newer version, which this one might misread */
export function assertKnown(found: number, place: string): void {
  if (found > schemaVersion)
    throw new SetupError(`${place} was written by a newer Reprise (schema ${found}, this one knows ${schemaVersion})`);
}
