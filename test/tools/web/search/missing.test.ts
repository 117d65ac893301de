import { expect, test } from 'vitest';
import { missingForSearch } from '../../../../src/config/search-services.ts';
import type { SearchPlace } from '../../../../src/protocol/search.ts';

const search = (provider: SearchPlace['provider'], folder?: string): SearchPlace => ({
  provider,
  folder,
  max_results: 5,
});

test.each([
  ['Reprise’s own documentation is always there', search('folder'), {}, []],
  ['a folder that is there', search('folder', import.meta.dirname), {}, []],
  ['a folder that is not there', search('folder', '/not/there'), {}, ['search.folder: there is no folder /not/there']],
  [
    'a file is no folder',
    search('folder', import.meta.filename),
    {},
    [`search.folder: there is no folder ${import.meta.filename}`],
  ],
  ['SearXNG with its address', search('searxng'), { SEARXNG_URL: 'http://localhost:8080' }, []],
  ['SearXNG without', search('searxng'), {}, ['search.provider: searxng needs SEARXNG_URL, which is not set']],
  [
    'SearXNG with an address that is none',
    search('searxng'),
    { SEARXNG_URL: 'localhost:8080' },
    ['search.provider: searxng needs SEARXNG_URL to be an address with http:// or https://'],
  ],
  ['a provider of models with its key', search('claude'), { ANTHROPIC_API_KEY: 'k' }, []],
  [
    'a provider of models without',
    search('gemini'),
    {},
    ['search.provider: gemini needs GEMINI_API_KEY, which is not set'],
  ],
  ['Brave with its key', search('brave'), { BRAVE_API_KEY: 'k' }, []],
  ['Brave without', search('brave'), {}, ['search.provider: brave needs BRAVE_API_KEY, which is not set']],
  ['Tavily with its key', search('tavily'), { TAVILY_API_KEY: 'k' }, []],
  [
    'Tavily without, and with an address that is none',
    search('tavily'),
    { TAVILY_BASE_URL: 'tavily' },
    [
      'search.provider: tavily needs TAVILY_API_KEY, which is not set',
      'search.provider: tavily needs TAVILY_BASE_URL to be an address with http:// or https://',
    ],
  ],
])('what a search lacks: %s', (_, settings, environment, missing) => {
  expect(missingForSearch(settings, environment)).toEqual(missing);
});
