import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { PythonResult } from '../../../src/tools/python/reader.ts';
import { runPython } from '../../../src/tools/python/run.ts';
import { stallOf } from '../../support/stall.ts';
import { endless, harmless, refused, ruinous } from './escapes.ts';

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
    return to_js([0]).map(to_js([]).constructor.fromAsync.bind(None, to_js([])))[0]

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

/** Runs programs, some at a time. @returns why each of them did not come to its end */
async function runEach(programs: Record<string, string>, seconds: number) {
  const problems: Record<string, PythonResult['problem']> = {};
  const waiting = Object.entries(programs);
  const work = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const { files, output, problem } = await run(next[1], seconds);
      expect(output.length).toBeLessThan(1_000_000);
      expect(files).toEqual([]);
      problems[next[0]] = problem;
    }
  };
  const stall = await stallOf(() => Promise.all([work(), work(), work()]));
  expect(stall).toBeLessThan(500);
  return problems;
}

describe('nothing gets out of Python', () => {
  test(`by any of ${Object.keys(refused).length} attempts that are refused`, async () => {
    const { output, problem } = await run(attemptAll(refused), 120);
    expect(problem).toBeUndefined();
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

  test(`by any of ${Object.keys(endless).length} programs that never end`, async () => {
    const problems = await runEach(endless, 0.25);
    // A machine may be fast enough for what prints for ever to come to that limit first.
    const ended = /^it (was ended after 0.25 seconds|had printed more than 20 MB)$/;
    for (const name of Object.keys(endless))
      expect({ name, ...problems[name] }).toEqual({ name, kind: 'broken', text: expect.stringMatching(ended) });
  });

  test(`by any of ${Object.keys(ruinous).length} programs that ruin what runs them`, async () => {
    for (const [name, problem] of Object.entries(await runEach(ruinous, 150))) {
      expect(`${name}: ${problem?.text}`).toMatch(
        /MemoryError|ended at \d+ MB of (memory|objects)|Python broke|No space|File too large/,
      );
    }
  });

  test('and outside of it nothing has changed', () => {
    expect(readdirSync(outside)).toEqual(['secret.txt']);
    expect(readFileSync(join(outside, 'secret.txt'), 'utf8')).toBe(secret);
    expect(connections).toBe(0);
  });
});
