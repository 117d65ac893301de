import { describe, expect, test } from 'vitest';
import { preflight } from '../../src/config/kind.ts';
import { completeResearch, researchKind, researchSchema } from '../../src/config/research.ts';

const completed = (research: object, environment: Record<string, string> = {}) =>
  completeResearch(researchSchema.parse({ research }), environment);

const [SEARXNG_URL, TAVILY_API_KEY] = ['http://search', 'k'];

test.each<[what: string, search: object, environment: Record<string, string>, provider: string]>([
  ['the provider that is named', { provider: 'tavily' }, { SEARXNG_URL }, 'tavily'],
  ['the folder that is named', { folder: 'notes' }, { SEARXNG_URL, TAVILY_API_KEY }, 'folder'],
  ['SearXNG where its address is set', {}, { SEARXNG_URL, TAVILY_API_KEY }, 'searxng'],
  ['Tavily where its key is set', {}, { TAVILY_API_KEY, BRAVE_API_KEY: 'k' }, 'tavily'],
  ['Brave where only its key is set', {}, { BRAVE_API_KEY: 'k' }, 'brave'],
  ['OpenAI where nothing but its key is set', {}, { OPENAI_API_KEY: 'k' }, 'openai'],
  ['Anthropic, likewise', {}, { ANTHROPIC_API_KEY: 'k', GEMINI_API_KEY: 'k' }, 'claude'],
  ['Gemini, likewise', {}, { GEMINI_API_KEY: 'k' }, 'gemini'],
  ['a service before any provider of models', {}, { OPENAI_API_KEY: 'k', BRAVE_API_KEY: 'k' }, 'brave'],
  ['else Reprise’s own documentation', {}, {}, 'folder'],
])('where a run searches: %s', (_, search, environment, provider) => {
  expect(completed({ search }, environment).search).toMatchObject({ provider, max_results: 5, read_pages: 3 });
});

const offline = { backend: { type: 'offline' } };

test.each<[what: string, research: object, environment: Record<string, string>, provider: string]>([
  ['no provider of models unasked', offline, { OPENAI_API_KEY: 'k' }, 'folder'],
  ['one that is named', { ...offline, search: { provider: 'openai' } }, { OPENAI_API_KEY: 'k' }, 'openai'],
  ['a service', offline, { SEARXNG_URL, OPENAI_API_KEY: 'k' }, 'searxng'],
  [
    'one, where a role has another model',
    { ...offline, plan: { backend: { type: 'openai' } } },
    { OPENAI_API_KEY: 'k' },
    'openai',
  ],
])('for the offline model, which costs nothing, searches %s', (_, research, environment, provider) => {
  expect(completed(research, environment).search).toMatchObject({ provider });
});

describe('a run that can search nothing but Reprise’s own documentation', () => {
  const problems = (research: object, environment: Record<string, string> = {}) =>
    preflight(researchKind, completed(research, environment), environment);
  const local = { backend: { type: 'chatcompletion', model: 'qwen3:8b', base_url: 'http://127.0.0.1:11434/v1' } };

  test.each([
    ['with a model of its own', local, {}],
    [
      'where the folder is named as the provider, and no folder is',
      { search: { provider: 'folder' } },
      { OPENAI_API_KEY: 'k' },
    ],
  ])('does not start %s: it says what to set, and how to start SearXNG', (_, research, environment) => {
    expect(problems(research, environment)).toEqual([
      expect.stringMatching(
        /^search: there is nothing to search: name a folder \(search\.folder\), or set SEARXNG_URL, TAVILY_API_KEY, .* or GEMINI_API_KEY; SearXNG needs no key: docker run .* searxng\/searxng -c 'printf "use_default_settings: true\\nsearch: \{formats: \[html, json\]\}\\n" > \/etc\/searxng\/settings\.yml; exec .*', and SEARXNG_URL=http:\/\/127\.0\.0\.1:8080$/,
      ),
    ]);
  });

  test.each([
    ['of the offline model', {}, {}],
    ['with a folder', { ...local, search: { folder: import.meta.dirname } }, {}],
    ['with a key', {}, { GEMINI_API_KEY: 'k' }],
  ])('starts %s', (_, research, environment) => {
    expect(problems(research, environment)).toEqual([]);
  });
});

test.each<[what: string, research: object, weights: object, hasOwnWeights: boolean]>([
  ['the default ones', {}, { feasibility: 0.3, novelty: 0.2, data: 0.2, risk: 0.2, testability: 0.1 }, false],
  ['those of the configuration', { weights: { proof: 1 } }, { proof: 1 }, true],
  ['those of the domain', { weights: { a: 1 }, domain: 'd', domains: { d: { weights: { b: 1 } } } }, { b: 1 }, true],
  ['those beside a domain without any', { weights: { a: 1 }, domain: 'd', domains: { d: {} } }, { a: 1 }, true],
])('weights: %s', (_, research, weights, hasOwnWeights) => {
  expect(completed(research)).toMatchObject({ weights, hasOwnWeights });
});
