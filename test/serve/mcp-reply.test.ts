import { expect, test } from 'vitest';
import { saidIn } from '../../src/serve/mcp/reply.ts';

test.each([
  ['nothing', undefined],
  ['null', null],
  ['a text that is none', { action: 'accept', content: { text: { a: 1 } } }],
  ['a list of decisions', { action: 'accept', content: { decision: ['skip'] } }],
  ['no fields', { action: 'accept', content: 'skip' }],
])('what is no form that was filled in settles nothing: %s', (_, form) => {
  expect(saidIn('question', form)).toBeUndefined();
});

test('a form that was filled in with nothing skips the question', () => {
  expect(saidIn('question', { action: 'accept' })).toEqual({ decision: 'skip' });
  expect(saidIn('question', { action: 'accept', content: { text: 'Blue' } })).toEqual({ text: 'Blue' });
});
