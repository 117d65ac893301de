import { setFlagsFromString } from 'node:v8';

/**
 * Keeps what is young in the workflow threads' heaps small, in megabytes. They hold many runs that wait, and V8 would
 * let the garbage of starting them pile up: 200 waiting runs took 205 MB, and take 95 MB so (bench/asking.ts).
 * Heaps are set up as their threads are made: call it before the worker is.
 */
export function keepWorkflowHeapsSmall(): void {
  setFlagsFromString('--max-semi-space-size=2');
}
