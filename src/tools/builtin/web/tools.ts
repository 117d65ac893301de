import type { SearchDependencies } from '../../../search/open-search.ts';
import type { ToolDefinition } from '../../definition.ts';
import { isPublic, type AddressRule } from './addresses.ts';
import { pageTool } from './page.ts';
import { webSearchTool } from './search.ts';

/** The built-in package `builtin.web`. @param rule which addresses `fetch_page` may connect to */
export const webTools = (dependencies: SearchDependencies, rule: AddressRule = isPublic): ToolDefinition[] => [
  webSearchTool(dependencies),
  pageTool(dependencies.store, rule),
];
