import fc from 'fast-check';
import { expect, test } from 'vitest';
import { printable } from '../../src/util/text/printable.ts';

test.each([
  ['a colour', 'a \x1B[1;31mred\x1B[0m b', 'a red b'],
  ['a colour by the one-byte introducer', 'a \x9B31mred', 'a red'],
  ['what clears the screen', '\x1B[2J\x1B[Hgone?', 'gone?'],
  ['OSC 52, which writes to the clipboard', 'see \x1B]52;c;cm0gLXJmIH4vKgo+/A==\x07this', 'see this'],
  ['OSC 52 with the other end', 'see \x1B]52;c;cm0g+/A==\x1B\\this', 'see this'],
  ['OSC by the one-byte introducer', 'see \x9D52;c;cm0g\x9Cthis', 'see this'],
  ['a link (OSC 8), but not its text', '\x1B]8;;http://x.test/?a=b c\x1B\\the text\x1B]8;;\x1B\\!', 'the text!'],
  ['DCS, SOS, PM and APC', 'a\x1BP1$r\x1B\\b\x1BXs\x1B\\c\x1B^p\x1B\\d\x1B_G\x1B\\e', 'abcde'],
  ['the beginning of a string that has no end', 'a\x1B]0;title and all the rest', 'a0;title and all the rest'],
  ['a string up to the one that begins in it', 'a\x1B]0;b\x1B]0;c\x07d', 'a0;bd'],
  ['a reset, and a change of the character set', 'a\x1Bcb\x1B(0c', 'abc'],
  ['an escape at the end', 'a\x1B', 'a'],
  ['other control characters', 'a\x07\b\rb\x7F\x85c', 'abc'],
  ['bidirectional overrides and isolates', 'a\u202Eb\u2066c\u2069d\u202C', 'abcd'],
])('%s is taken out', (_, text, shown) => {
  expect(printable(text)).toBe(shown);
});

test.each([
  ['tab and newline', 'a\tb\nc'],
  ['emoji with their joiners and selectors', '👩‍👩‍👧‍👦 🏴󠁧󠁢󠁥󠁮󠁧󠁿 ⚠️ 1️⃣'],
  ['letters of any script', 'Żółć עברית العربية 日本語 ﷽'],
  ['brackets', '[1;31m ]52;c;'],
])('%s stay', (_, text) => {
  expect(printable(text)).toBe(text);
});

// Mostly what sequences are made of, so that they come about.
const piece = fc.oneof(
  fc.constantFrom(
    '\x1B',
    '\x1B[',
    '\x1B]',
    '\x1BP',
    '\x9B',
    '\x9D',
    '\x07',
    '\x1B\\',
    '\x9C',
    ';',
    '3',
    'm',
    '\n',
    '\u202E',
  ),
  fc.string({ unit: 'binary', maxLength: 4 }),
);

test('nothing that steers a terminal is left of any text, and no further pass changes it', () => {
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 60 }), (pieces) => {
      const shown = printable(pieces.join(''));
      // oxlint-disable-next-line no-control-regex
      expect(shown).not.toMatch(/[\0-\x08\x0B-\x1F\x7F-\x9F\u202A-\u202E\u2066-\u2069]/);
      expect(printable(shown)).toBe(shown);
    }),
  );
});
