import { fileURLToPath } from 'node:url';

/** Reprise's own documentation: beside `src/` in a clone, beside `dist/` in the package. */
export const ownDocs = fileURLToPath(new URL('../../docs', import.meta.url));
