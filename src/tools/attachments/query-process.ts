/**
 * A process for one query. It takes a `TableQuery` as its first message, sends a `QueryAnswer`, and is then killed. SQLite
 * cannot be interrupted from JavaScript, and has no limit of memory as Node builds it. Therefore a thread of this process
 * runs the query, while its main thread watches time and memory.
 */
import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { QueryNews, QueryResult, TableQuery } from './query-thread.ts';

/** A result, or a problem with the `table` that the query goes over, which is absent if it could not be loaded. */
export type QueryAnswer = { result: QueryResult } | { problem: string; table?: string };

/** The time for the query alone. Loading the table takes longer for larger files. */
const patienceMs = 5000;
const memoryMb = 1000;
const watchedEveryMs = 20;

const end = (): boolean => process.kill(process.pid, 'SIGKILL');

function answer(said: QueryAnswer): void {
  process.send?.(said, end);
}

function run(query: TableQuery): void {
  const thread = new Worker(new URL(`./query-thread${extname(import.meta.url)}`, import.meta.url), {
    workerData: query,
  });
  let loaded: { table?: string } = {};
  const fail = (problem: string): void => answer({ problem, ...loaded });
  thread.on('message', (news: QueryNews) => {
    if ('result' in news) return answer(news);
    if ('problem' in news) return fail(news.problem);
    loaded = news;
    setTimeout(() => fail(`the query was ended after ${patienceMs / 1000} seconds`), patienceMs);
  });
  thread.on('error', ({ message }) => fail(message));
  setInterval(() => {
    if (process.memoryUsage.rss() > memoryMb * 1_000_000) {
      fail(`the query was ended at ${memoryMb} MB of memory`);
    }
  }, watchedEveryMs);
}

process.once('disconnect', end);
process.once('message', run);
