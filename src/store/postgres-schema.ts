import type { ClientBase } from 'pg';
import { SetupError } from '../util/environment.ts';
import { assertKnown, schemaVersion, tables } from './tables.ts';

const schema = `
  CREATE TABLE identity (id TEXT NOT NULL, schema INTEGER NOT NULL);
  INSERT INTO identity VALUES (substr(replace(gen_random_uuid()::text, '-', ''), 1, 16), ${schemaVersion});
  ${tables({
    big: 'BIGINT',
    binary: 'BYTEA',
    counted: 'BIGINT GENERATED ALWAYS AS IDENTITY',
    keyed: '',
    real: 'DOUBLE PRECISION',
  })}
`;

/** A number that no other program's lock is likely to have. */
const lock = 7_374_737_365;

/** https://www.postgresql.org/docs/current/errcodes-appendix.html: a table that is there, and a column that is not. */
const takenCodes = ['42P07', '42703'];

/**
 * Makes the tables in an empty database, even if many processes do so at once: an advisory lock of the database lets them in
 * one after the other. @throws `Error` where it is of a newer version, or could not keep every text
 */
export async function prepareSchema(client: ClientBase, place: string): Promise<void> {
  // Each statement has to see what the lock's last holder has committed, whatever the role's own default is.
  await client.query('BEGIN ISOLATION LEVEL READ COMMITTED');
  await client.query('SELECT pg_advisory_xact_lock($1)', [lock]);
  const { rows: encodings } = await client.query<{ server_encoding: string }>('SHOW server_encoding');
  const encoding = encodings[0]?.server_encoding ?? '';
  // SQL_ASCII is what it gets where no language is set, and keeps every byte as it is.
  if (!['UTF8', 'SQL_ASCII'].includes(encoding))
    throw new SetupError(
      `${place} has the encoding ${encoding}, which lacks characters that replies may have. Make one with UTF8: ` +
        'createdb --encoding UTF8 --template template0',
    );
  const own = `SELECT 1 FROM pg_tables WHERE schemaname = current_schema() AND tablename = 'identity'`;
  const { rowCount } = await client.query(own);
  try {
    if (rowCount === 0) await client.query(schema);
    const { rows } = await client.query<{ schema: number }>('SELECT schema FROM identity');
    assertKnown(rows[0]?.schema ?? schemaVersion, place);
  } catch (error) {
    const { code, message } = error as { code?: string; message: string };
    if (code === undefined || !takenCodes.includes(code)) throw error;
    throw new SetupError(`${place}: ${message}. Reprise needs a database of its own`, { cause: error });
  }
  await client.query('COMMIT');
}
