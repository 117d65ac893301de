import { describe, expect, test } from 'vitest';
import type { Form, InputRequest } from '../../../src/protocol/tools/elicitation.ts';
import { questionOf, readAnswer } from '../../../src/workflows/ask-others/form.ts';

const requestWith = (properties: Form['properties'], required?: string[]): InputRequest => ({
  key: 'k',
  message: 'Which one?',
  form: { properties, ...(required && { required }) },
});
const contentOf = (request: InputRequest, text: string): unknown => {
  const read = readAnswer(request, text);
  if ('problem' in read) return read.problem;
  return read.response.action === 'accept' ? read.response.content : read.response.action;
};
const origin = { server: 'shop', tool: 'order', repeats: false };

describe('one field: the whole answer is its value', () => {
  test.each([
    [{ type: 'string' }, ' Ada: the first ', 'Ada: the first'],
    [{ type: 'string' }, 'value: Ada', 'Ada'],
    [{ type: 'string' }, 'two\nlines', 'two\nlines'],
    [{ type: 'string' }, '{"value": "from JSON"}', 'from JSON'],
    [{ type: 'string' }, '{no JSON', '{no JSON'],
    [{ type: 'boolean' }, 'Yes', true],
    [{ type: 'boolean' }, 'no', false],
    [{ type: 'integer', minimum: 1 }, '42', 42],
    [{ type: 'number' }, '-1.5', -1.5],
    [{ type: 'string', enum: ['red', 'green'] }, 'GREEN', 'green'],
    [{ enum: ['a', 'b'], enumNames: ['Alpha', 'Beta'] }, 'beta', 'b'],
    [{ oneOf: [{ const: 'x', title: 'The X' }] }, 'the x', 'x'],
    [{ type: 'array', items: { enum: ['a', 'b', 'c'] } }, 'a, C', ['a', 'c']],
    [{ type: 'array', items: { anyOf: [{ const: 'a', title: 'Alpha' }] } }, '{"value": ["Alpha"]}', ['a']],
  ])('%j, %j', (field, text, value) => {
    expect(contentOf(requestWith({ value: field }), text)).toEqual({ value });
  });

  test.each([
    [{ type: 'boolean' }, 'maybe', 'value must be yes or no'],
    [{ type: 'integer', minimum: 1, maximum: 9 }, '10', 'value must be a whole number from 1 to 9'],
    [{ type: 'integer' }, '1.5', 'value must be a whole number'],
    [{ type: 'number' }, 'many', 'value must be a number'],
    [{ type: 'string', minLength: 3 }, 'ab', 'value must have at least 3 characters'],
    [{ type: 'string', maxLength: 1 }, 'ab', 'value may have 1 characters'],
    [{ enum: ['red', 'green'] }, 'blue', 'value must be one of red, green'],
    [{ type: 'array', minItems: 2, items: { enum: ['a', 'b'] } }, 'a', 'value needs at least 2'],
    [{ type: 'array', maxItems: 1, items: { enum: ['a', 'b'] } }, 'a,b', 'value may have 1'],
  ])('%j does not take %j', (field, text, problem) => {
    expect(contentOf(requestWith({ value: field }), text)).toBe(problem);
  });
});

describe('several fields', () => {
  const request = requestWith(
    { name: { type: 'string', title: 'Full name' }, size: { type: 'integer', default: 7 }, gift: { type: 'boolean' } },
    ['name'],
  );

  test.each([
    ['name: Ada\nsize: 3\ngift: yes', { name: 'Ada', size: 3, gift: true }],
    ['- Full Name: Ada', { name: 'Ada', size: 7 }],
    ['{"name": "Ada", "gift": false}', { name: 'Ada', size: 7, gift: false }],
    ['size: 3', 'name is missing'],
    ['size: three\ngift: perhaps', 'name is missing; size must be a whole number; gift must be yes or no'],
    ['Ada', 'each line must begin with the name of a field and a colon'],
    ['{"colour": "red"}', 'there is no field colour; there are name, size, gift'],
  ])('%j', (text, expected) => {
    expect(contentOf(request, text)).toEqual(expected);
  });

  test('are listed with what each takes, and why the last answer could not be used', () => {
    expect(questionOf(request, origin, 'name is missing').split('\n')).toEqual([
      'The MCP server shop asks, for its tool order: Which one?',
      '- name (text): Full name',
      '- size (a whole number, 7 if left out)',
      '- gift (yes or no, may be left out)',
      'Answer with a line for each field, as in `name: value`, or with a JSON object.',
      'The last answer could not be used: name is missing.',
    ]);
  });
});

test('a form without fields is confirmed or declined', () => {
  expect(contentOf(requestWith({}), 'yes')).toEqual({});
  expect(contentOf(requestWith({}), 'no')).toBe('decline');
});

test('an address is shown and not opened; any answer but no says that it is done', () => {
  const request: InputRequest = { key: 'k', message: 'Sign it', url: 'https://sign.example.com/1' };
  expect(questionOf(request, origin)).toContain('Open https://sign.example.com/1 and do what is asked there.');
  expect(readAnswer(request, 'done')).toEqual({ response: { action: 'accept' } });
  expect(readAnswer(request, 'no')).toEqual({ response: { action: 'decline' } });
});

test('that a tool is called twice is said where each call takes effect', () => {
  const request = requestWith({ name: { type: 'string' } });
  expect(questionOf(request, origin)).not.toContain('twice');
  expect(questionOf(request, { ...origin, repeats: true })).toContain('what it did before it asked happens twice');
});
