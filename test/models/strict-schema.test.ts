import { expect, test } from 'vitest';
import type { ParameterSchema } from '../../src/protocol/message.ts';
import { strictSchema } from '../../src/models/strict-schema.ts';

const text = { type: 'string' };
const listOf = (items: object): object => ({ type: 'array', items });
const either = { anyOf: [text, { type: 'number' }] };
const of = (properties: Record<string, unknown>, rest: object = {}): ParameterSchema => ({
  type: 'object',
  properties,
  required: Object.keys(properties),
  ...rest,
});
const closed = (properties: Record<string, unknown>): object => ({ ...of(properties), additionalProperties: false });

test.each<[string, ParameterSchema, object]>([
  ['a closed object', of({ a: text }), closed({ a: text })],
  ['no keys at all', of({}), closed({})],
  [
    'a key that may be absent may be null',
    of({ a: text, b: { type: 'integer', description: 'B.' } }, { required: ['a'] }),
    closed({ a: text, b: { type: ['integer', 'null'], description: 'B.' } }),
  ],
  [
    'a choice that may be absent has null among its values',
    of({ a: { type: 'string', enum: ['x', 'y'] } }, { required: undefined }),
    closed({ a: { type: ['string', 'null'], enum: ['x', 'y', null] } }),
  ],
  [
    'a list that may be absent',
    of({ a: listOf(text) }, { required: [] }),
    closed({ a: { anyOf: [listOf(text), { type: 'null' }] } }),
  ],
  ['objects in lists', of({ a: listOf(of({ b: text })) }), closed({ a: listOf(closed({ b: text })) })],
  ['alternatives', of({ a: either }), closed({ a: either })],
])('%s', (_, schema, expected) => {
  expect(strictSchema(schema)).toEqual(expected);
});

test.each<[string, ParameterSchema]>([
  ['free keys', of({}, { additionalProperties: true })],
  ['an object of free keys', of({ a: { type: 'object' } })],
  ['an object with typed free keys', of({ a: { type: 'object', properties: {}, additionalProperties: text } })],
  ['anything at all', of({ a: {} })],
  ['a list of anything', of({ a: { type: 'array' } })],
  ['an inner key that may be absent', of({ a: of({ b: text }, { required: [] }) })],
  ['a default', of({ a: { type: 'string', default: 'x' } })],
  ['a word that strict schemas do not know', of({ a: { allOf: [text] } })],
  ['an object among the types of one key', of({ a: { type: ['object', 'null'] } })],
])('%s cannot be put strictly', (_, schema) => {
  expect(strictSchema(schema)).toBeUndefined();
});
