import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { searchFolder } from '../../../../src/tools/web/search/folder.ts';
import { openSqliteStore } from '../../../../src/store/sqlite.ts';
import { folderOf } from '../../../support/extensions.ts';
import { reportOf } from '../../../support/reports.ts';

const filler = (count: number): string =>
  Array.from({ length: count }, (_, index) => `Sentence ${index} is about bread and its crust.`).join(' ');

const folder = folderOf({
  'finance/momentum.md': `# Momentum

Intro.

## Evidence

Momentum trading buys what has risen. ${filler(3)} Momentum trading costs eat the gain.

## Risks

Crashes follow rebounds of the market. A momentum crash takes years of gains from trading.
`,
  'plain.txt': 'Momentum trading without any heading.',
  'long.md': `# Long\n\n${'Momentum trading is described in this sentence at length. '.repeat(40)}`,
  'bread.md': `# Bread\n\n${filler(20)}`,
});
const store = openSqliteStore(join(folder, '.store.sqlite'));
afterAll(async () => {
  await store.close();
  rmSync(folder, { recursive: true, force: true });
});

const { signal } = new AbortController();
const findIn = async (place: string | undefined, query: string) =>
  (await searchFolder(place, store)(query, 5, signal)).found;
const find = (query: string) => findIn(folder, query);

describe('a folder', () => {
  test('a hit is a section, under its headings, at the line of its best sentence', async () => {
    const hits = await find('momentum trading evidence');
    expect(hits[0]).toMatchObject({ title: 'Momentum / Evidence', url: 'finance/momentum.md:7' });
    const addresses = hits.map(({ url }) => url);
    expect(addresses).toContain('finance/momentum.md:11');
    expect(new Set(addresses).size).toBe(addresses.length);
  });

  test('a passage has the best sentences in their order, and its gaps show', async () => {
    const [hit] = await find('costs momentum trading gain');
    expect(hit?.text).toMatch(/^Momentum trading buys what has risen\. .* Momentum trading costs eat the gain\.$/);
  });

  test('a passage of short sentences is filled up from its own section alone', async () => {
    const hits = await find('momentum crash years of gains');
    expect(hits.find(({ title }) => title.endsWith('Risks'))?.text).toBe(
      'Crashes follow rebounds of the market. A momentum crash takes years of gains from trading.',
    );
  });

  test('a passage has at most 800 characters of a long section', async () => {
    const hits = await find('momentum trading described at length');
    const long = hits.find(({ url }) => url === 'long.md:3');
    expect(long?.text.length).toBeGreaterThan(300);
    expect(long?.text.length).toBeLessThan(850);
  });

  test('a text without a heading is called by its file', async () => {
    const hits = await find('momentum trading');
    expect(hits).toContainEqual({
      title: 'plain.txt',
      url: 'plain.txt:1',
      text: 'Momentum trading without any heading.',
      fit: expect.any(Number),
    });
  });

  test('where nothing fits better, one rarer word of a query is enough in a folder that somebody named, and not in our own documentation', async () => {
    expect((await find('a heat map of rebounds in towns')).map(({ url }) => url)).toEqual(['finance/momentum.md:11']);
    expect(await findIn(undefined, 'a heat map of queues in towns')).toEqual([]);
  });

  test('a section with little of the query is no hit', async () => {
    expect(await find('bread baked on planets by robots in orbit')).toEqual([]);
  });

  test('nothing fits what the texts are not about', async () => {
    expect(await find('quantum chromodynamics')).toEqual([]);
  });

  test('Reprise’s own documentation is there to be searched', async () => {
    const hits = await findIn(undefined, 'restart an attempt of the orchestration');
    expect(hits.length).toBeGreaterThan(3);
    expect(hits[0]?.url).toMatch(/^[\w-]+\.md:\d+$/);
  });

  test('a folder that cannot be read is a failure that says so, and is not tried again', async () => {
    await expect(findIn(join(folder, 'plain.txt'), 'momentum')).rejects.toMatchObject({
      type: 'SearchFailed',
      nonRetryable: true,
      message: expect.stringMatching(/^search\.folder: .*plain\.txt cannot be read \(ENOTDIR\)$/),
    });
  });
});

describe('stored reports', () => {
  test('are found beside the texts by title, summary and idea, with their summary as text', async () => {
    const report = { title: 'Sourdough robots', summary: 'They knead at night.', sections: [], sources: [] };
    await store.putReport(reportOf({ id: 'r1', idea: 'Machines that bake', report }));
    for (const query of ['sourdough robots', 'kneading at night', 'machines for baking']) {
      expect(await find(query)).toContainEqual({
        title: 'Sourdough robots',
        url: 'report:r1',
        text: 'They knead at night.',
        fit: 1,
      });
    }
    const unlike = await find('momentum trading of robots with options');
    expect(unlike.map(({ url }) => url)).not.toContain('report:r1');
  });
});
