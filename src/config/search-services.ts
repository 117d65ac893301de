import { webSearchServices, type SearchPlace, type WebSearchService } from '../protocol/search.ts';
import type { Environment } from '../util/environment.ts';
import { isFolder } from '../util/folders.ts';
import { fileURLToPath } from 'node:url';

export const webSearchNames = Object.keys(webSearchServices) as WebSearchService[];

/** The variable without which a service cannot be asked. */
export const variableOf = (service: WebSearchService): string => webSearchServices[service].needs;

/** The variables that hold a key. Without one a service is asked at an address of the user's own. */
export const searchKeys = Object.values(webSearchServices).flatMap(({ needs, address }): string[] =>
  needs === address ? [] : [needs],
);

/** The service that an environment names by its variables. */
export const serviceOf = (environment: Environment): WebSearchService | undefined =>
  webSearchNames.find((service) => environment[variableOf(service)] !== undefined);

/** What a person can do where there is no service: `set SEARXNG_URL, … or …`. */
export const howToSearch = `set ${new Intl.ListFormat('en-GB', { type: 'disjunction' }).format(webSearchNames.map(variableOf))}`;

/** The same with the one command for whoever has none of them. Without a file of settings SearXNG gives no JSON. */
export const howToGetSearch =
  `${howToSearch}; SearXNG needs no key: docker run -d -p 127.0.0.1:8080:8080 -e SEARXNG_SECRET=local --entrypoint sh ` +
  `searxng/searxng -c 'printf "use_default_settings: true\\nsearch: {formats: [html, json]}\\n" > /etc/searxng/settings.yml; ` +
  `exec /usr/local/searxng/entrypoint.sh', and SEARXNG_URL=http://127.0.0.1:8080`;

/** The variable that a search lacks in this environment; undefined if it has what it needs. */
export function missingVariable({ provider }: SearchPlace, environment: Environment): string | undefined {
  if (provider === 'folder') return undefined;
  const needed = variableOf(provider);
  return environment[needed] === undefined ? needed : undefined;
}

/** What keeps a search from working in this environment. */
export function missingForSearch({ provider, folder = ownDocs }: SearchPlace, environment: Environment): string[] {
  if (provider === 'folder') return isFolder(folder) ? [] : [`search.folder: there is no folder ${folder}`];
  const { needs, address } = webSearchServices[provider];
  const problems: string[] = [];
  if (environment[needs] === undefined) problems.push(`search.provider: ${provider} needs ${needs}, which is not set`);
  // The value stays out of the message: an address may hold a password.
  const value = environment[address];
  if (value !== undefined && !/^https?:/.test(URL.parse(value)?.protocol ?? '')) {
    problems.push(`search.provider: ${provider} needs ${address} to be an address with http:// or https://`);
  }
  return problems;
}

/** The folder of Reprise's documentation, which is beside `src/` in a clone and beside `dist/` in the package. */
export const ownDocs = fileURLToPath(new URL('../../docs', import.meta.url));
