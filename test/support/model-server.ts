import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { readBody } from './reading.ts';
import { responsesEvents } from './responses.ts';
import { anthropicProblem, type ThinkingMemory } from './rules/anthropic.ts';
import { compatibleProblem, makerOf } from './rules/compatible.ts';
import { chatProblem, responsesProblem, type Problem } from './rules/openai.ts';
import type { Body, Scripted, Seen, Wire } from './scripted.ts';
import { asRead, asWritten, lostProblem, refusal, takesNoTools } from './told.ts';
import { anthropicEvents, openaiEvents, type Event } from './wires.ts';

export type { Scripted, Seen } from './scripted.ts';

export type Script = (request: Seen) => Scripted | Promise<Scripted>;

export interface ModelServer {
  /** Base URL for OpenAI's SDK. */
  openai: string;
  /** Base URL for Anthropic's SDK. */
  anthropic: string;
  /** All requests so far, in the order in which they came. */
  requests: Seen[];
  /** What has become of the thoughts that came back to Anthropic. */
  thinking: ThinkingMemory;
  /** What it has refused by its provider's rules, in the provider's words. */
  refused: readonly string[];
  /** Ends the server. @throws if it has refused a request by its provider's rules, unless those are expected */
  close(): Promise<void>;
}

interface Settings {
  /** Whether the server has `/responses` for OpenAI's models, as its own has and many others do not; true if absent. */
  hasResponses?: boolean;
  /** How long a context it says that it has loaded its models with, in tokens; absent: it says nothing. */
  context?: number;
  /** Whether a test means to break its provider's rules. */
  breaksRules?: boolean;
  /** The address of this machine to listen at; `127.0.0.1` if absent. */
  host?: string;
}

/**
 * A model behind real HTTP that says what a script tells it, streamed: OpenAI's Responses and Chat Completions and
 * Anthropic's Messages. It refuses what the providers refuse (test/support/rules). Below it,
 * `/webhooks/404` is a receiver of webhooks that answers with this status.
 */
export async function startModelServer(script: Script, settings: Settings = {}): Promise<ModelServer> {
  const requests: Seen[] = [];
  const rules = new Rules();
  const server = createServer((request, response) => {
    handle(request, response, { script, requests, rules, settings }).catch((error: unknown) => {
      response.writeHead(500, { 'x-should-retry': 'false' }).end(`{"error":{"message":"script: ${String(error)}"}}`);
    });
  });
  const { host = '127.0.0.1' } = settings;
  server.listen(0, host);
  await once(server, 'listening');
  const url = `http://${host}:${(server.address() as AddressInfo).port}`;
  return {
    openai: `${url}/v1`,
    anthropic: url,
    requests,
    thinking: rules.thinking,
    refused: rules.broken,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
      if (settings.breaksRules || rules.broken.length === 0) return;
      throw new Error(`The provider would have refused: ${rules.broken.join('\n')}`);
    },
  };
}

/** The providers' rules, with what a provider must remember to apply them. */
class Rules {
  /** What was refused, in the provider's words. */
  readonly broken: string[] = [];
  readonly thinking: ThinkingMemory = { kept: [], dropped: [] };
  /** Encrypted reasoning by the model that wrote it and the id of the call that it led to. */
  readonly #thoughts = new Map<string, string>();

