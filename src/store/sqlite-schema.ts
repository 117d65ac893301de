import type { DatabaseSync } from 'node:sqlite';
import { assertKnown, schemaVersion, tables } from './tables.ts';

const schema = `
  CREATE TABLE identity (id TEXT NOT NULL);
  INSERT INTO identity VALUES (lower(hex(randomblob(8))));
  ${tables({ big: 'INTEGER', binary: 'BLOB', counted: 'INTEGER', keyed: ' WITHOUT ROWID', real: 'REAL' })}
`;

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
    assertKnown(found, file);
    if (found === 0) database.exec(`${schema}; PRAGMA user_version = ${schemaVersion}`);
    database.exec('COMMIT');
  } catch (error) {
    if (database.isTransaction) database.exec('ROLLBACK');
    throw error;
  }
}
