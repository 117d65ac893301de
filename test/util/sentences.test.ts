import { expect, test } from 'vitest';
import { sentencesOf } from '../../src/util/text/sentences.ts';

test('a comment in Markdown is no sentence, and ends none', () => {
  const text = '# Loaf\n\nMix flour\n<!-- not for readers: salt -->\nwith water. <!-- here it is --> Wait.\n';
  expect([...sentencesOf({ name: 'a.md', text })].map((sentence) => sentence.text)).toEqual([
    'Mix flour with water.',
    '<!-- here it is --> Wait.',
  ]);
});
