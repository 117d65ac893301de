/**
 * A worker as a process of its own: `node many-worker.ts own|bare|calling ADDRESS HOME QUEUE`. It is Reprise's, or a bare one whose
 * activities wait, or a bare one whose activities ask the model as Reprise's do: by OpenAI's SDK, streamed, and nothing else.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { NativeConnection, Worker } from '@temporalio/worker';
import OpenAI from 'openai';
import { createWorker } from '../src/worker.ts';
import { quietRuntime } from '../src/worker/quiet-runtime.ts';

const [kind = '', address = '', home = '', taskQueue = ''] = process.argv.slice(2);
quietRuntime();
const connection = await NativeConnection.connect({ address });
/** The script of the bench answers it without tools. */
const bareTask = 'A bare request.';

const openai = new OpenAI();

async function ask(): Promise<string> {
  const stream = await openai.responses.create({
    model: 'gpt-6-luna',
    input: [{ role: 'user', content: bareTask }],
    stream: true,
  });
  let text = '';
  for await (const event of stream) if (event.type === 'response.output_text.delta') text += event.delta;
  return text;
}

const worker =
  kind === 'own'
    ? await createWorker({
        connection,
        namespace: 'default',
        home,
        configFolder: home,
        variables: process.env,
        taskQueue,
      })
    : await Worker.create({
        connection,
        taskQueue,
        workflowsPath: fileURLToPath(new URL('./workflows.ts', import.meta.url)),
        activities: { wait: kind === 'calling' ? ask : (milliseconds: number) => pause(milliseconds) },
        maxConcurrentActivityTaskExecutions: 200,
        maxConcurrentWorkflowTaskExecutions: 40,
      });
process.on('message', (what) => {
  const { system, user } = process.cpuUsage();
  if (what === 'cpu') process.send?.(system + user);
  else worker.shutdown();
});
const ended = worker.run();
process.send?.('polling');
await ended;
process.exit(0);
