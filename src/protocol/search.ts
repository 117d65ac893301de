import type { Text } from './message.ts';

/** A piece of work that was found: a page, a text of the folder, or a stored report (`report:…`). */
export interface Work {
  title: string;
  /** Address of a page, `file.md:12` in the folder, or `report:` and the id of a stored report. */
  url: string;
}

/** A work, and how much of the idea is in it, from 0 to 1. */
export interface Hit extends Work {
  similarity: number;
}

/** Where and how much a research run searches. */
export interface SearchSettings {
  provider: 'folder' | 'searxng' | 'tavily';
  /** `folder`: absolute; absent: Reprise's own documentation. */
  folder?: string | undefined;
  /** Of each query. */
  max_results: number;
}

/** Input of the activity `search`: one query of a plan. */
export interface SearchInput {
  query: string;
  /** What the hits are compared with. */
  idea: string;
  search: SearchSettings;
  /** Number of the query in its plan, from 1: hits are cited by it, as `[1.2]`. */
  number: number;
}

/** What a query has found, the best first. */
export interface SearchResult {
  hits: Hit[];
  /** The hits as models read them, each under its mark `[1.2]`, with title, address and text. */
  material: Text;
}

/** A stored run on an idea that is near this one. */
export interface Recalled extends Hit {
  /** The works that run had found to be similar to its idea. */
  similar: Work[];
  /** What was tried in it, with scores, and what helped: for models, in a few lines. */
  lesson: string;
}
