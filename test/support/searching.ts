import type { WorkflowHandle } from '@temporalio/client';
import { afterAll, beforeAll, beforeEach } from 'vitest';
import type { ResearchResult } from '../../src/protocol/research.ts';
import { sharedRunning, type SharedRunning } from './running.ts';
import type { Script } from './model-server.ts';
import type { Asked } from './research-script.ts';
import { startSearchServer, type SearchAnswer, type SearchServer } from './search-server.ts';

/** What a test says the search service finds. */
type Find = (query: string) => SearchAnswer | Promise<SearchAnswer>;

/** A worker and a search service for all tests of a file, to be called beside them. Each test begins with three hits. */
export function searchingRuns() {
  let service: SearchServer;
  const search: { find: Find; queries: () => string[]; url: () => string } = {
    find: () => ({}),
    queries: () => service.searches.map(({ query }) => query),
    url: () => service.url,
  };
  beforeAll(async () => {
    service = await startSearchServer(({ query }) => search.find(query));
  });
  beforeEach(() => {
    search.find = () => hits('One', 'Two', 'Three');
    service.searches.length = 0;
  });
  afterAll(() => service.close());
  const running: (script: Script) => SharedRunning = sharedRunning(() => ({ SEARXNG_URL: service.url }));
  return { running, search };
}

/** Hits whose pages cannot be read anywhere. */
export const hits = (...titles: string[]): SearchAnswer => ({
  results: titles.map((title) => ({
    title,
    url: `https://${title.toLowerCase().replaceAll(' ', '-')}.example`,
    content: `${title}.`,
  })),
});

/** @param more keys of `research` */
export const researchInput = (more: object = {}) => ({
  idea: 'Tomaten auf dem Balkon',
  config: { research: { backend: { type: 'openai' }, ...more } },
});

export const resultOf = async (handle: WorkflowHandle): Promise<ResearchResult> =>
  (await handle.result()) as ResearchResult;

/** The prompts of the requests that offer a tool. */
export const promptsFor = (run: SharedRunning, tool: string): string[] =>
  run.model.requests.filter(({ tools }) => tools.includes(tool)).map(({ prompt }) => prompt);

/** What the model was asked for, in order. */
export const asked = (run: SharedRunning): Asked[] =>
  run.model.requests.map(({ tools: [tool] }) =>
    tool === 'submit_plan' ? 'plan' : tool === 'submit_criticism' ? 'criticise' : 'synthesise',
  );
