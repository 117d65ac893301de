import { isSqliteOutOfOrder } from './sqlite.ts';

/** Whether the store is out of order for now (locked, full, not writable), so that the same work may succeed later. */
export const isOutOfOrder = (error: unknown): boolean => isSqliteOutOfOrder(error);
