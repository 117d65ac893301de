import { fork } from 'node:child_process';
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ToolError } from '../tool.ts';
import type { QueryAnswer } from './query-process.ts';
import type { QueryResult, TableQuery } from './query-thread.ts';

const program = fileURLToPath(new URL(`./query-process${extname(import.meta.url)}`, import.meta.url));

/**
 * Runs one SELECT over one table, in a process of its own that gets nothing else.
 *
 * @throws `ToolError` if it fails, which describes the table for whoever mends the query
 */
export async function queryTable(query: TableQuery, signal: AbortSignal): Promise<QueryResult> {
  const child = fork(program, {
    env: {},
    execArgv: [],
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    serialization: 'advanced',
  });
  const end = (): boolean => child.kill('SIGKILL');
  const { promise, resolve, reject } = Promise.withResolvers<QueryAnswer>();
  child.on('message', resolve);
  child.on('error', reject);
  // This event comes after the last message, while `exit` may come before it.
  child.on('disconnect', () => reject(new ToolError('the query ended without an answer')));
  signal.addEventListener('abort', end);
  try {
    child.send(query);
    const answer = await promise;
    if ('result' in answer) return answer.result;
    const hint = answer.table === undefined ? '' : `\nWrite one SELECT over ${answer.table}`;
    throw new ToolError(answer.problem + hint);
  } finally {
    signal.removeEventListener('abort', end);
    end();
  }
}
