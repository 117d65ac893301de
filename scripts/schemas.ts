/** `npm run schemas`: writes the JSON schemas of configurations to `schemas/`, as `reprise schema` prints them. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { schemaNames, schemaText } from '../src/config/json-schema.ts';

const folder = fileURLToPath(new URL('../schemas/', import.meta.url));
mkdirSync(folder, { recursive: true });
for (const name of schemaNames) writeFileSync(`${folder}${name}.json`, `${schemaText(name)}\n`);
