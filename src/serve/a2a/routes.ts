import { AgentCard } from '@a2a-js/sdk';
import { A2A_LEGACY_PROTOCOL_VERSION, isLegacyJsonRpcMethod } from '@a2a-js/sdk/compat/v0_3';
import { LegacyJsonRpcTransportHandler } from '@a2a-js/sdk/compat/v0_3/server';
import { ContentTypeNotSupportedError, toJsonRpcError, VersionNotSupportedError } from '@a2a-js/sdk/errors';
import { JsonRpcTransportHandler, ServerCallContext } from '@a2a-js/sdk/server';
import { Hono, type Context } from 'hono';
import { etag } from 'hono/etag';
import type { SSEMessage } from 'hono/streaming';
import { bodyText, jsonOf, noJson } from '../door.ts';
import { HttpProblem } from '../problems.ts';
import type { Served, ServeEnv } from '../served.ts';
import { events } from '../streams.ts';
import { agentCard, versions } from './card.ts';
import { requestHandler } from './handler.ts';

/** A2A by JSON-RPC, for clients of 1.0 and of 0.3. */
export const a2aRoutes = (served: Served): Hono<ServeEnv> =>
  new Hono<ServeEnv>()
    .get('/.well-known/agent-card.json', etag(), (c) =>
      c.json(AgentCard.toJSON(agentCard(served, c.get('access'))), 200, { 'cache-control': 'private, max-age=60' }),
    )
    .on('POST', ['/a2a', '/a2a/'], (c) => answered(served, c));

interface Envelope {
  jsonrpc: string;
  result?: unknown;
}

async function answered(served: Served, c: Context<ServeEnv>): Promise<Response> {
  let id: unknown = null;
  const refusal = (error: object) => ({ jsonrpc: '2.0', id, error });
  const text = await bodyText(c);
  if (!/^application\/(?:[\w.+-]+\+)?json\b/i.test(c.req.header('content-type') ?? ''))
    return c.json(refusal(toJsonRpcError(new ContentTypeNotSupportedError('The body is application/json'))));
  let body: Record<string, unknown> | null;
  try {
    body = jsonOf(text) as typeof body;
  } catch (error) {
    if (error instanceof HttpProblem) throw error;
    return c.json(refusal({ code: -32_700, message: noJson(error) }));
  }
  const { jsonrpc, method } = body ?? {};
  id = body?.['id'] ?? null;
  if (body === null || jsonrpc !== '2.0' || typeof method !== 'string')
    return c.json(refusal({ code: -32_600, message: 'The body is {"jsonrpc": "2.0", "id", "method", "params"}' }));
  // A request that names no version is of 0.3, says the specification; whoever writes one by hand may forget it.
  const version = c.req.header('a2a-version') || (isLegacyJsonRpcMethod(method) ? A2A_LEGACY_PROTOCOL_VERSION : '1.0');
  if (!versions.some((each) => each === version))
    return c.json(refusal(toJsonRpcError(new VersionNotSupportedError(`A2A-Version: ${versions.join(' or ')}`))));
  const gone = new AbortController();
  c.req.raw.signal.addEventListener('abort', () => gone.abort());
  const last = c.req.header('last-event-id') ?? '';
  const caller = { served, access: c.get('access'), signal: gone.signal };
  const handler = requestHandler(caller, /^\d+$/.test(last) ? Number(last) : undefined);
  const Transport = version === A2A_LEGACY_PROTOCOL_VERSION ? LegacyJsonRpcTransportHandler : JsonRpcTransportHandler;
  const answer = await new Transport(handler).handle(body, new ServerCallContext({ requestedVersion: version }));
  if (!(Symbol.asyncIterator in answer)) return c.json(answer as Envelope);
  const responses = answer as AsyncGenerator<Envelope, void, undefined>;
  async function* messages(first: Envelope): AsyncGenerator<SSEMessage> {
    const { id: place, ...told } = messageOf(first);
    // It has the task as it is now, and what the client has missed comes behind it.
    yield last === '' && place !== undefined ? { ...told, id: place } : told;
    try {
      for await (const response of responses) yield messageOf(response);
    } catch (error) {
      yield messageOf(refusal(toJsonRpcError(error)));
    }
  }
  try {
    // What is refused is refused before the stream begins.
    const { value: first } = await responses.next();
    if (!first) throw new Error('nobody waits for it any more');
    return events(c, (signal) => {
      signal.addEventListener('abort', () => gone.abort());
      return messages(first);
    });
  } catch (error) {
    return c.json(refusal(toJsonRpcError(error)));
  }
}

/** A message of the stream, by whose id a client goes on elsewhere. */
function messageOf(response: Envelope): SSEMessage {
  type Told = { metadata?: { seq?: number } };
  const result = (response.result ?? {}) as Record<string, Told> & Told;
  const { metadata } = result['task'] ?? result['statusUpdate'] ?? result['artifactUpdate'] ?? result;
  return { data: JSON.stringify(response), ...(metadata?.seq !== undefined && { id: String(metadata.seq) }) };
}
