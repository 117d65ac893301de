import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ModelRequest, ModelResponse } from '../../src/models/model.ts';
import { modelOpener } from '../../src/models/open-model.ts';
import type { Backend } from '../../src/protocol/settings.ts';

/** A request's JSON. */
export type RawBody = Record<string, unknown>;

type Answer = (response: ServerResponse, body: RawBody, request: IncomingMessage) => unknown;

/** A server that answers as a test writes it, byte for byte, since no provider would. */
export class RawServer implements AsyncDisposable {
  readonly bodies: RawBody[] = [];
  readonly paths: string[] = [];
  readonly headers: IncomingMessage['headers'][] = [];
  readonly #server;

  private constructor(answer: Answer) {
    this.#server = createServer((request, response) => {
      void this.#answer(request, response, answer);
    });
  }

  static async start(answer: Answer): Promise<RawServer> {
    const raw = new RawServer(answer);
    raw.#server.listen(0, '127.0.0.1');
    await once(raw.#server, 'listening');
    return raw;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/v1`;
  }

  /** Opens models behind this server. What they learn, they learn together. */
  opener(environment: Record<string, string> = {}): (backend: Backend) => { ask: Ask } {
    const open = modelOpener({
      OPENAI_API_KEY: 'k',
      OPENAI_BASE_URL: this.url,
      GEMINI_API_KEY: 'k',
      GEMINI_BASE_URL: this.url,
      ANTHROPIC_API_KEY: 'k',
      ANTHROPIC_BASE_URL: this.url.replace('/v1', ''),
      ...environment,
    });
    return (backend) => {
      const model = open(backend);
      const request: ModelRequest = {
        messages: [{ role: 'user', content: 'Hi' }],
        tools: [],
        signal: new AbortController().signal,
        onDelta: () => {},
      };
      return { ask: (rest = {}) => model.complete({ ...request, ...rest }) };
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }

  async #answer(request: IncomingMessage, response: ServerResponse, answer: Answer): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = JSON.parse(Buffer.concat(chunks).toString()) as RawBody;
    this.bodies.push(body);
    this.paths.push(request.url ?? '');
    this.headers.push(request.headers);
    await answer(response, body, request);
  }
}

export type Ask = (rest?: Partial<ModelRequest>) => Promise<ModelResponse>;

/** Writes events as they are: objects as JSON, texts as they stand, comments as such. */
export function stream(response: ServerResponse, events: unknown[]): void {
  if (!response.headersSent) response.writeHead(200, { 'content-type': 'text/event-stream' });
  for (const event of events) {
    const text = typeof event === 'string' ? event : JSON.stringify(event);
    response.write(`${text.startsWith(':') ? '' : 'data: '}${text}\n\n`);
  }
}

/** Refuses a request as OpenAI does. */
export function refuse(response: ServerResponse, error: object, status = 400): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify({ error }));
}

/** A piece of a reply of Chat Completions. */
export const delta = (piece: object, finish: string | null = null): object => ({
  id: 'c',
  object: 'chat.completion.chunk',
  choices: [{ index: 0, delta: piece, finish_reason: finish }],
});
