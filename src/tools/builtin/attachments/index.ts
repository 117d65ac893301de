import type { Store } from '../../../store/store.ts';
import type { ToolDefinition } from '../../definition.ts';
import { listTool } from './list.ts';
import { queryTool } from './query.ts';
import { readTool } from './read.ts';
import { saveTool } from './save.ts';

/** Built-in package `builtin.attachments`: the files of the workflow that calls, and no others. */
export const attachmentTools = (store: Store): ToolDefinition[] => [
  listTool(store),
  readTool(store),
  queryTool(store),
  saveTool(store),
];
