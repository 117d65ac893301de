import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const folder = fileURLToPath(new URL('../../docs', import.meta.url));

test.each(readdirSync(folder).filter((name) => name.endsWith('.md')))('%s has each heading once', (name) => {
  const text = readFileSync(join(folder, name), 'utf8').replaceAll(/^```[^]*?^```/gm, '');
  const headings = text.match(/^#+ .*$/gm) ?? [];
  expect(headings).toEqual([...new Set(headings)]);
});