  problemOf({ wire, body, headers, messages }: Seen): Problem | undefined {
    const check = {
      openai: () => chatProblem(body) ?? compatibleProblem(body) ?? lostProblem(body, messages),
      responses: () => responsesProblem(body, this.#thoughts),
      anthropic: () => anthropicProblem(body, this.thinking, headers),
    };
    const problem = check[wire]();
    if (problem !== undefined) this.broken.push(`${wire} ${body.model}: ${problem.message}`);
    return problem;
  }

  remember({ model }: Seen, events: Event[]): void {
    const items = events.flatMap(({ data }) => {
      const { type, item } = data as { type?: string; item?: Record<string, unknown> };
      return type === 'response.output_item.done' && item ? [item] : [];
    });
    const thought = items.find(({ type }) => type === 'reasoning')?.['encrypted_content'];
    if (typeof thought !== 'string') return;
    for (const { call_id: id } of items) this.#thoughts.set(`${model} ${String(id)}`, thought);
  }
}

type Parts = { script: Script; requests: Seen[]; rules: Rules; settings: Settings };

async function handle(
  request: IncomingMessage,
  response: ServerResponse,
  { script, requests, rules, settings }: Parts,
): Promise<void> {
  if (request.method === 'GET' && settings.context !== undefined) {
    response.end(JSON.stringify({ data: [{ id: 'small', max_model_len: settings.context }] }));
    return;
  }
  const [, status] = /\/webhooks\/(\d+)$/.exec(request.url ?? '') ?? [];
  if (status !== undefined) {
    response.writeHead(Number(status)).end();
    return;
  }
  const seen = await read(request, requests.length);
  if (seen.wire === 'responses' && (settings.hasResponses === false || makerOf(seen.body) !== undefined)) {
    response.writeHead(404, { 'content-type': 'application/json' }).end('{"error":{"message":"Not Found"}}');
    return;
  }
  requests.push(seen);
  response.once('close', () => {
    seen.answered = response.writableFinished;
    seen.aborted = !seen.answered;
  });
  const isTold = takesNoTools(seen.model);
  const problem = isTold && seen.definedTools.length > 0 ? refusal(seen.model) : rules.problemOf(seen);
  if (problem !== undefined) {
    response.writeHead(400, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ error: { type: 'invalid_request_error', param: null, code: null, ...problem } }));
    return;
  }
  const reply = isTold ? asWritten(await script(asRead(seen))) : await script(seen);
  if (reply.delay !== undefined) await pause(reply.delay);
  if (reply.status !== undefined) {
    response.writeHead(reply.status, { 'content-type': 'application/json', ...reply.headers });
    response.end(
      reply.errorBody ?? JSON.stringify({ error: { message: `scripted ${reply.status}`, type: 'scripted' } }),
    );
    return;
  }
  response.writeHead(200, { 'content-type': 'text/event-stream', ...reply.headers });
  const events = eventsOf[seen.wire](reply, seen);
  rules.remember(seen, events);
  for (const [index, { event, data }] of events.entries()) {
    if (response.destroyed) return;
    if (reply.breaks?.after === index) return breakOff(response, reply.breaks.by);
    const text = typeof data === 'string' ? data : JSON.stringify(data);
    response.write(`${event === undefined ? '' : `event: ${event}\n`}data: ${text}\n\n`);
    await reply.hold?.(index);
    if (reply.pace !== undefined) await pause(reply.pace);
  }
  if (reply.cut) response.destroy();
  else response.end();
}

/** Ends a reply as no provider means to. Where it stalls, the client has to give up. */
async function breakOff(response: ServerResponse, by: NonNullable<Scripted['breaks']>['by']): Promise<void> {
  if (by === 'dropping') response.destroy();
  if (by === 'bad JSON') response.end('data: {"choices": [{"delta": \n\n');
  if (by === 'an endless line') {
    response.write('data: ');
    while (!response.destroyed) {
      response.write('x'.repeat(64 * 1024));
      await pause(1);
    }
  }
}

const eventsOf = { openai: openaiEvents, responses: responsesEvents, anthropic: anthropicEvents };

function wireOf(url = ''): Wire {
  const [path = ''] = url.split('?');
  if (path.endsWith('/messages')) return 'anthropic';
  return path.endsWith('/responses') ? 'responses' : 'openai';
}

async function read(request: IncomingMessage, index: number): Promise<Seen> {
  const at = Date.now();
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const raw = Buffer.concat(chunks).toString();
  const body = JSON.parse(raw) as Body;
  const wire = wireOf(request.url);
  return {
    index,
    wire,
    body,
    raw,
    headers: request.headers,
    ...readBody(wire, body),
    at,
    answered: false,
    aborted: false,
  };
}
