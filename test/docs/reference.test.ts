import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { referencePages } from '../../scripts/reference/pages.ts';

test.each(Object.entries(await referencePages()))(
  'docs/reference/%s is up to date (`npm run reference` writes it)',
  (name, text) => {
    expect(readFileSync(new URL(`../../docs/reference/${name}`, import.meta.url), 'utf8')).toBe(text);
  },
);
