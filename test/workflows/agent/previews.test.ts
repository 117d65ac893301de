import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Content, NewMessage } from '../../../src/protocol/message.ts';
import { blobRef, namesIn, previewOf, withPreviews } from '../../../src/workflows/agent/previews.ts';

test.each([
  ['a short text, itself', 'Say it.', 'Say it.'],
  ['of a long one the beginning', 'ab'.repeat(200), 'ab'.repeat(80)],
  ['lines, on one', '\n  One,\n\n\ttwo.\n', 'One, two.'],
  ['no half of a character', `${'a'.repeat(159)}🐘`, 'a'.repeat(159)],
])('a preview is of %s', (_, text, preview) => {
  expect(previewOf(text)).toBe(preview);
});

test('the preview of a tool set names its tools', () => {
  expect(blobRef('b', namesIn([{ name: 'new_answer' }, { name: 'vote' }]))).toEqual({
    blob: 'b',
    preview: 'new_answer, vote',
  });
});

describe('the previews of one call', () => {
  const long = (name: string) => blobRef(name, name.repeat(200));
  const message = (content: Content): NewMessage => ({ role: 'user', content });
  const previewsIn = (value: unknown): string[] =>
    [...JSON.stringify(value).matchAll(/"preview":"(\w)/g)].map(([, it]) => it!);

  test('are those of system message and tools, then those of the newest messages', () => {
    const append = ['c', 'd', 'e'].map((name) => message([long(name)]));
    const request = { transcript: null, system: ['I am A.', long('a')], tools: long('b'), append };
    const sent = withPreviews(request);
    expect(previewsIn(sent)).toEqual(['a', 'b', 'd', 'e'].toSorted());
    expect(sent.append).toEqual([message([{ blob: 'c' }]), ...append.slice(1)]);
  });

  test('stay away where there are none, and nothing else changes', () => {
    const request = { transcript: null, tools: null, append: [message('Hi.'), message({ segment: 's' })] };
    expect(withPreviews(request)).toEqual(request);
    expect(Object.keys(withPreviews(request))).not.toContain('system');
  });

  test('take a bounded part of the input, however many texts it names', () => {
    const ref = fc.string({ maxLength: 300 }).map((text) => blobRef('b', text));
    const some = fc.record({ tools: ref, parts: fc.array(fc.array(fc.oneof(fc.string(), ref))) });
    fc.assert(
      fc.property(some, ({ parts, tools }) => {
        const sent = withPreviews({ transcript: null, tools, append: parts.map(message) });
        let length = 0;
        JSON.stringify(sent, (key, value: unknown) => {
          if (key === 'preview') length += String(value).length;
          return value;
        });
        expect(length).toBeLessThanOrEqual(640);
      }),
    );
  });
});
