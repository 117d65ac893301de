import { fileURLToPath, pathToFileURL } from 'node:url';
import { runner } from 'node-pg-migrate';
import type { ClientBase } from 'pg';

const folder = fileURLToPath(new URL('./migrations', import.meta.url));

/** The table of the migrations that a database has had, each by the name of its file. */
const migrationsTable = 'reprise_migrations';

/** https://www.postgresql.org/docs/current/errcodes-appendix.html */
const duplicateTable = '42P07';

const silent = { debug() {}, info() {}, warn() {}, error() {} };

/**
 * Brings an empty or older database to this version, even if many processes do so at once: an advisory lock of the
 * database lets them in one after the other. A database of a newer version is refused, since this one might misread it.
 *
 * @param place the database in words, for the refusal
 */
export async function prepareSchema(client: ClientBase, place: string): Promise<void> {
  const { rows: found } = await client.query<{ schema: string | null }>('SELECT current_schema() AS schema');
  const schema = found[0]?.schema ?? 'public';
  const known: string[] = [];
  // The library hides the codes of some errors in texts of its own.
  let failed: { code?: string; message: string } | undefined;
  const watched = {
    query: (text: string, values?: unknown[]) =>
      client.query(text, values).catch((error: { code?: string; message: string }) => {
        failed ??= error;
        throw error;
      }),
  };
  const ran = runner({
    dbClient: watched as ClientBase,
    dir: folder,
    direction: 'up',
    migrationsTable,
    schema,
    advisoryLockMode: 'wait',
    // Of compiled migrations the folder has the types as well.
    ignorePattern: String.raw`(?:\..*|.*\.d\.ts)`,
    migrationLoaderStrategies: [
      {
        extensions: ['.ts', '.js'],
        loader: (paths) =>
          Promise.all(
            paths.map(async (path) => {
              known.push(nameOf(path));
              return { id: path, filePaths: [path], actions: await import(pathToFileURL(path).href) };
            }),
          ),
      },
    ],
    logger: silent,
  });
  await ran.catch((error: unknown) => {
    if (failed?.code !== duplicateTable) throw failed ?? error;
    throw new Error(`${place}: ${failed.message}. Reprise needs a database of its own`, { cause: failed });
  });
  const { rows } = await client.query<{ name: string }>(`SELECT name FROM "${schema}"."${migrationsTable}"`);
  const unknown = rows.map(({ name }) => name).filter((name) => !known.includes(name));
  if (unknown.length === 0) return;
  const newest = Math.max(...unknown.map((name) => Number.parseInt(name, 10)));
  throw new Error(`${place} was written by a newer Reprise (schema ${newest}, this one knows ${known.length})`);
}

const nameOf = (path: string): string => path.replace(/^.*[\\/]/, '').replace(/\.[jt]s$/, '');
