import type { Text } from './message.ts';

/** A work that was found: a web page, a text in the folder, or a stored report. */
export interface Work {
  title: string;
  /** The URL of a page, `file.md:12` for a text in the folder, or `report:` and the id of a stored report. */
  url: string;
}

/** A service that searches the web. */
export type WebSearchService = 'searxng' | 'tavily' | 'brave';

/** Where is searched, and how many hits are taken. */
export interface SearchPlace {
  provider: 'folder' | WebSearchService;
  /** Absolute path for the provider `folder`; the default is Reprise's own documentation. */
  folder?: string | undefined;
  /** By which a worker knows that a configuration it trusts names the folder. */
  seal?: string;
  /** For each query. */
  max_results: number;
}

/** Where a research run searches, and what it does with the hits. */
export interface SearchSettings extends SearchPlace {
  /** How many pages of an iteration's best hits on the web are read. */
  read_pages: number;
}

/** Input of the activity `search`. */
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
  /** The same in a line for each hit, for a planner that plans anew. */
  digest: Text;
}

/** Input of the activity `readPage`. */
export interface ReadPageInput {
  url: string;
}

/** The text of a page as prompts show it: plain, on one line, and of a limited length. Or why it could not be read. */
export type ReadPageResult = { text: Text; characters: number } | { why: string };

/** The stored report of an earlier run on a similar idea. */
export interface Recalled extends Work {
  /** How close the ideas are, from 0 to 1. */
  similarity: number;
  /** A few lines for prompts: what that run tried, with scores, and what helped. */
  lesson: string;
}
