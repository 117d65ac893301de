import { expect, test } from 'vitest';
import { byFolder, tableOf } from '../support/test-times.ts';

test('the times of files are summed up by folder, the slowest first, and then all of them', () => {
  const times = byFolder([
    { name: 'test/store/a.test.ts', seconds: 1, processor: 0.5, processes: 0 },
    { name: 'test/cli/b.test.ts', seconds: 2, processor: 1, processes: 3 },
    { name: 'test/cli/live/c.test.ts', seconds: 4, processor: 0.25, processes: 1 },
  ]);
  expect(tableOf(times).split('\n')).toEqual([
    '    seconds  processor  processes',
    '        6.0        1.3          4  test/cli',
    '        1.0        0.5          0  test/store',
    '        7.0        1.8          4  all',
  ]);
});
