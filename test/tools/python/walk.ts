/**
 * Loads Pyodide in a sandbox, runs a program in it, and walks over all objects to which one of them leads: the scope, Pyodide
 * with all its parts, and what they have. Prints, as JSON, how many there are, and by which paths one comes to an object
 * that is not of the sandbox.
 */
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { types } from 'node:util';
import { runInContext } from 'node:vm';
import { openSandbox, pyodideIn } from '../../../src/tools/python/sandbox.ts';
import { runner, warmUp } from '../../../src/tools/python/runner.ts';
import { pyodideFolder } from '../../../src/tools/python/run.ts';

const bytes = (name: string) => readFileSync(join(pyodideFolder, name));
const ended = Promise.withResolvers<string>();
const { context, sandbox } = openSandbox({
  part: bytes,
  random: (count) => randomBytes(count).toString('base64'),
  later: (callback, ms) => Number(setTimeout(callback, ms)),
  never: (timer) => clearTimeout(timer),
  decode: (given, encoding) => new TextDecoder(encoding).decode(given),
  now: () => performance.now(),
  print: () => {},
  found: () => {},
  gone: () => {},
  end: (outcome) => ended.resolve(outcome),
});
const keeping = '(load) => (options) => load(options).then((it) => (globalThis.kept = it))';
const keep = runInContext(keeping, context) as (load: unknown) => unknown;
const load = keep(await pyodideIn(context, (name) => bytes(name).toString()));
const loaded = Promise.withResolvers<void>();
sandbox.load(load, bytes('pyodide-lock.json').toString(), undefined, warmUp, () => loaded.resolve());
await loaded.promise;
sandbox.put('/workspace/a.txt', Buffer.from('a'), 'file');
const program = 'import asyncio, os, json\nasyncio.run(asyncio.sleep(0.01))\nos.urandom(4), open("a.txt").read()';
sandbox.run(runner, program);
const outcome = await ended.promise;
sandbox.look('/workspace');

const seen = new Set<object>();
const leaks: string[] = outcome === '{}' ? [] : [`the program failed: ${outcome}`];
const waiting: Array<[path: string, value: unknown]> = [['globalThis', runInContext('globalThis', context)]];
for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
  const [path, value] = next;
  if ((typeof value !== 'object' && typeof value !== 'function') || value === null || seen.has(value)) continue;
  seen.add(value);
  // A proxy answers as it likes, and what it stands for is met elsewhere.
  if (types.isProxy(value)) continue;
  if (isOfNode(value)) {
    leaks.push(path);
    continue;
  }
  // The elements of memory are no objects, and there are very many.
  if (ArrayBuffer.isView(value)) continue;
  waiting.push([`${path}.__proto__`, Object.getPrototypeOf(value)]);
  if (isMap(value))
    waiting.push(...[...value].map(([key, each]): [string, unknown] => [`${path}<${String(key)}>`, each]));
  for (const key of Reflect.ownKeys(value)) {
    const { get, set, value: own } = Reflect.getOwnPropertyDescriptor(value, key) ?? {};
    for (const each of [own, get, set]) waiting.push([`${path}.${String(key)}`, each]);
  }
}
console.log(JSON.stringify({ leaks: leaks.slice(0, 20), objects: seen.size }));

function isOfNode(value: unknown): boolean {
  return value instanceof Object;
}

function isMap(value: object): value is Map<unknown, unknown> {
  return types.isMap(value);
}
