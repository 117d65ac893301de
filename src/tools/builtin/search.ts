import { z } from 'zod';
import type { ToolDefinition } from '../definition.ts';
import { indexOfFolder } from '../folder-index.ts';
import { queryOf } from '../sentence-search.ts';

const parameters = z.object({
  query: z.string().min(1).describe('What to look for, in words that the texts may use'),
  max_results: z.int().min(1).max(50).default(8),
});

/** Built-in package `builtin.search`. */
export function searchTool(folder: string): ToolDefinition {
  return {
    name: 'search_texts',
    description:
      'Searches the text files at hand and returns the sentences that fit best, each with its file and line.',
    parameters,
    sideEffects: false,
    execute({ query, max_results }: z.output<typeof parameters>): string {
      const hits = indexOfFolder(folder).search(queryOf(query)).slice(0, max_results);
      if (hits.length === 0) return 'Nothing was found.';
      return hits
        .map(({ sentence: { source, line, heading, text } }) => {
          const place = heading === '' ? `${source}:${line}` : `${source}:${line} (${heading})`;
          return `${place}: ${text}`;
        })
        .join('\n');
    },
  };
}
