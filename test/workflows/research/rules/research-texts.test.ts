import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { SearchPlace } from '../../../../src/protocol/search.ts';
import { objectIn } from '../../../../src/workflows/agent/text.ts';
import { dossierMessage, failedSearches, type CritiqueInput } from '../../../../src/workflows/research/prompts.ts';
import { isSameIdea, planIn, planOf } from '../../../../src/workflows/research/rules/plan.ts';
import {
  completed,
  draftIn,
  draftOf,
  finished,
  truncateReport,
  problemOf,
  type Marks,
} from '../../../../src/workflows/research/rules/report.ts';

describe('an object in a text', () => {
  test.each([
    ['alone', '{"a": 1}', { a: 1 }],
    ['among words', 'Here: {"a": 1}. So.', { a: 1 }],
    ['fenced, with braces around', 'Use {x}:\n```json\n{"a": 1}\n```\n{y}', { a: 1 }],
    ['no JSON', '{a}', undefined],
    ['none', 'a', undefined],
    ['a list', '[1]', undefined],
  ])('%s', (_, text, object) => {
    expect(objectIn(text)).toEqual(object);
  });
});

describe('a plan', () => {
  test('has at most five queries, each once, and the idea where it has none', () => {
    const queries = ['a', ' a ', '', 'b', 'c', 'd', 'e', 'f'];
    expect(planOf({ idea: ' "An\nidea" ', approach: 'x', queries })).toEqual({
      idea: 'An idea',
      approach: 'x',
      queries: ['a', 'b', 'c', 'd', 'e'],
    });
    expect(planOf({ idea: 'I', approach: 'x', queries: [' '] }).queries).toEqual(['I']);
  });

  test('is cut between characters', () => {
    const { idea, queries } = planOf({
      idea: `${'a'.repeat(499)}😀`,
      approach: 'x',
      queries: [`${'b'.repeat(399)}😀`],
    });
    expect([idea, ...queries]).toEqual(['a'.repeat(499), 'b'.repeat(399)]);
  });

  test.each([
    ['as JSON', '{"idea": "New", "approach": "How", "queries": ["q"]}', undefined, 'New', ['q']],
    ['on a line of its own', 'Well.\n**Idea:** New one\nThen test.', 'Old', 'New one', ['New one']],
    ['kept where the text names none', '1. Read.\n2. Test.', 'Old', 'Old', ['Old']],
    ['on the first line where it is to change', '## "New one"\n\nTest.', undefined, 'New one', ['New one']],
    ['on the first line with words', '---\n```\nNew one', undefined, 'New one', ['New one']],
    ['behind the number of a list', '1. New one\n2. Other', undefined, 'New one', ['New one']],
  ])('as free text: the idea %s', (_, text, kept, idea, queries) => {
    expect(planIn(text, kept)).toMatchObject({ idea, queries });
  });

  test('as free text without any text is none', () => {
    expect(planIn(' \n', undefined)).toBeUndefined();
  });

  test('two ideas are one when their words are the same', () => {
    expect(isSameIdea('A new idea.', 'a NEW "idea"')).toBe(true);
    expect(isSameIdea('A new idea', 'An old idea')).toBe(false);
  });
});

describe('a critic is told how many searches failed, and where', () => {
  const ownDocs = { provider: 'folder' as const, max_results: 5 };

  test.each<[what: string, search: SearchPlace, all: number, gaps: number, said: string | undefined]>([
    ['none', { ...ownDocs, provider: 'searxng' }, 3, 0, undefined],
    ['some of a service', { ...ownDocs, provider: 'searxng' }, 3, 2, 'Of 3 searches 2 failed: searxng 2.'],
    ['the only one of a folder', { ...ownDocs, folder: '/notes' }, 1, 1, 'Of 1 search 1 failed: the folder 1.'],
    ['all of our documentation', ownDocs, 2, 2, "Of 2 searches 2 failed: Reprise's own documentation 2."],
  ])('%s', (_, search, all, gaps, said) => {
    expect(failedSearches(search, all, gaps)).toBe(said);
  });

  test.each<[what: string, material: string[]]>([
    ['on the web', ['[1.1] Good (https://good.example)\nGood.']],
    ['only in our own documentation', ['[1.1] Research (research.md:1)\nA run.']],
    ['nowhere', []],
  ])('whatever was found: something %s', (_, material) => {
    const said = failedSearches(ownDocs, 2, 1);
    const textOf = (dossier: CritiqueInput): string =>
      [dossierMessage(dossier)]
        .flat()
        .filter((part) => typeof part === 'string')
        .join('');
    const dossier = { idea: 'I', goal: 'G', approach: 'A', material, failed: said, gaps: ['"q": no'], similar: [] };
    expect(textOf(dossier)).toContain(`\n\n${said}\n\nNot searched: "q": no`);
    expect(textOf({ ...dossier, failed: undefined, gaps: [] })).not.toContain('failed');
  });
});

