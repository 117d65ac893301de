/**
 * The thread in which Python runs. It has no rights in the system, and what Pyodide and Python get of it is a sandbox with the
 * objects of the language and nothing else. Takes an `Interpreter` as `workerData`, is told `ToPython` and tells `FromPython`.
 */
import { parentPort, workerData } from 'node:worker_threads';
import { Changes, Output } from './outgoing.ts';
import type { Interpreter } from './process.ts';
import type { FromPython } from './reader.ts';
import type { ToPython } from './run.ts';
import { runner, warmUp } from './runner.ts';
import { bridgeOf, openSandbox, pyodideIn } from './sandbox.ts';

const { modules, parts, wheels, lock, snapshot } = workerData as Interpreter;
// oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has none
const post = (news: FromPython): void => parentPort?.postMessage(news);

// What rejected promises of the code leave behind is not to end the thread.
process.on('unhandledRejection', () => {});

const output = new Output(post);
const changes = new Changes(post);
/** Whether no code but Pyodide's has run yet. */
let isOpen = true;

const outside = bridgeOf({
  part: (name) => (isOpen ? parts[name] : undefined),
  print: (bytes) => output.write(bytes),
  found: (path, mode, content) => changes.found(path, mode, content),
  gone: (path) => changes.gone(path),
  end(outcome) {
    try {
      end(outcome);
    } catch {
      post({ end: 'broken', problem: 'Python broke: what it has left cannot be read' });
    }
  },
});

function end(outcome: string): void {
  const { problem, broken } = readOutcome(outcome);
  if (problem === undefined && broken === undefined) look('/workspace');
  output.flush();
  changes.close();
  if (broken !== undefined) post({ end: 'broken', problem: broken });
  else post(problem === undefined ? { end: 'done' } : { end: 'raised', problem });
}

function readOutcome(outcome: string): { problem?: string; broken?: string } {
  try {
    const { problem, broken } = JSON.parse(outcome) as { problem?: unknown; broken?: unknown };
    return { ...(typeof problem === 'string' && { problem }), ...(typeof broken === 'string' && { broken }) };
  } catch {
    return { broken: 'Python broke: it has not said how it ended' };
  }
}

const { context, sandbox } = openSandbox(outside);
const { load, look, put, run } = sandbox;
const loaded = Promise.withResolvers<void>();
const loadPyodide = await pyodideIn(context, (name) => (isOpen ? modules[name] : undefined));
load(loadPyodide, lock, snapshot, warmUp, (problem, taken) => {
  if (taken !== undefined) post({ snapshot: new Uint8Array(taken) });
  if (problem === undefined) loaded.resolve();
  else loaded.reject(new Error(problem));
});
await loaded.promise;
for (const [name, bytes] of Object.entries(wheels)) put(`/wheels/${name}`, bytes, 'file');

parentPort?.on('message', (message: ToPython) => {
  if ('files' in message) {
    for (const { path, bytes, mode } of message.files) put(`/workspace/${path}`, bytes, mode);
    return;
  }
  isOpen = false;
  post({ begun: true });
  run(runner, message.code);
});
