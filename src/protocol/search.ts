import type { Text } from './message.ts';

/** A work that was found: a web page, a text in the folder, or a stored report. */
export interface Work {
  title: string;
  /** The URL of a page, `file.md:12` for a text in the folder, or `report:` and the id of a stored report. */
  url: string;
}

/** A work that a search has found. */
export interface Hit extends Work {
  /** How much of the idea is in it, from 0 to 1. */
  similarity: number;
}

/** Where a research run searches, and how many hits it takes. */
export interface SearchSettings {
  provider: 'folder' | 'searxng' | 'tavily';
  /** Absolute path for the provider `folder`; the default is Reprise's own documentation. */
  folder?: string | undefined;
  /** For each query. */
  max_results: number;
}

/** Input of the activity `search`. */
export interface SearchInput {
  query: string;
  /** The hits' similarity is measured against it. */
  idea: string;
  search: SearchSettings;
  /** Number of the query in its plan, from 1. The second hit of the first query is cited as `[1.2]`. */
  number: number;
}

/** What a query has found, best first. */
export interface SearchResult {
  hits: Hit[];
  /** The hits as prompts show them, each under its mark `[1.2]`, with title, URL and text. */
  material: Text;
}

/** The stored report of an earlier run on a similar idea. */
export interface Recalled extends Hit {
  /** The works that that run had found to be similar to its idea. */
  similar: Work[];
  /** A few lines for prompts: what that run tried, with scores, and what helped. */
  lesson: string;
}
