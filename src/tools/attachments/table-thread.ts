/** Summarises one table in a thread of its own, since a large one takes seconds. Takes the text as `workerData`. */
import { parentPort, workerData } from 'node:worker_threads';
import { summarised } from './table.ts';

// oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has none
parentPort?.postMessage(summarised(workerData as string));