const marks: Marks = new Map([
  ['1.1', { title: 'One', url: 'https://one.example' }],
  ['1.2', { title: 'Two', url: 'https://two.example' }],
  ['2.1', { title: 'One again', url: 'https://one.example' }],
]);
const draft = (summary: string, text = 'x') => ({ title: 'T', summary, sections: [{ heading: 'H', text }] });

describe('a report', () => {
  test.each([
    ['unknown marks', draft('See [3.1].'), marks, /no source \[3\.1\]; the marks are: \[1\.1\] \[1\.2\] \[2\.1\]/],
    ['no marks', draft('Nothing.'), marks, /cites no source/],
    ['no sections', { title: 'T', summary: 'S', sections: [] }, new Map(), /at least one section/],
    ['signs alone', draft('S', '---'), new Map(), /at least one section with text/],
  ])('is sent back for %s', (_, value, known, problem) => {
    expect(problemOf(value, known)).toMatch(problem);
  });

  test.each([
    ['a title', { ...draft('S'), title: '\u200b' }, { ...draft('S'), title: 'Idea' }],
    ['a summary', draft('[9.9]', 'x [1.1]'), draft('x [1.1]', 'x [1.1]')],
    ['sections with text', draft('S', '[9.9] [8.8]'), { ...draft('S'), sections: [{ heading: 'Report', text: 'S' }] }],
    ['text of any kind', draft('[9.9]', '...'), undefined],
  ])('that lacks %s is completed by what it has', (_, value, whole) => {
    expect(completed(value, 'Idea', marks)).toEqual(whole);
  });

  test('is good where all marks are known, or where nothing was found', () => {
    expect(problemOf(draft('See [1.1, 1.2].'), marks)).toBeUndefined();
    expect(problemOf(draft('Nothing.'), new Map())).toBeUndefined();
  });

  test('numbers its sources as they come; marks of one source are one, unknown ones go', () => {
    expect(finished(draft('Two [1.2].', 'One [1.1][2.1]; both [1.2, 1.1]; odd [9.9].'), marks)).toEqual({
      title: 'T',
      summary: 'Two [1].',
      sections: [{ heading: 'H', text: 'One [2]; both [1][2]; odd.' }],
      sources: [
        { title: 'Two', url: 'https://two.example' },
        { title: 'One', url: 'https://one.example' },
      ],
    });
  });

  test('that cites nothing has no sources', () => {
    expect(finished(draft('x'), marks).sources).toEqual([]);
  });

  test('fits into a result, however much was written', () => {
    const sections = Array.from({ length: 3000 }, () => ({ heading: 'H', text: 'long '.repeat(100) }));
    const cut = truncateReport({ title: 'T'.repeat(5000), summary: 'ü"\n'.repeat(1e5), sections, sources: [] });
    expect(JSON.stringify(cut).length).toBeLessThan(420_000);
    expect(cut.sections.length).toBeGreaterThan(100);
    expect(cut.summary).toMatch(/characters were left out here\]$/);
    const short = { title: 'T', summary: 'S', sections: [{ heading: 'H', text: 'x' }], sources: [] };
    expect(truncateReport(short)).toBe(short);
  });

  test('loses sections without text', () => {
    const input = {
      title: 'T',
      summary: 'S',
      sections: [
        { heading: 'H', text: ' ' },
        { heading: 'I', text: 'x' },
      ],
    };
    expect(draftOf(input).sections).toEqual([{ heading: 'I', text: 'x' }]);
  });

  test.each([
    [
      'a title and headings',
      '# T\n\nS.\n\n## H\n\nx',
      { title: 'T', summary: 'S.', sections: [{ heading: 'H', text: 'x' }] },
    ],
    [
      'words alone',
      'Only words.',
      { title: 'Idea', summary: 'Only words.', sections: [{ heading: 'Report', text: 'Only words.' }] },
    ],
    [
      'an opening and headings',
      'S.\n\n## H\nx',
      { title: 'Idea', summary: 'S.', sections: [{ heading: 'H', text: 'x' }] },
    ],
    ['JSON', '{"title":"T","summary":"S","sections":[{"heading":"H","text":"x"}]}', draft('S')],
  ])('as free text: %s', (_, text, expected) => {
    expect(draftIn(text, 'Idea')).toEqual(expected);
  });

  test('whatever the text, a free one is never empty', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom('#', ' ', '\n', 'a', '{', '}', '"') }), (text) => {
        const value = draftIn(text, 'Idea');
        if (text.trim() === '') expect(value).toBeUndefined();
        else expect(value?.sections.map((section) => section.text).join('')).not.toBe('');
      }),
    );
  });
});
