import type { Text, TokenUsage } from './message.ts';

/** A work that was found: a web page, a text in the folder, or a stored report. */
export interface Work {
  title: string;
  /** The URL of a page, `file.md:12` for a text in the folder, or `report:` and the id of a stored report. */
  url: string;
}

/**
 * The services that search the web. For each the variable without which it cannot be asked, the one that holds its address, and
 * what its variables mean. If several are set, the first service is used: a SearXNG of the user's own costs nothing, and
 * the providers of models, whose keys are mostly there for their models, come last.
 */
export const webSearchServices = {
  searxng: {
    needs: 'SEARXNG_URL',
    address: 'SEARXNG_URL',
    meanings: {
      SEARXNG_URL:
        'the SearXNG that research runs and web_search ask; it may have a name and password: https://name:password@…',
    },
  },
  tavily: {
    needs: 'TAVILY_API_KEY',
    address: 'TAVILY_BASE_URL',
    meanings: {
      TAVILY_API_KEY: "Tavily's key, for searches",
      TAVILY_BASE_URL: "an address that replaces Tavily's own",
    },
  },
  brave: {
    needs: 'BRAVE_API_KEY',
    address: 'BRAVE_BASE_URL',
    meanings: {
      BRAVE_API_KEY: "Brave Search's key",
      BRAVE_BASE_URL: "an address that replaces Brave Search's own",
    },
  },
  openai: { needs: 'OPENAI_API_KEY', address: 'OPENAI_BASE_URL', meanings: {} },
  claude: { needs: 'ANTHROPIC_API_KEY', address: 'ANTHROPIC_BASE_URL', meanings: {} },
  gemini: { needs: 'GEMINI_API_KEY', address: 'GEMINI_BASE_URL', meanings: {} },
} as const;

export type WebSearchService = keyof typeof webSearchServices;

/** A provider whose model searches. What that costs is part of the run's `usage`. */
export type ModelSearch = 'openai' | 'claude' | 'gemini';

export const isModelSearch = (provider: string): provider is ModelSearch =>
  ['openai', 'claude', 'gemini'].includes(provider);

/** Where is searched, and how many hits are taken. */
export interface SearchPlace {
  provider: 'folder' | WebSearchService;
  /** Absolute path for the provider `folder`; the default is Reprise's own documentation. */
  folder?: string | undefined;
  /** By which a worker knows that a configuration it trusts names the folder. */
  seal?: string;
  max_results: number;
}

/** Where a research run searches, and what it does with the hits. */
export interface SearchSettings extends SearchPlace {
  /** How many pages of an iteration's best hits on the web are read. */
  read_pages: number;
}

export interface SearchInput {
  query: string;
  search: SearchSettings;
  /** Number of the query in its iteration, from 1. The second hit of the first query is cited as `[1.2]`. */
  number: number;
}

/** What a query has found, best first. */
export interface SearchResult {
  hits: Work[];
  /** The hits as prompts show them, each under its mark `[1.2]`, with title, URL and text. */
  material: Text;
  /** In a line for each hit, for a planner that plans anew. */
  digest: Text;
  /** What it has cost, all tries together; absent where that is not known. */
  usage?: TokenUsage;
}

/** What a search has cost that failed, as the details of its failure have it. */
export const spentIn = (details: unknown[] | null | undefined): TokenUsage | undefined =>
  (details?.[0] as { usage?: TokenUsage } | undefined)?.usage;

/** The text of a page as prompts show it: plain, on one line, and of a limited length. Or why it could not be read. */
export type ReadPageResult = { text: Text; characters: number } | { why: string };

/** The stored report of an earlier run on a similar idea. */
export interface Recalled extends Work {
  /** How close the ideas are, from 0 to 1. */
  similarity: number;
  /** A few lines for prompts: what that run tried, with scores, and what helped. */
  lesson: string;
}
