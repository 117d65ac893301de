import { describe, expect, test } from 'vitest';
import { searchNotices } from '../../src/config/tools/everyday-tools.ts';
import type { Backend } from '../../src/protocol/settings.ts';

const openai: Backend = { type: 'openai' };
const having = (packages: string[], backend = openai) => [{ backend, tools: { packages, mcpServers: [] } }];

describe('a person is told why the web cannot be searched', () => {
  test('where no service is set up, with what to set', () => {
    expect(searchNotices(having(['builtin.web']), {})).toEqual([
      expect.stringMatching(
        /^web_search has no search service, and agents are told so: set SEARXNG_URL, .* or GEMINI_API_KEY; SearXNG needs no key: docker run /,
      ),
    ]);
  });

  test('where its address is none', () => {
    expect(searchNotices(having(['builtin.web']), { SEARXNG_URL: 'localhost' })).toEqual([
      'web_search will not work: searxng needs SEARXNG_URL to be an address with http:// or https://',
    ]);
  });

  test.each([
    ['there is a service', having(['builtin.web']), { BRAVE_API_KEY: 'k' }],
    ['there is a model’s key', having(['builtin.web']), { ANTHROPIC_API_KEY: 'k' }],
    ['nobody has the tool', having(['tools.weather']), {}],
    ['only the offline model has it, which never calls it', having(['builtin.web'], { type: 'offline' }), {}],
  ])('and nothing where %s', (_, agents, environment) => {
    expect(searchNotices(agents, environment)).toEqual([]);
  });
});
