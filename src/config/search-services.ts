import type { Environment } from '../util/environment.ts';
import type { WebSearchService } from '../protocol/search.ts';

/**
 * The variable without which a service cannot be asked. If several are set, the first service is used: a SearXNG of the
 * user's own costs nothing.
 */
export const variableOf: Record<WebSearchService, string> = {
  searxng: 'SEARXNG_URL',
  tavily: 'TAVILY_API_KEY',
  brave: 'BRAVE_API_KEY',
};

export const webSearchServices = Object.keys(variableOf) as WebSearchService[];

/** The service that an environment names by its variables; undefined if it names none. */
export const serviceOf = (environment: Environment): WebSearchService | undefined =>
  webSearchServices.find((service) => environment[variableOf[service]] !== undefined);

/** What a person can do where there is no service: `set SEARXNG_URL, … or …`. */
export const howToSearch = `set ${listed(Object.values(variableOf))}`;

function listed(names: string[]): string {
  return `${names.slice(0, -1).join(', ')} or ${names.at(-1)}`;
}
