/**
 * What the protocol's own conformance tests run as the client: `node scripts/mcp-conformance.ts URL`. It logs in where the
 * server asks for it, lists the server's tools as a worker does, and calls each of them, or those that the test names.
 *
 *     npx @modelcontextprotocol/conformance@0.2.0-alpha.12 client --suite all --command "node scripts/mcp-conformance.ts"
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { discoverOAuthServerInfo } from '@modelcontextprotocol/client';
import type { FormField, InputGiven, InputRequest, InputResponse } from '../src/protocol/tools/elicitation.ts';
import { login } from '../src/tools/mcp/login.ts';
import { Logins, loginsIn } from '../src/tools/mcp/logins.ts';
import { McpServers } from '../src/tools/mcp/servers.ts';
import { InputNeeded, SourceError, type Tool } from '../src/tools/tool.ts';
import type { McpServer } from '../src/protocol/settings.ts';

interface TestCall {
  name: string;
  arguments: Record<string, unknown>;
}

const url = process.argv[2] ?? '';
const { MCP_CONFORMANCE_CONTEXT: given = '{}', MCP_CONFORMANCE_SCENARIO: scenario = '' } = process.env;
const context = JSON.parse(given) as { toolCalls?: TestCall[]; client_id?: string; client_secret?: string };

/** The servers of these tests speak the newer generation and do not say so, which their authors' client mends likewise. */
const silent = [
  'sep-2322-client-request-state',
  'http-custom-headers',
  'http-invalid-tool-headers',
  'http-standard-headers',
];
if (silent.includes(scenario)) {
  const real = globalThis.fetch;
  globalThis.fetch = async (input, init) => {
    const { id, method } = (typeof init?.body === 'string' ? JSON.parse(init.body) : {}) as {
      id?: unknown;
      method?: string;
    };
    if (method !== 'server/discover') return real(input, init);
    const result = {
      resultType: 'complete',
      supportedVersions: ['2026-07-28'],
      capabilities: { tools: {}, resources: {}, prompts: {} },
    };
    return Response.json({ jsonrpc: '2.0', id, result });
  };
}

/** The authorization server that the server names; whoever writes a configuration knows it. */
async function issuerOf(server: string): Promise<string> {
  const { authorizationServerMetadata, authorizationServerUrl } = await discoverOAuthServerInfo(server);
  return authorizationServerMetadata?.issuer ?? authorizationServerUrl;
}

const home = mkdtempSync(join(tmpdir(), 'reprise-conformance-'));
const logins = new Logins(loginsIn(home));
const environment = context.client_secret === undefined ? {} : { CLIENT_SECRET: context.client_secret };
const servers = new McpServers({ folder: home, logs: home, logins, environment });
const server: McpServer = {
  name: 'conformance',
  url,
  ...(scenario === 'auth/client-credentials-basic' && {
    client_credentials: {
      issuer: await issuerOf(url),
      client_id: context.client_id ?? '',
      client_secret: '${CLIENT_SECRET}',
    },
  }),
};

/** Does something, after a login if it needs one; a server may ask for another one after that. */
async function loggedIn<T>(work: () => Promise<T>, logins = 2): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof SourceError) || error.variable === undefined || logins === 0) throw error;
    await logIn();
    return loggedIn(work, logins - 1);
  }
}

const logIn = () =>
  login(url, {
    logins,
    show: (address) => void fetch(address).catch(() => {}),
    signal: AbortSignal.timeout(20_000),
  });

/** Something that fits a parameter. */
function sampleOf({ default: preset, enum: choices, type }: FormField): unknown {
  if (preset !== undefined) return preset;
  if (choices !== undefined) return choices[0];
  return { integer: 5, number: 5, boolean: true, array: [], object: {} }[type ?? ''] ?? 'text';
}

const samplesOf = (properties: Record<string, unknown> = {}): Record<string, unknown> =>
  Object.fromEntries(Object.entries(properties).map(([name, field]) => [name, sampleOf(field as FormField)]));

const answerTo = ({ form }: InputRequest): InputResponse => ({
  action: 'accept',
  ...(form && { content: samplesOf({ ...form.properties }) as Record<string, string> }),
});

async function call(tool: Tool, args: Record<string, unknown>): Promise<void> {
  let input: InputGiven | undefined;
  for (;;) {
    const signal = AbortSignal.timeout(20_000);
    const ids = { workflowId: 'w', agentId: 'a', idempotencyKey: 'k' };
    const result: unknown = await loggedIn(() => tool.run(args, { ...ids, signal, asks: true, input }));
    if (!(result instanceof InputNeeded)) return console.error(`${tool.spec.name}: ${String(result)}`);
    const { requests, state } = result.input;
    input = { state, responses: Object.fromEntries(requests.map((request) => [request.key, answerTo(request)])) };
  }
}

try {
  const listed = await loggedIn(() => servers.tools(server));
  const calls =
    context.toolCalls ??
    listed.map(({ spec }) => ({ name: spec.name, arguments: samplesOf(spec.parameters.properties) }));
  for (const { name, arguments: args } of calls) {
    const tool = listed.find(({ spec }) => spec.name === name);
    if (tool !== undefined)
      await call(tool, args).catch((error: unknown) => console.error(`${name}: ${String(error)}`));
  }
} finally {
  await servers.close();
  rmSync(home, { recursive: true });
}
