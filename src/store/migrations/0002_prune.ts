import type { MigrationBuilder } from 'node-pg-migrate';

const tables = 'segments replies tries tool_results checkpoints blobs objects results files file_runs'.split(' ');

/** When a row was last written, as in `sqlite-schema.ts`, and the namespaces whose runs the store has. */
export function up(migration: MigrationBuilder): void {
  for (const table of tables) {
    migration.sql(
      `ALTER TABLE ${table} ADD COLUMN touched_at BIGINT NOT NULL DEFAULT extract(epoch FROM now())::bigint;`,
    );
  }
  migration.sql(`
    CREATE TABLE namespaces (id TEXT PRIMARY KEY, name TEXT NOT NULL);
    CREATE INDEX replies_by_segment ON replies (segment);
    CREATE INDEX results_by_blob ON results (blob);
    CREATE INDEX files_by_text ON files (text_blob);
    CREATE INDEX files_by_image ON files (image_blob);
    CREATE INDEX files_by_content ON files (content);
  `);
}
