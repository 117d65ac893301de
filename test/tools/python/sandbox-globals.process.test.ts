import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { constants, createContext, runInContext, type Context } from 'node:vm';
import { describe, expect, test } from 'vitest';
import { bridgeOf, openSandbox } from '../../../src/tools/python/sandbox.ts';
import type { HostBridge } from '../../../src/tools/python/sandbox-globals.ts';

/** What the sandbox has called, with what. */
const calls: unknown[][] = [];
const noted =
  (name: string, result: unknown) =>
  (...given: unknown[]): never => {
    calls.push([name, ...given]);
    return result as never;
  };
const outside: HostBridge = {
  part: noted('part', undefined),
  random: noted('random', 'AAAA'),
  later: noted('later', 1),
  never: noted('never', undefined),
  decode: noted('decode', 'text'),
  now: noted('now', 5),
  print: noted('print', undefined),
  found: noted('found', undefined),
  gone: noted('gone', undefined),
  end: noted('end', undefined),
};
const { context } = openSandbox(outside);

describe('the sandbox in which Pyodide is loaded', () => {
  test('has the language, and what Pyodide asks a shell for, and nothing else', () => {
    const named = (scope: Context) => runInContext('Object.getOwnPropertyNames(globalThis)', scope) as string[];
    const language = new Set(named(createContext(constants.DONT_CONTEXTIFY)));
    const added = [...named(context)].filter((name) => !language.has(name));
    expect(added.toSorted()).toEqual([
      'TextDecoder',
      'TextEncoder',
      'clearTimeout',
      'load',
      'os',
      'performance',
      'read',
      'readbuffer',
      'setTimeout',
    ]);
  });

  test.for([
    'process',
    'require("fs")',
    'globalThis.process.env',
    'module',
    'Buffer',
    'fetch("http://127.0.0.1")',
    'new WebSocket("ws://127.0.0.1")',
    'new XMLHttpRequest()',
    'new Worker("x")',
    'eval("1")',
    'new Function("return 1")()',
    'Function("return process")()',
    '(async () => {}).constructor("return process")()',
    '(function* () {}).constructor("return process")()',
    'setTimeout.constructor("return process")()',
    'performance.now.constructor("return process")()',
    'console.log.constructor("return process")()',
    'TextDecoder.constructor("return process")()',
    'readbuffer("x").constructor.constructor("return process")()',
    'globalThis.constructor.constructor("return process")()',
    'setTimeout("process.exit()", 0).constructor.constructor("return process")()',
    'new Error().stack.constructor.constructor("return process")()',
    'WebAssembly.constructor.constructor("return process")()',
    'new ShadowRealm().evaluate("process")',
    '$vm',
    'd8.file.read("/etc/passwd")',
    'os.system.constructor("return process")()',
    'arguments.callee.caller',
  ])('is not left by %s', (code) => {
    expect(() => runInContext(`(${code})`, context)).toThrow(
      /not defined|undefined|Code generation|not a function|arguments/,
    );
  });

  test('makes no code of a text that a timer gets', () => {
    calls.length = 0;
    runInContext('setTimeout("process.exit()", 0)', context);
    const [[, callback] = []] = calls;
    expect(callback).toThrow('not a function');
  });

  test('gives numbers, texts and bytes away, and functions only to be called', () => {
    calls.length = 0;
    const code =
      'performance.now(); new TextDecoder("latin1").decode(new Uint8Array(2)); os.system("sh", ["-c", "head -c4 x"]); clearTimeout({})';
    runInContext(code, context);
    expect(calls).toEqual([['now'], ['decode', expect.anything(), 'latin1'], ['random', 4], ['never', NaN]]);
  });

  test('leads to no object of Node, even after Pyodide is loaded and a program has run', () => {
    const walk = fileURLToPath(new URL('./walk.ts', import.meta.url));
    const told = execFileSync(process.execPath, ['--experimental-vm-modules', '--no-warnings', walk], {
      encoding: 'utf8',
    });
    const { leaks, objects } = JSON.parse(told) as { leaks: string[]; objects: number };
    expect(leaks).toEqual([]);
    expect(objects).toBeGreaterThan(5000);
  });

  test('gets no module by importing it', async () => {
    const imported = runInContext(
      'import("node:fs").then(() => "imported", () => "refused")',
      context,
    ) as Promise<string>;
    expect(await imported).toBe('refused');
  });
});

describe('what a sandbox gets from outside', () => {
  const hostile: unknown[] = [
    undefined,
    null,
    NaN,
    -1,
    Infinity,
    1e12,
    '',
    '__proto__',
    'constructor',
    Symbol('name'),
    {},
    [],
    () => {
      throw new Error('inside');
    },
    { length: 10, toString: () => ({}) },
    { length: -1, valueOf: () => Symbol('no number') },
    new Proxy({}, { get: () => ({}) }),
    new Proxy(new Uint8Array(2), {}),
    Object.create(null),
    new Uint8Array(3),
    10n,
  ];
  const failing = (): never => {
    throw new TypeError('outside');
  };
  const given = bridgeOf({ part: failing, print: failing, found: failing, gone: failing, end: failing });

  test.for(Object.keys(given) as Array<keyof HostBridge>)(
    '%s gives nothing away, whatever it is called with',
    (name) => {
      const call = given[name] as (...args: unknown[]) => unknown;
      for (const one of hostile) {
        for (const other of hostile) {
          const value = call(one, other, one);
          expect(['undefined', 'number', 'string']).toContain(typeof value);
        }
      }
    },
  );
});
