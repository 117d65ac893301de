import { PassThrough } from 'node:stream';
import {
  Client,
  StreamableHTTPClientTransport,
  type ClientOptions,
  type Transport,
} from '@modelcontextprotocol/client';
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio';
import { serveMcpOnStdio } from '../../src/serve/mcp/doors.ts';
import type { Served } from '../../src/serve/served.ts';
import { ownerToken } from './serving.ts';

export type Form = { message: string; requestedSchema: { properties: Record<string, object> } };
type Filled = { action: 'accept' | 'decline' | 'cancel'; content?: Record<string, string> };

/** A stock client of MCP. */
export interface McpClient extends AsyncDisposable {
  client: Client;
  /** Calls a tool, and returns its text, its structured content, and whether it has failed. */
  call(name: string, args: object): Promise<{ text: string; view: Record<string, any>; isError: boolean }>;
  /** What progress was told. */
  progress: string[];
}

/** How a client speaks: the generation, and what its person fills in, where it has forms. */
export interface Speaking {
  era?: 'modern' | 'legacy';
  fill?: (form: Form) => Filled;
}

async function connected(transport: Transport, { era = 'modern', fill }: Speaking): Promise<McpClient> {
  const versionNegotiation: ClientOptions['versionNegotiation'] =
    era === 'legacy' ? { mode: 'legacy' } : { mode: { pin: '2026-07-28' } };
  const client = new Client(
    { name: 'test', version: '1' },
    { capabilities: fill ? { elicitation: { form: {} } } : {}, versionNegotiation },
  );
  if (fill) client.setRequestHandler('elicitation/create', ({ params }) => fill(params as Form));
  await client.connect(transport);
  const progress: string[] = [];
  return {
    client,
    progress,
    async call(name, args) {
      const onprogress = ({ message = '' }: { message?: string | undefined }): void => void progress.push(message);
      const result = await client.callTool({ name, arguments: { ...args } }, { onprogress });
      const [first] = result.content;
      return {
        text: first?.type === 'text' ? first.text : '',
        view: (result.structuredContent ?? {}) as Record<string, any>,
        isError: result.isError ?? false,
      };
    },
    [Symbol.asyncDispose]: () => client.close(),
  };
}

/** A client over HTTP. */
export const httpClient = (url: string, speaking: Speaking = {}, token = ownerToken): Promise<McpClient> =>
  connected(
    new StreamableHTTPClientTransport(new URL(`${url}/mcp`), {
      requestInit: { headers: { authorization: `Bearer ${token}` } },
    }),
    speaking,
  );

/** A client over two streams inside the test, as over stdio. @returns besides when the server has ended, and what it has written */
export async function stdioClient(served: Served, speaking: Speaking = {}) {
  const input = new PassThrough();
  const output = new PassThrough();
  const written: string[] = [];
  output.on('data', (data: Buffer) => void written.push(data.toString()));
  const ended = serveMcpOnStdio(served, { input, output });
  // The transport only reads one stream and writes the other, and so serves either side.
  const connectedClient = await connected(new StdioServerTransport(output, input), speaking);
  return { ...connectedClient, ended, written, leave: () => void input.end() };
}
