import { appendFileSync, readFileSync } from 'node:fs';
import { subscribe } from 'node:diagnostics_channel';
import { relative } from 'node:path';
import { afterAll, expect } from 'vitest';
import type { FileTimes } from '../support/test-times.ts';

/** How many of the kernel's units of processor time make a second. It is so on every Linux of today. */
const ticksPerSecond = 100;

const startedAt = performance.now();
const processorBefore = processorSeconds();
let processes = 0;
// Node tells of each process that it starts.
subscribe('child_process', () => (processes += 1));

// After the file's own hooks, which end what it has started.
afterAll(() => {
  const file = process.env['REPRISE_TEST_TIMES'];
  if (file === undefined) return;
  const times: FileTimes = {
    name: relative(process.cwd(), expect.getState().testPath ?? ''),
    seconds: (performance.now() - startedAt) / 1000,
    processor: processorSeconds() - processorBefore,
    processes,
  };
  appendFileSync(file, `${JSON.stringify(times)}\n`);
});

/** The processor time of this process and of those below it that have ended, in seconds; 0 where the system does not tell. */
function processorSeconds(): number {
  try {
    const fields = readFileSync('/proc/self/stat', 'utf8').split(') ').at(-1)?.split(' ') ?? [];
    const ticks = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0);
    return ticks / ticksPerSecond;
  } catch {
    return 0;
  }
}
