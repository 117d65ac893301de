import { expect, test } from 'vitest';
import { completeResearch, researchSchema } from '../../src/config/research.ts';

const completed = (research: object, environment: Record<string, string> = {}) =>
  completeResearch(researchSchema.parse({ research }), environment);

const [SEARXNG_URL, TAVILY_API_KEY] = ['http://search', 'k'];

test.each<[what: string, search: object, environment: Record<string, string>, provider: string]>([
  ['the provider that is named', { provider: 'tavily' }, { SEARXNG_URL }, 'tavily'],
  ['the folder that is named', { folder: 'notes' }, { SEARXNG_URL, TAVILY_API_KEY }, 'folder'],
  ['SearXNG where its address is set', {}, { SEARXNG_URL, TAVILY_API_KEY }, 'searxng'],
  ['Tavily where its key is set', {}, { TAVILY_API_KEY, BRAVE_API_KEY: 'k' }, 'tavily'],
  ['Brave where only its key is set', {}, { BRAVE_API_KEY: 'k' }, 'brave'],
  ['else Reprise’s own documentation', {}, {}, 'folder'],
])('where a run searches: %s', (_, search, environment, provider) => {
  expect(completed({ search }, environment).search).toMatchObject({ provider, max_results: 5, read_pages: 3 });
});

test.each<[what: string, research: object, weights: object, hasOwnWeights: boolean]>([
  ['the default ones', {}, { feasibility: 0.3, novelty: 0.2, data: 0.2, risk: 0.2, testability: 0.1 }, false],
  ['those of the configuration', { weights: { proof: 1 } }, { proof: 1 }, true],
  ['those of the domain', { weights: { a: 1 }, domain: 'd', domains: { d: { weights: { b: 1 } } } }, { b: 1 }, true],
  ['those beside a domain without any', { weights: { a: 1 }, domain: 'd', domains: { d: {} } }, { a: 1 }, true],
])('weights: %s', (_, research, weights, hasOwnWeights) => {
  expect(completed(research)).toMatchObject({ weights, hasOwnWeights });
});
