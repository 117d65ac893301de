import { Yielder } from '../util/yielder.ts';
import { UnknownKeyError } from '../encryption/keys.ts';
import type { StoredReport } from '../protocol/research.ts';
import type { Cipher } from '../encryption/cipher.ts';
import { openedJson, sealedJson, type Database, type Row, type Sql } from './database.ts';
import type { Store } from './store.ts';

/** The table of reports. */
export function reportRows(database: Database, cipher: Cipher) {
  const opened = (id: string, row: Row) => openedJson(cipher, 'reports.report', id, row) as StoredReport;
  const find = async (sql: Sql, id: string): Promise<StoredReport | undefined> => {
    const row = await sql.get('SELECT report FROM reports WHERE id = ?', id);
    return row && opened(id, row);
  };
  return {
    async putReport(report) {
      const { id, createdAt } = report;
      const sealed = sealedJson(cipher, 'reports.report', id, report);
      return database.write(async (sql) => {
        const insert = 'INSERT INTO reports (id, created_at, report) VALUES (?, ?, ?) ON CONFLICT DO NOTHING';
        const written = await sql.run(insert, id, createdAt, sealed);
        return (written === 0 ? await find(sql, id) : undefined) ?? report;
      });
    },

    report: (id) => database.read((sql) => find(sql, id)),

    async reports(limit) {
      const newest = 'SELECT id, report FROM reports ORDER BY created_at DESC, id LIMIT ?';
      const rows = await database.read((sql) => sql.all(newest, limit));
      const yielder = new Yielder();
      const reports: StoredReport[] = [];
      for (const row of rows) {
        try {
          reports.push(opened(String(row['id']), row));
        } catch (error) {
          // Old reports whose key was given up are as good as gone.
          if (!(error instanceof UnknownKeyError)) throw error;
        }
        if (yielder.due) await yielder.yield();
      }
      return reports;
    },
  } satisfies Partial<Store>;
}
