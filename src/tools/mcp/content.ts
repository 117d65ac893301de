import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';

/** What a tool of an MCP server returned, as a text: its texts joined, everything else as JSON, a block each. */
export function textOfContent({ content, structuredContent }: CallToolResult): string {
  if (content.length === 0 && structuredContent !== undefined) return JSON.stringify(structuredContent);
  return content.map((part) => (part.type === 'text' ? part.text : JSON.stringify(part))).join('\n');
}
