import type { Environment } from '../../../util/environment.ts';
import type { SearchPlace } from '../../../protocol/search.ts';
import type { Store } from '../../../store/store.ts';
import { missingForSearch, missingVariable } from '../../../config/search-services.ts';
import { searchBrave } from './brave.ts';
import { searchClaude } from './claude.ts';
import { searchFolder } from './folder.ts';
import { searchGemini } from './gemini.ts';
import { modelSearch } from './model-search.ts';
import { searchOpenai } from './openai.ts';
import { searchRefused, type Search } from './provider.ts';
import { searchSearxng } from './searxng.ts';
import { searchTavily } from './tavily.ts';
import { keyMissing } from '../../../config/variables.ts';

export interface SearchDependencies {
  store: Store;
  environment: Environment;
}

/**
 * @throws `ApplicationFailure`, not retryable, if the search cannot work in this environment: of type `MissingKey` for want
 *   of a variable, else of type `SearchFailed`
 */
export function openSearch(search: SearchPlace, { store, environment }: SearchDependencies): Search {
  const missing = missingForSearch(search, environment);
  const variable = missingVariable(search, environment);
  if (variable !== undefined) throw keyMissing(missing.join('\n'), variable);
  if (missing.length > 0) throw searchRefused(missing.join('\n'));
  switch (search.provider) {
    case 'folder':
      return searchFolder(search.folder, store);
    case 'searxng':
      return searchSearxng(environment['SEARXNG_URL'] ?? '');
    case 'tavily':
      return searchTavily(environment['TAVILY_API_KEY'] ?? '', environment['TAVILY_BASE_URL']);
    case 'brave':
      return searchBrave(environment['BRAVE_API_KEY'] ?? '', environment['BRAVE_BASE_URL']);
    case 'openai':
      return searchOpenai(modelSearch('openai', environment));
    case 'claude':
      return searchClaude(modelSearch('claude', environment));
    case 'gemini':
      return searchGemini(modelSearch('gemini', environment));
  }
}
