import { expect, test } from 'vitest';
import { runId } from '../../src/serve/rest/operation.ts';

test.for<[id: string, isTaken: boolean]>([
  ['a run', true],
  ['größe-你好', true],
  ['', false],
  ['.', false],
  ['..', false],
  ['a\nb', false],
  ['a\u0000b', false],
  ['a\uD800b', false],
  ['a\u200Bb', false],
  ['a\u202Eb', false],
])('the id %j of a run is taken over HTTP: %s', ([id, isTaken]) => {
  expect(runId.safeParse(id).success).toBe(isTaken);
});
