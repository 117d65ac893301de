import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Hit, Recalled } from '../../src/messages/search.ts';
import { isPriorArt, similarWorks } from '../../src/rules/prior-art.ts';

const hit = (url: string, similarity = 1): Hit => ({ title: `On ${url}`, url, similarity });

const run = (id: string, similarity: number, ...similar: string[]): Recalled => ({
  ...hit(`report:${id}`, similarity),
  similar: similar.map((url) => ({ title: `On ${url}`, url })),
  lesson: 'Momentum alone is crowded.',
});

describe('similar works', () => {
  test.each<[string, Hit[], Recalled[], string[]]>([
    ['none', [], [], []],
    ['those from the threshold on', [hit('a', 0.6), hit('b', 0.59), hit('c', 0.9)], [], ['a', 'c']],
    ['a hit without a similarity is none', [hit('a', NaN)], [], []],
    ['each page once, the first counts', [hit('a'), hit('b'), hit('a')], [], ['a', 'b']],
    [
      'the same page by scheme, www., host in capitals, fragment and slash',
      [
        hit('https://example.org/momentum'),
        hit('http://www.example.org/momentum/'),
        hit('HTTPS://Example.org/momentum#costs'),
        hit('https://example.org/momentum/#costs'),
      ],
      [],
      ['https://example.org/momentum'],
    ],
    [
      'other pages by path, query, host and letter case of the path',
      [
        hit('https://example.org/a'),
        hit('https://example.org/A'),
        hit('https://example.org/a?page=2'),
        hit('https://docs.example.org/a'),
      ],
      [],
      [
        'https://example.org/a',
        'https://example.org/A',
        'https://example.org/a?page=2',
        'https://docs.example.org/a',
      ],
    ],
    [
      'texts of the folder by their line',
      [hit('notes.md:1'), hit('notes.md:12')],
      [],
      ['notes.md:1', 'notes.md:12'],
    ],
    ['a stored run and what it had found', [hit('a')], [run('1', 0.7, 'b', 'a')], ['a', 'report:1', 'b']],
    ['a stored run that is not near does not count, nor what it had found', [], [run('1', 0.5, 'b')], []],
    ['a stored run that a search found too', [hit('report:1')], [run('1', 0.7, 'b')], ['report:1', 'b']],
  ])('%s', (_, hits, recalled, urls) => {
    expect(similarWorks(hits, recalled)).toEqual(urls.map((url) => ({ title: `On ${url}`, url })));
  });

  test('another threshold', () => {
    expect(similarWorks([hit('a', 0.6)], [], 0.7)).toEqual([]);
    expect(similarWorks([hit('a', 0)], [], 0)).toHaveLength(1);
  });

  const url = fc.constantFrom(
    'a',
    'b',
    'https://a.org',
    'http://www.a.org/',
    'https://a.org/x#y',
    'report:1',
  );
  const similarity = fc.double({ min: 0, max: 1, noNaN: true });
  const hits = fc.array(fc.tuple(url, similarity).map(([url, similarity]) => hit(url, similarity)));
  const runs = fc.array(fc.tuple(similarity, fc.array(url)).map(([near, urls]) => run('2', near, ...urls)));

  test('come from what was found, each address once; a higher threshold finds no more', () => {
    fc.assert(
      fc.property(hits, runs, (hits, runs) => {
        const works = similarWorks(hits, runs);
        const known = new Set(
          [...hits, ...runs, ...runs.flatMap(({ similar }) => similar)].map(({ url }) => url),
        );
        expect(works.every(({ url }) => known.has(url))).toBe(true);
        expect(new Set(works.map(({ url }) => url)).size).toBe(works.length);
        expect(similarWorks(hits, runs, 0.8).length).toBeLessThanOrEqual(works.length);
      }),
    );
  });

  test('an address of a million slashes is read to its end', () => {
    const slashes = '/'.repeat(1e6);
    expect(similarWorks([hit(`https://a.org/${slashes}x`), hit(`https://a.org${slashes}`)], [])).toHaveLength(
      2,
    );
  });
});

test.each([
  [0, 4, false],
  [4, 4, false],
  [5, 4, true],
  [1, 0, true],
  [0, 0, false],
])('%d similar works where %d are accepted: prior art %s', (count, most, prior) => {
  expect(isPriorArt(count, most)).toBe(prior);
});
