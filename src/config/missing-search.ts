import { statSync } from 'node:fs';
import type { Environment } from '../util/environment.ts';
import { ownDocs } from './own-docs.ts';
import type { SearchPlace } from '../protocol/search.ts';
import { variableOf } from './search-services.ts';

/** The variable that a search lacks in this environment; undefined if it has what it needs. */
export function missingVariable({ provider }: SearchPlace, environment: Environment): string | undefined {
  if (provider === 'folder') return undefined;
  const needed = variableOf[provider];
  return environment[needed] === undefined ? needed : undefined;
}

/** Lists what keeps a search from working in this environment, in words that name the key; empty if nothing does. */
export function missingForSearch({ provider, folder = ownDocs }: SearchPlace, environment: Environment): string[] {
  switch (provider) {
    case 'folder':
      return isFolder(folder) ? [] : [`search.folder: there is no folder ${folder}`];
    case 'searxng':
      return [...unset('SEARXNG_URL'), ...noAddress('SEARXNG_URL')];
    case 'tavily':
      return [...unset('TAVILY_API_KEY'), ...noAddress('TAVILY_BASE_URL')];
    case 'brave':
      return [...unset('BRAVE_API_KEY'), ...noAddress('BRAVE_BASE_URL')];
  }

  function unset(variable: string): string[] {
    if (environment[variable] !== undefined) return [];
    return [`search.provider: ${provider} needs ${variable}, which is not set`];
  }

  /** The value stays out of the message: an address may hold a password. */
  function noAddress(variable: string): string[] {
    const value = environment[variable];
    if (value === undefined || /^https?:/.test(URL.parse(value)?.protocol ?? '')) return [];
    return [`search.provider: ${provider} needs ${variable} to be an address with http:// or https://`];
  }
}

const isFolder = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
