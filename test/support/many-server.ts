/** An MCP server over stdio with forty tools of long schemas, as servers of trackers and chats have: `node many-server.ts NAME`. */
import { McpServer } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { z } from 'zod';

const [server = 'many'] = process.argv.slice(2);

const things = ['issue', 'page', 'comment', 'label', 'milestone', 'release', 'branch', 'webhook'];
const acts = ['create', 'get', 'list', 'update', 'delete'];
const field = z
  .string()
  .optional()
  .describe('A field of the thing as the service has it, in the form that it documents. '.repeat(4));

serveStdio(() => {
  const many = new McpServer({ name: server, version: '1.0.0' }, { capabilities: { tools: {} } });
  for (const thing of things) {
    for (const act of acts) {
      const inputSchema = z.object({ id: z.string(), title: field, body: field, state: field, assignee: field });
      const destructive = act === 'delete' ? { annotations: { readOnlyHint: false, destructiveHint: true } } : {};
      const description = `${act} one ${thing} of a project, or several where that is possible.`;
      many.registerTool(`${act}_${thing}`, { description, inputSchema, ...destructive }, ({ id }) => ({
        content: [{ type: 'text', text: `${server}: ${act} ${thing} ${id}` }],
      }));
    }
  }
  return many;
});
