import { fileURLToPath } from 'node:url';

/** The folder of Reprise's documentation, which is beside `src/` in a clone and beside `dist/` in the package. */
export const ownDocs = fileURLToPath(new URL('../../docs', import.meta.url));
