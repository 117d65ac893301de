import { ProtocolError, type Client, type Resource, type ResourceTemplateType } from '@modelcontextprotocol/client';
import type { McpServer } from '../../protocol/settings.ts';
import { defaultTimeout } from '../read-definitions.ts';
import { ToolError, type Tool } from '../tool.ts';
import { readContents, shown } from './content.ts';
import { nameForModels } from './tool-list.ts';

/** Names begin with the server's, so that several do not clash. @param use makes the errors of work presentable */
export function resourceTools(
  { name, timeout = defaultTimeout }: McpServer,
  use: <T>(work: (client: Client) => Promise<T>) => Promise<T>,
): Tool[] {
  const prefix = name.slice(0, 40);
  const common = { sideEffects: 'undeclared', onlyReads: true, timeout } as const;
  return [
    {
      ...common,
      spec: {
        name: nameForModels(`${prefix}_list_resources`),
        description: `Lists the resources of the MCP server ${name}: documents and data, each with the address to read it by.`,
        parameters: { type: 'object', properties: {} },
      },
      run: (_, { signal }) => use((client) => listed(client, signal)),
    },
    {
      ...common,
      spec: {
        name: nameForModels(`${prefix}_read_resource`),
        description: `Reads a resource of the MCP server ${name} by its address (uri).`,
        parameters: { type: 'object', properties: { uri: { type: 'string' } }, required: ['uri'] },
      },
      run: ({ uri }, { signal }) =>
        use(async (client) => {
          const result = await client.readResource({ uri: String(uri) }, { signal }).catch((error: unknown) => {
            // What the server refuses is the agent's to mend.
            throw error instanceof ProtocolError ? new ToolError(error.message, { cause: error }) : error;
          });
          if (result.contents.length === 0) throw new ToolError(`${String(uri)} is empty`);
          return shown(readContents(result.contents));
        }),
    },
  ];
}

/** Whether a server has resources to offer. One that cannot list them has none. */
export async function hasResources(client: Client, signal: AbortSignal): Promise<boolean> {
  if (client.getServerCapabilities()?.resources === undefined) return false;
  return linesOf(client, signal).then(
    (lines) => lines.length > 0,
    () => false,
  );
}

async function listed(client: Client, signal: AbortSignal): Promise<string> {
  const lines = await linesOf(client, signal);
  return lines.length === 0 ? 'There are no resources now.' : lines.join('\n');
}

async function linesOf(client: Client, signal: AbortSignal): Promise<string[]> {
  const [{ resources }, { resourceTemplates }] = await Promise.all([
    client.listResources(undefined, { signal }),
    // Servers without templates need not know the question.
    client.listResourceTemplates(undefined, { signal }).catch(() => ({ resourceTemplates: [] })),
  ]);
  return [...resources.map(lineOf), ...resourceTemplates.map(templateLine)];
}

const lineOf = ({ uri, name, title = name, description, mimeType, size }: Resource): string =>
  about(uri, title, [description, mimeType, size === undefined ? undefined : `${size} bytes`]);

const templateLine = ({ uriTemplate, name, title = name, description, mimeType }: ResourceTemplateType): string =>
  about(`${uriTemplate} (fill in what is in braces)`, title, [description, mimeType]);

const about = (address: string, title: string, more: Array<string | undefined>): string =>
  [`${address} - ${title}`, ...more.filter((part) => part !== undefined && part !== '')].join('; ');
