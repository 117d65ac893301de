import { describe, expect, test } from 'vitest';
import { forgiving } from '../../../src/tools/mcp/forgiving.ts';
import { readContent } from '../../../src/tools/mcp/content.ts';
import { argumentsFor, sideEffectsOf, specOf } from '../../../src/tools/mcp/tool-list.ts';
import { unreadable } from '../../../src/tools/read-definitions.ts';

describe('hints of a server say what running a tool twice would do', () => {
  test.each([
    ['nothing is said', undefined, 'undeclared'],
    ['it only reads', { readOnlyHint: true }, 'undeclared'],
    ['only reading wins over all else', { readOnlyHint: true, destructiveHint: true }, 'undeclared'],
    ['it destroys', { destructiveHint: true }, 'once'],
    ['it adds', { readOnlyHint: false, destructiveHint: false }, 'once'],
    ['the same arguments add nothing more', { destructiveHint: true, idempotentHint: true }, 'idempotent'],
    ['it destroys nothing', { destructiveHint: false }, 'undeclared'],
  ])('%s', (_, annotations, expected) => {
    expect(sideEffectsOf(annotations)).toBe(expected);
  });
});

describe('a tool of a server as a model is offered it', () => {
  test('has a name that models take, and no dialect in its schema', () => {
    expect(
      specOf({
        name: 'files/read.text',
        inputSchema: { $schema: 'https://json-schema.org/draft/2020-12/schema', type: 'object' },
      }),
    ).toEqual({
      name: 'files_read_text',
      description: 'files/read.text',
      parameters: { type: 'object', properties: {} },
    });
  });

  test('has no definitions that it does not refer to', () => {
    const $defs = { a: { $ref: '#/$defs/b' }, b: { type: 'string' }, c: { $ref: '#/$defs/c' } };
    const schema = (name: string) => ({ type: 'object' as const, properties: { x: { $ref: name } }, $defs });
    expect(specOf({ name: 'a', inputSchema: schema('#/$defs/a') }).parameters).toEqual({
      ...schema('#/$defs/a'),
      $defs: { a: $defs.a, b: $defs.b },
    });
    const { $defs: _, ...none } = schema('');
    expect(specOf({ name: 'a', inputSchema: { ...none, properties: {}, $defs } }).parameters).toEqual({
      type: 'object',
      properties: {},
    });
  });

  test('names its arguments as models may, and calls have the names of the server again', () => {
    const long = 'x'.repeat(70);
    const names = ['$top', '_top', '@top', long, '文'];
    const tool = {
      name: 'a',
      inputSchema: {
        type: 'object' as const,
        properties: Object.fromEntries(names.map((name) => [name, {}])),
        required: ['$top', '_top'],
      },
    };
    const { properties, required } = specOf(tool).parameters;
    const offered = Object.keys(properties);
    expect(offered).toEqual(['_top_0', '_top', '_top_1', 'x'.repeat(60), '_']);
    expect(required).toEqual(['_top_0', '_top']);
    const given = Object.fromEntries(offered.map((key, index) => [key, index]));
    expect(argumentsFor(tool, { ...given, more: 1 })).toEqual({
      $top: 0,
      _top: 1,
      '@top': 2,
      [long]: 3,
      文: 4,
      more: 1,
    });
  });

  test('lets anything through where its schema cannot be checked against, and keeps the rest', () => {
    const { parameters } = specOf({
      name: 'a',
      inputSchema: {
        type: 'object',
        properties: { plain: { $ref: '#/$defs/text' }, odd: { description: 'Not a text', not: { type: 'string' } } },
        required: ['plain'],
        $defs: { text: { type: 'string' } },
        if: { required: ['odd'] },
      } as never,
    });
    expect(parameters).toEqual({
      type: 'object',
      properties: { plain: { $ref: '#/$defs/text' }, odd: { description: 'Not a text' } },
      required: ['plain'],
      $defs: { text: { type: 'string' } },
    });
    expect(unreadable(parameters)).toBeUndefined();
  });
});

test('content that is structured alone is JSON', () => {
  expect(readContent({ content: [], structuredContent: { degrees: 21 } }).text).toBe('{"degrees":21}');
});

describe('what a server of another maker sends otherwise than the protocol has it is read all the same', () => {
  const heard = (result: object): Record<string, unknown> => {
    const silent = { start: async () => {}, send: async () => {}, close: async () => {} };
    let message: unknown;
    const transport = Object.assign(forgiving(silent), { onmessage: (each: unknown) => void (message = each) });
    transport.onmessage({ jsonrpc: '2.0', id: 1, result });
    return (message as { result: Record<string, unknown> }).result;
  };

  test('a list of tools loses what is none, and nulls, and each tool has an object', () => {
    const anyOf = [{ required: ['a'] }];
    const tools = [
      { name: 'a', inputSchema: {}, description: null, annotations: { title: null, readOnlyHint: true } },
      {
        name: 'b',
        inputSchema: { type: 'object', properties: { a: { default: null } } },
        outputSchema: { type: 'array' },
      },
      { name: 'c', inputSchema: { anyOf } },
      { name: 'd' },
      { title: 'nameless' },
      null,
    ];
    expect(heard({ tools, nextCursor: 'x' })).toEqual({
      tools: [
        { name: 'a', inputSchema: { type: 'object', additionalProperties: true }, annotations: { readOnlyHint: true } },
        { name: 'b', inputSchema: { type: 'object', properties: { a: { default: null } } } },
        { name: 'c', inputSchema: { type: 'object', additionalProperties: true, anyOf } },
        { name: 'd', inputSchema: { type: 'object', additionalProperties: true } },
      ],
      nextCursor: 'x',
    });
  });

  test.each<[string, object, object]>([
    ['a text alone', { content: 'Done.' }, { content: [{ type: 'text', text: 'Done.' }] }],
    [
      'nulls',
      { content: null, structuredContent: { a: null }, isError: null },
      { content: [], structuredContent: { a: null } },
    ],
    ['a list as the whole result', { structuredContent: [1] }, { content: [{ type: 'text', text: '[1]' }] }],
    [
      'a text that is data',
      { content: [{ type: 'text', text: { a: 1 } }] },
      { content: [{ type: 'text', text: '{"a":1}' }] },
    ],
    [
      'a kind that nobody knows, beside one with a null',
      {
        content: [
          { type: 'video', url: 'v' },
          { type: 'image', data: 'AA', mimeType: 'image/png', annotations: null },
        ],
      },
      {
        content: [
          { type: 'text', text: '{"type":"video","url":"v"}' },
          { type: 'image', data: 'AA', mimeType: 'image/png' },
        ],
      },
    ],
    [
      'an error',
      { content: [], isError: true, _meta: { a: null } },
      { content: [], isError: true, _meta: { a: null } },
    ],
  ])('a result with %s', (_, result, expected) => {
    expect(heard(result)).toEqual(expected);
  });
});
