import type { Store } from '../../store/store.ts';
import { readDefinitions, type ToolDefinition } from '../definition.ts';
import type { Tool } from '../tool.ts';
import { attachmentTools } from './attachments/index.ts';
import { calculatorTool } from './calculator.ts';
import { fileTool } from './files.ts';
import { searchTool } from './search.ts';
import { webTool } from './web.ts';

/** Reprise's own tools by the name of their package, made like a user's. @param folder the extensions folder */
export function builtinPackages(folder: string, store: Store): Map<string, Tool[]> {
  const packages: Array<[string, ToolDefinition[]]> = [
    ['builtin.search', [searchTool(folder)]],
    ['builtin.files', [fileTool(folder)]],
    ['builtin.attachments', attachmentTools(store)],
    ['builtin.web', [webTool()]],
    ['builtin.calculator', [calculatorTool]],
  ];
  return new Map(packages.map(([name, definitions]) => [name, readDefinitions(definitions).tools]));
}
