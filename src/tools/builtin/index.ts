import { readDefinitions, type ToolDefinition } from '../definition.ts';
import type { Tool } from '../tool.ts';
import { calculatorTool } from './calculator.ts';
import { fileTool } from './files.ts';
import { searchTool } from './search.ts';
import { webTool } from './web.ts';

/** Reprise's own tools by the name of their package, made like a user's. @param folder the extensions folder */
export function builtinPackages(folder: string): Map<string, Tool[]> {
  const packages: Array<[string, ToolDefinition]> = [
    ['builtin.search', searchTool(folder)],
    ['builtin.files', fileTool(folder)],
    ['builtin.web', webTool()],
    ['builtin.calculator', calculatorTool],
  ];
  return new Map(packages.map(([name, definition]) => [name, readDefinitions([definition]).tools]));
}
