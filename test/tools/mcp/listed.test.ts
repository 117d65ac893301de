import { describe, expect, test } from 'vitest';
import { readContent } from '../../../src/tools/mcp/content.ts';
import { sideEffectsOf, specOf } from '../../../src/tools/mcp/tool-list.ts';
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
