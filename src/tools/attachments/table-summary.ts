import { once } from 'node:events';
import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import { summarised, type TableSummary } from './table.ts';

/** From how many characters on a table is read in a thread of its own: so many take about 50 ms, which is what one costs. */
const worthThread = 300_000;

const patienceMs = 60_000;
const memoryMb = 1024;

const thread = new URL(`./table-thread${extname(import.meta.url)}`, import.meta.url);

/** Summarises a table without holding up the process. Never throws; a note says what is wrong. */
export async function summaryOf(text: string): Promise<TableSummary> {
  if (text.length < worthThread) return summarised(text);
  const worker = new Worker(thread, {
    workerData: text,
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: memoryMb },
  });
  try {
    const [summary] = (await once(worker, 'message', { signal: AbortSignal.timeout(patienceMs) })) as [TableSummary];
    return summary;
  } catch (error) {
    return { columns: [], rows: 0, first: [], note: `the table cannot be examined (${(error as Error).message})` };
  } finally {
    await worker.terminate();
  }
}
