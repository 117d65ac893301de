import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runPython, type PythonResult } from '../../../src/sandbox/python/run.ts';
import { stallOf } from '../../support/stall.ts';
import { deadly, harmless, refused } from './escapes.ts';

const secret = 'a4f1-the-secret';
const outside = mkdtempSync(join(tmpdir(), 'reprise-outside-'));
writeFileSync(join(outside, 'secret.txt'), secret);
let connections = 0;
const server = createServer((socket) => {
  connections += 1;
  socket.end();
});

beforeAll(async () => {
  process.env['SECRET'] = secret;
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterAll(() => {
  delete process.env['SECRET'];
  server.close();
  rmSync(outside, { recursive: true });
});

const none = async function* () {};
const run = (code: string, seconds: number): Promise<PythonResult> =>
  runPython({ code, seconds, files: none, wheels: [] }, AbortSignal.timeout(300_000));

/** A program that makes all attempts and prints, as JSON, what has become of each: `null` if it raised. */
const attemptAll = (attempts: Record<string, string>): string => `
import gc, json, os, sys
from pyodide.ffi import to_js
import _pyodide_core
OUTSIDE, PORT = ${JSON.stringify(outside)}, ${(server.address() as AddressInfo).port}

def error_of():
    try:
        to_js([]).constructor(-1)
    except Exception as error:
        return getattr(error, "js_error", error)

def promise():
    return to_js([]).constructor.fromAsync(to_js([]))

told = {}
for name, body in json.loads(${JSON.stringify(JSON.stringify(attempts))}).items():
    scope = dict(globals())
    try:
        exec("def attempt():\\n" + "\\n".join("    " + line for line in body.split("\\n")), scope)
        told[name] = [repr(scope["attempt"]())[:200]]
    except BaseException as error:
        told[name] = None
        print("#", name, "->", type(error).__name__, str(error)[:150], file=sys.stderr)
print("TOLD" + json.dumps(told))
`;

describe('nothing gets out of Python', () => {
  test(`by any of ${Object.keys(refused).length} attempts that are refused`, async () => {
    const { output, problem } = await run(attemptAll(refused), 120);
    expect(problem).toBeUndefined();
    if (process.env["SHOW"]) console.log(output);
    const told = JSON.parse(output.split('TOLD')[1] ?? '{}') as Record<string, unknown>;
    expect(told).toEqual(Object.fromEntries(Object.keys(refused).map((name) => [name, null])));
    expect(output).not.toContain(secret);
  });

  test(`by any of ${Object.keys(harmless).length} attempts that change what only Python has`, async () => {
    const { files, gone, output, problem } = await run(attemptAll(harmless), 60);
    expect(problem).toBeUndefined();
    expect(output).toContain('TOLD');
    expect({ files, gone }).toEqual({ files: [], gone: [] });
  });

  test.for(Object.entries(deadly))('by code that %s, and the worker is not held up', async ([, code]) => {
    let result: PythonResult | undefined;
    const stall = await stallOf(async () => {
      result = await run(code, 4);
    });
    expect(result?.output.length).toBeLessThan(1_000_000);
    expect(stall).toBeLessThan(500);
  });

  test('and outside of it nothing has changed', () => {
    expect(readdirSync(outside)).toEqual(['secret.txt']);
    expect(readFileSync(join(outside, 'secret.txt'), 'utf8')).toBe(secret);
    expect(connections).toBe(0);
  });
});
