import { readFileSync } from 'node:fs';

/** The version of this package, as its `package.json` has it; the path is the same from `src` and from `dist`. */
export const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
  version: string;
};
