import { expect, test } from 'vitest';
import { alikeTogether } from '../../src/cli/failures.ts';

test('those who have failed alike share a line', () => {
  const why = 'openai m: 401 Incorrect API key (check OPENAI_API_KEY)';
  expect(alikeTogether(`No agent has answered.\na: ${why}\nb: Boom\nc: ${why}`)).toBe(
    `No agent has answered.\na, c: ${why}\nb: Boom`,
  );
});

test('any other text stays as it is', () => {
  const text = 'The plan failed:\n\nWhy: so\n\n- one\n- one';
  expect(alikeTogether(text)).toBe(text);
});
