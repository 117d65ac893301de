import type { MigrationBuilder } from 'node-pg-migrate';

export function up(migration: MigrationBuilder): void {
  migration.sql('CREATE TABLE rates (id TEXT PRIMARY KEY, free_at DOUBLE PRECISION NOT NULL)');
}
