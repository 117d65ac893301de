import { describe, expect, test } from 'vitest';
import { compiledFolder } from '../../src/util/folders.ts';
import { runIsolated, type Isolation } from '../../src/util/isolated.ts';

const moduleOf = (body: string): URL =>
  new URL(`data:text/javascript,${encodeURIComponent(`export default async (data, post) => {${body}}`)}`);

describe.each([
  ['a thread', false],
  ['a process', true],
])('work in %s', (_, inProcess) => {
  const run = (body: string, given: Partial<Isolation<unknown>> = {}): Promise<unknown> =>
    runIsolated<unknown, unknown>(moduleOf(body), 40, { what: 'reading it', memoryMb: 150, inProcess, ...given });

  test('has a result, and says something before', async () => {
    const said: unknown[] = [];
    const onMessage = (message: unknown): void => void said.push(message);
    expect(await run('post("a"); post({ b: 1 }); return data + 2;', { onMessage })).toBe(42);
    expect(said).toEqual(['a', { b: 1 }]);
  });

  test.each<[string, string, Partial<Isolation<unknown>>, RegExp]>([
    ['it throws', 'throw new TypeError("it is damaged");', {}, /^it is damaged$/],
    ['it leaves an error behind', 'Promise.reject(new Error("left")); await new Promise(() => {});', {}, /^left$/],
    ['it ends by itself', 'process.exit(0);', {}, /^reading it ended without a result$/],
    ['it waits for ever', 'await new Promise(() => {});', {}, /^reading it ended without a result$/],
    ['it takes too long', 'for (;;);', { timeoutMs: 500 }, /^reading it was ended after 0\.5 seconds$/],
    [
      'it takes too much memory',
      'const all = []; for (;;) all.push({ one: all.length });',
      {},
      /^reading it was ended at 150 MB of memory$/,
    ],
    ['nobody needs it any longer', 'for (;;);', { signal: AbortSignal.timeout(500) }, /timeout/],
  ])('has none where %s, and says so', async (_case, body, given, message) => {
    await expect(run(body, given)).rejects.toThrow(message);
  });
});

test('of the environment a process gets but where compiled modules are kept', async () => {
  const how = { what: 'reading it', memoryMb: 150, inProcess: true };
  // With coverage none are kept.
  const compiled = compiledFolder();
  expect(await runIsolated(moduleOf('return { ...process.env };'), 40, how)).toEqual(
    compiled === undefined ? {} : { NODE_COMPILE_CACHE: compiled },
  );
});
