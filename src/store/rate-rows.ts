import type { Database } from './database.ts';
import type { SharedRates } from './store.ts';

/** The table of rates. A row holds until when all that was taken is through, in milliseconds since the epoch. */
export const rateRows = (database: Database): SharedRates => ({
  async take(id, cost, longest) {
    const now = Date.now();
    // A worker whose clock was wrong must not stop the others for ever.
    const latest = now + longest;
    const row = await database.write((sql) =>
      sql.get(
        `INSERT INTO rates (id, free_at) VALUES (?, ?)
         ON CONFLICT (id) DO UPDATE SET free_at = ? +
         CASE WHEN rates.free_at < ? THEN ? WHEN rates.free_at > ? THEN ? ELSE rates.free_at END
         RETURNING free_at`,
        id,
        now + cost,
        cost,
        now,
        now,
        latest,
        latest,
      ),
    );
    return Math.max(0, Number(row?.['free_at']) - cost - now);
  },

  async pause(id, milliseconds, longest) {
    const now = Date.now();
    await database.write((sql) =>
      sql.run(
        `INSERT INTO rates (id, free_at) VALUES (?, ?)
         ON CONFLICT (id) DO UPDATE SET free_at = excluded.free_at
         WHERE rates.free_at < excluded.free_at OR rates.free_at > ?`,
        `paused ${id}`,
        now + milliseconds,
        now + longest,
      ),
    );
  },

  async paused(longest) {
    const now = Date.now();
    const found = `SELECT id, free_at FROM rates WHERE id LIKE 'paused %' AND free_at > ? AND free_at <= ?`;
    const rows = await database.read((sql) => sql.all(found, now, now + longest));
    return new Map(rows.map((row) => [String(row['id']).slice('paused '.length), Number(row['free_at']) - now]));
  },
});
