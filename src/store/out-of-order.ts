import { PostgresUnavailableError } from './postgres-errors.ts';
import { isSqliteOutOfOrder } from './sqlite.ts';

/**
 * Whether the store is out of order for now, so that the same work may succeed later: a file is locked, full or not writable,
 * a server is away or has no room.
 */
export const isOutOfOrder = (error: unknown): boolean =>
  isSqliteOutOfOrder(error) || error instanceof PostgresUnavailableError;
