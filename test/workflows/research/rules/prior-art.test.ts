import { describe, expect, test } from 'vitest';
import type { Hit, Recalled } from '../../../../src/protocol/search.ts';
import { isPriorArt, similarWorks } from '../../../../src/workflows/research/rules/prior-art.ts';

const hit = (url: string, similarity: number): Hit => ({ title: `Title of ${url}`, url, similarity });
const recalled = (url: string, similarity: number, similar: string[] = []): Recalled => ({
  ...hit(url, similarity),
  similar: similar.map((each) => ({ title: each, url: each })),
  lesson: '',
});
const urls = (hits: Hit[], stored: Recalled[] = []): string[] => similarWorks(hits, stored).map(({ url }) => url);

describe('similar works', () => {
  test('hits that hold 60% of the idea', () => {
    expect(urls([hit('a', 1), hit('b', 0.6), hit('c', 0.59)])).toEqual(['a', 'b']);
  });

  test('stored reports on close ideas, and what they had found', () => {
    expect(urls([], [recalled('report:1', 0.55, ['x', 'y']), recalled('report:2', 0.5, ['z'])])).toEqual([
      'report:1',
      'x',
      'y',
    ]);
  });

  test('a stored report that was found as a text is told by its idea alone', () => {
    expect(urls([hit('report:1', 1)], [recalled('report:1', 0.5)])).toEqual([]);
  });

  test('a series of tries of one idea counts as its last one, which had found those before', () => {
    const last = recalled('report:3', 1, ['x', 'report:2', 'report:1']);
    expect(urls([], [last])).toEqual(['report:3', 'x']);
  });

  test('each once, wherever it was found', () => {
    const pages = [
      hit('https://www.example.org/a/', 1),
      hit('http://example.org/a#part', 1),
      hit('https://example.org/b', 1),
    ];
    expect(urls(pages, [recalled('report:1', 1, ['https://example.org/b'])])).toEqual([
      'https://www.example.org/a/',
      'https://example.org/b',
      'report:1',
    ]);
  });
});

test.each([
  [4, 4, false],
  [5, 4, true],
  [1, 0, true],
  [0, 0, false],
])('%d similar works of at most %d: prior art %s', (similar, most, expected) => {
  expect(isPriorArt(similar, most)).toBe(expected);
});
