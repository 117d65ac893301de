/** `npm run reference`: writes `docs/reference/`, which says what schemas, help texts and tools say of themselves. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { referencePages } from './reference/pages.ts';

const folder = fileURLToPath(new URL('../docs/reference/', import.meta.url));
mkdirSync(folder, { recursive: true });
for (const [name, text] of Object.entries(await referencePages())) writeFileSync(`${folder}${name}`, text);
