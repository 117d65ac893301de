import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import type { Body, Scripted, Seen } from './scripted.ts';
import { anthropicEvents, openaiEvents, textsOf } from './wires.ts';

export type { Scripted, Seen } from './scripted.ts';

export type Script = (request: Seen) => Scripted | Promise<Scripted>;

export interface ModelServer {
  /** Base URL for OpenAI's SDK. */
  openai: string;
  /** Base URL for Anthropic's SDK. */
  anthropic: string;
  /** All requests so far, in the order in which they came. */
  requests: Seen[];
  close(): Promise<void>;
}

/** A model behind real HTTP that says what a script tells it: OpenAI's Chat Completions and Anthropic's Messages, streamed. */
export async function startModelServer(script: Script): Promise<ModelServer> {
  const requests: Seen[] = [];
  const server = createServer((request, response) => {
    handle(request, response, script, requests).catch((error: unknown) => {
      response.writeHead(500, { 'x-should-retry': 'false' }).end(`{"error":{"message":"script: ${String(error)}"}}`);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    openai: `${url}/v1`,
    anthropic: url,
    requests,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

async function handle(
  request: IncomingMessage,
  response: ServerResponse,
  script: Script,
  requests: Seen[],
): Promise<void> {
  const seen = await read(request, requests.length);
  requests.push(seen);
  response.once('close', () => {
    seen.answered = response.writableFinished;
    seen.aborted = !seen.answered;
  });
  const reply = await script(seen);
  if (reply.delay !== undefined) await pause(reply.delay);
  if (reply.status !== undefined) {
    response.writeHead(reply.status, { 'content-type': 'application/json', ...reply.headers });
    response.end(
      reply.errorBody ?? JSON.stringify({ error: { message: `scripted ${reply.status}`, type: 'scripted' } }),
    );
    return;
  }
  response.writeHead(200, { 'content-type': 'text/event-stream', ...reply.headers });
  const events = seen.wire === 'openai' ? openaiEvents(reply) : anthropicEvents(reply, seen);
  for (const { event, data } of events) {
    if (response.destroyed) return;
    const text = typeof data === 'string' ? data : JSON.stringify(data);
    response.write(`${event === undefined ? '' : `event: ${event}\n`}data: ${text}\n\n`);
    if (reply.pace !== undefined) await pause(reply.pace);
  }
  if (reply.cut) response.destroy();
  else response.end();
}

async function read(request: IncomingMessage, index: number): Promise<Seen> {
  const at = Date.now();
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const raw = Buffer.concat(chunks).toString();
  const body = JSON.parse(raw) as Body;
  return {
    index,
    wire: request.url?.endsWith('/messages') ? 'anthropic' : 'openai',
    body,
    raw,
    headers: request.headers,
    prompt: textsOf(body).join('\n'),
    tools: (body.tools ?? []).map(({ name, function: inner }) => name ?? inner?.name ?? ''),
    at,
    answered: false,
    aborted: false,
  };
}
