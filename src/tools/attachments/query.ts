import { moduleBeside, runIsolated } from '../../util/isolated.ts';
import { ToolError } from '../tool.ts';
import type { QueryResult, TableQuery } from './query-thread.ts';

/** The time for the query alone. Loading the table takes longer for larger files. */
const timeoutMs = 5000;

const program = moduleBeside(import.meta.url, 'query-thread');

/**
 * Runs one SELECT over one table, in a process of its own that gets nothing else: SQLite cannot be interrupted from JavaScript,
 * and has no limit of memory as Node builds it.
 *
 * @throws `ToolError` that describes the table for whoever mends the query; the signal's reason
 */
export async function queryTable(query: TableQuery, signal: AbortSignal): Promise<QueryResult> {
  const late = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  let hint = '';
  try {
    return await runIsolated<QueryResult, string>(program, query, {
      what: 'the query',
      inProcess: true,
      memoryMb: 1000,
      signal: AbortSignal.any([signal, late.signal]),
      onMessage(table) {
        hint = `\nWrite one SELECT over ${table}`;
        const message = `the query was ended after ${timeoutMs / 1000} seconds`;
        timer = setTimeout(() => late.abort(new Error(message)), timeoutMs);
      },
    });
  } catch (error) {
    signal.throwIfAborted();
    throw new ToolError((error as Error).message + hint);
  } finally {
    clearTimeout(timer);
  }
}
