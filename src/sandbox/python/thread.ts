/**
 * The thread in which Python runs. It has no rights in the system, and what Pyodide and Python get of it is a realm with the
 * objects of the language and nothing else (realm.ts). Takes an `Interpreter` as `workerData` and `ToPython` as messages,
 * and posts `FromPython`. It is ended from outside.
 */
import { randomBytes } from 'node:crypto';
import { parentPort, workerData } from 'node:worker_threads';
import { Changes } from './changes.ts';
import type { FromPython, Interpreter, ToPython } from './messages.ts';
import { Output } from './output.ts';
import { openRealm, pyodideIn } from './open-realm.ts';
import type { Outside } from './realm.ts';
import { runner, warmUp } from './runner.ts';

const { modules, parts, wheels, lock, snapshot } = workerData as Interpreter;
// oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has none
const post = (news: FromPython): void => parentPort?.postMessage(news);

// What rejected promises of the code leave behind is not to end the thread.
process.on('unhandledRejection', () => {});

const output = new Output(post);
const changes = new Changes(post);
/** Whether no code but Pyodide's has run yet. */
let isOpen = true;

const timers = new Map<number, NodeJS.Timeout>();
const outside: Outside = {
  part: (name) => (isOpen ? parts[name] : undefined),
  random: (bytes) => randomBytes(Math.min(bytes, 65_536)).toString('base64'),
  later(callback, ms) {
    const timer = setTimeout(() => attempt(callback), ms);
    const id = Number(timer);
    timers.set(id, timer);
    return id;
  },
  never(id) {
    clearTimeout(timers.get(id));
    timers.delete(id);
  },
  decode: (bytes, encoding) => attempt(() => new TextDecoder(encoding).decode(bytes)) ?? '',
  now: () => performance.now(),
  print: (bytes) => attempt(() => output.write(bytes)),
  found: (path, mode, content) => attempt(() => changes.found(path, mode, content)),
  gone: (path) => attempt(() => changes.gone(path)),
  end: (outcome) => attempt(() => end(outcome)),
};

/** Keeps errors from those who call from the realm, since an error is an object too. */
function attempt<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}

function end(outcome: string): void {
  const { problem, broken } = readOutcome(outcome);
  if (problem === undefined && broken === undefined) look('/work');
  output.close();
  changes.close();
  if (broken !== undefined) post({ end: 'broken', problem: broken });
  else post(problem === undefined ? { end: 'done' } : { end: 'raised', problem });
}

function readOutcome(outcome: string): { problem?: string; broken?: string } {
  try {
    const { problem, broken } = JSON.parse(outcome) as { problem?: string; broken?: string };
    return {
      ...(problem !== undefined && { problem: `${problem}` }),
      ...(broken !== undefined && { broken: `${broken}` }),
    };
  } catch {
    return { broken: 'Python broke: it has not said how it ended' };
  }
}

const { context, realm } = openRealm(outside);
const { load, look, put, run } = realm;
const loaded = Promise.withResolvers<void>();
load(
  await pyodideIn(context, (name) => (isOpen ? modules[name] : undefined)),
  lock,
  snapshot,
  warmUp,
  (problem, taken) => {
    if (taken !== undefined) post({ snapshot: new Uint8Array(taken) });
    if (problem === undefined) loaded.resolve();
    else loaded.reject(new Error(problem));
  },
);
await loaded.promise;
for (const [name, bytes] of Object.entries(wheels)) put(`/wheels/${name}`, bytes, 'file');

parentPort?.on('message', (message: ToPython) => {
  if ('files' in message) {
    for (const { path, bytes, mode } of message.files) put(`/work/${path}`, bytes, mode);
    return;
  }
  isOpen = false;
  post({ begun: true });
  run(runner, message.code);
});
