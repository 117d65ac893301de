import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { researchSchema } from '../../src/config/research.ts';
import { sentencesOf } from '../../src/util/text/sentences.ts';
import { textFiles } from '../../src/util/folder-index.ts';
import type { TextFile } from '../../src/util/text/sentences.ts';
import { stemsOf } from '../../src/util/text/words.ts';

const notes = fileURLToPath(new URL('../../examples/sample-corpus', import.meta.url));
const idea = stemsOf('momentum trading strategy');

/** The share of a work's title and passage from which on it is similar to an idea. */
const similar = 0.6;

/** What stands under each heading of a text, with the text's title. */
function passagesOf(file: TextFile): string[] {
  const title = /^# (.*)$/m.exec(file.text)?.[1] ?? '';
  return [...Map.groupBy(sentencesOf(file), ({ heading }) => heading)].map(([heading, sentences]) =>
    [title, heading, ...sentences.map(({ text }) => text)].join('\n'),
  );
}

function share(text: string): number {
  const stems = new Set(stemsOf(text));
  return idea.filter((stem) => stems.has(stem)).length / idea.length;
}

test('four passages of the notes are similar to the example’s idea, which is one too many', async () => {
  const files: TextFile[] = [];
  for await (const file of textFiles(notes)) files.push(file);
  const found = files.flatMap((file) =>
    passagesOf(file)
      .filter((passage) => share(passage) >= similar)
      .map(() => file.name),
  );
  expect(found).toEqual([
    'momentum-backtests.md',
    'momentum-basics.md',
    'momentum-crashes.md',
    'time-series-momentum.md',
  ]);
});

test('the example of research is a valid configuration, and lets one similar work less pass', () => {
  const text = readFileSync(fileURLToPath(new URL('../../examples/research.yaml', import.meta.url)), 'utf8');
  expect(researchSchema.parse(parse(text)).research).toMatchObject({
    domain: 'trading',
    max_similar_implementations: 3,
    search: { provider: 'folder', folder: 'sample-corpus' },
  });
});
