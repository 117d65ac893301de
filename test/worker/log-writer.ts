/** Says so many things as a worker does: `node log-writer.ts HOME NAME COUNT BYTES FILES`. */
import type { WorkflowInfo } from '@temporalio/workflow';
import { logSink } from '../../src/worker/log-sink.ts';

const [home = '', name = '', count = '', bytes = '', files = ''] = process.argv.slice(2);
const { say } = logSink(home, 'text', { bytes: Number(bytes), files: Number(files) }).run;
for (let index = 0; index < Number(count); index++)
  await say.fn(
    { workflowId: name } as WorkflowInfo,
    { text: `${name} says ${index}`, stamped: true },
    '2026-01-18T17:09:44Z',
    'final',
  );
