import { Yielder } from '../util/yielder.ts';
import { UnknownKeyError } from '../encryption/keys.ts';
import type { StoredReport } from '../protocol/research.ts';
import type { Cipher } from '../encryption/cipher.ts';
import type { Database, Row, Sql } from './database.ts';

/** The table of reports, which the report methods of `Store` read and write. */
export class ReportRows {
  readonly #database: Database;
  readonly #cipher: Cipher;

  constructor(database: Database, cipher: Cipher) {
    this.#database = database;
    this.#cipher = cipher;
  }

  put(report: StoredReport): Promise<StoredReport> {
    const { id, createdAt } = report;
    const sealed = this.#cipher.encryptText(JSON.stringify(report), placeOf(id));
    return this.#database.write(async (sql) => {
      const insert = 'INSERT INTO reports (id, created_at, report) VALUES (?, ?, ?) ON CONFLICT DO NOTHING';
      const written = await sql.run(insert, id, createdAt, sealed);
      return (written === 0 ? await this.#find(sql, id) : undefined) ?? report;
    });
  }

  find(id: string): Promise<StoredReport | undefined> {
    return this.#database.read((sql) => this.#find(sql, id));
  }

  async newest(limit: number): Promise<StoredReport[]> {
    const newest = 'SELECT id, report FROM reports ORDER BY created_at DESC, id LIMIT ?';
    const rows = await this.#database.read((sql) => sql.all(newest, limit));
    const yielder = new Yielder();
    const reports: StoredReport[] = [];
    for (const row of rows) {
      try {
        reports.push(this.#opened(String(row['id']), row));
      } catch (error) {
        // Old reports whose key was given up are as good as gone.
        if (!(error instanceof UnknownKeyError)) throw error;
      }
      if (yielder.due) await yielder.yield();
    }
    return reports;
  }

  async #find(sql: Sql, id: string): Promise<StoredReport | undefined> {
    const row = await sql.get('SELECT report FROM reports WHERE id = ?', id);
    return row && this.#opened(id, row);
  }

  #opened(id: string, row: Row): StoredReport {
    return JSON.parse(this.#cipher.decryptText(String(row['report']), placeOf(id))) as StoredReport;
  }
}

const placeOf = (id: string): string => `reports.report ${id}`;
