import { describe, expect, test } from 'vitest';
import { callDiff } from '../../src/serve/pages/forms.ts';

describe('what a call would change in a file is shown', () => {
  test.each<[string, Record<string, unknown>, string | undefined]>([
    ['a part of it', { path: 'a', old_text: 'one\ntwo', new_text: 'one\n2' }, ' one\n-two\n+2'],
    [
      'several parts',
      {
        path: 'a',
        edits: [
          { oldText: 'a', newText: 'b' },
          { oldText: 'c', newText: '' },
        ],
      },
      '-a\n+b\n\n-c\n+',
    ],
    ['by Claude Code', { file_path: 'a', old_string: 'x', new_string: 'y' }, '-x\n+y'],
    ['all of it', { path: 'a', content: 'one\ntwo' }, '+one\n+two'],
    ['lines that look like marks', { path: 'a', content: '@@ x' }, '+@@ x'],
    [
      'what would be invisible or taken out',
      { path: 'a', content: 'a\u009D; rm\u009C\u202E\x1B[8m\tb\r\n' },
      '+a\\u009d; rm\\u009c\\u202e\\u001b[8m\tb\n+',
    ],
    ['none', { to: 'a', content: 'one' }, undefined],
    ['odd arguments', { path: 'a', edits: [null, 1, 'x'], old_text: 3 }, undefined],
  ])('%s', (_, input, expected) => {
    expect(callDiff(input)).toBe(expected);
  });
});
