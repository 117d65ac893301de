import { describe, expect, test } from 'vitest';
import { isPriorArt, readMarks, worksAt, type MarkedHit } from '../../../../src/workflows/research/rules/prior-art.ts';

const hit = (mark: string, url: string): MarkedHit => ({ mark, hit: { title: `Title of ${url}`, url } });

describe('the marks that a critic names', () => {
  const hits = [hit('1.1', 'https://a.example'), hit('1.2', 'https://b.example')];
  test.each<[what: string, named: unknown, known: string[], unknown: string[]]>([
    ['plain and in brackets, each once', ['1.1', '[1.2]', ' 1.1 '], ['1.1', '1.2'], []],
    ['of hits that there are not', ['3.1', '1.1', 'https://a.example'], ['1.1'], ['3.1', 'https://a.example']],
    ['as numbers', [1.1], ['1.1'], []],
    ['none', [], [], []],
    ['what is no list', '1.1', [], []],
    ['nothing at all', undefined, [], []],
  ])('%s', (_, named, known, unknown) => {
    expect(readMarks(named, hits)).toEqual({ known, unknown });
  });
});

describe('the works behind marks', () => {
  const urls = (hits: MarkedHit[]): string[] =>
    worksAt(
      hits.map(({ mark }) => mark),
      hits,
    ).map(({ url }) => url);

  test('each once, wherever it was found', () => {
    const pages = [
      hit('1.1', 'https://www.example.org/a/'),
      hit('1.2', 'http://example.org/a#part'),
      hit('2.1', 'https://example.org/b'),
    ];
    expect(urls(pages)).toEqual(['https://www.example.org/a/', 'https://example.org/b']);
  });

  test('never a report of an earlier run', () => {
    expect(urls([hit('1.1', 'report:1'), hit('1.2', 'notes.md:3')])).toEqual(['notes.md:3']);
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
