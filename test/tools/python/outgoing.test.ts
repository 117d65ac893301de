import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { Changes } from '../../../src/tools/python/outgoing.ts';
import type { FromPython } from '../../../src/tools/python/reader.ts';

function heapBytes(): number {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
  return process.memoryUsage().heapUsed;
}

test('files that are not kept take no memory, however many, and twenty of them are named', () => {
  const said: FromPython[] = [];
  const changes = new Changes((news) => said.push(news));
  const folder = 'deep/'.repeat(25);
  const before = heapBytes();
  for (let index = 0; index < 100_000; index++) changes.found(`/workspace/${folder}${index}`, undefined, '');
  expect(heapBytes() - before).toBeLessThan(5_000_000);
  changes.close();
  const named = Array.from({ length: 20 }, (_, index) => `"${folder}${index}" is no file`);
  expect(said).toEqual([{ gone: [], notes: [...named, '99980 more'] }]);
});

test('a note of a file is no longer than what is taken of a process, whatever its name is', () => {
  const said: FromPython[] = [];
  const changes = new Changes((news) => said.push(news));
  changes.found(`/workspace/${'\u0001'.repeat(5000)}`, 'file', new Uint8Array(200_000_001));
  changes.close();
  const [{ notes = [] } = {}] = said as Array<{ notes?: string[] }>;
  expect(notes.map((note) => note.length <= 1000)).toEqual([true]);
});
