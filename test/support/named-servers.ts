import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ModelServer } from './model-server.ts';

/** How one of the servers that a model's name stands for answers at the routes that are used of it. */
interface Kind {
  /** The path before its routes. */
  base: string;
  /** The route for a model's replies, below that path. */
  route: string;
  /** Its models. A request for any other is refused. */
  models: string[];
  /** How long a context it has loaded them with, where it says so. */
  context?: { path: string; key: string };
  /** Whether it takes any name for the one model that it has. */
  anyName?: boolean;
  /** Whether it asks for a key. */
  asksKey?: true;
  /** What it says of a key that is wrong, of a model that it does not have, and of a route that it does not have. */
  unauthorized: object;
  unknownModel: { status: number; body: (model: string) => object };
  unknownRoute: { status: number; body: object };
  /** What it writes before a stream's first event. */
  preamble?: string;
}

const notFound = { status: 404, body: { error: { message: 'Not Found' } } };
const unauthorized = { error: { message: 'Unauthorized', code: 401 } };

/** As the servers answer, or did in the threads and pages that are named. */
const kinds = {
  openai: {
    base: '/v1',
    route: '/responses',
    models: ['gpt-5.4'],
    asksKey: true,
    unauthorized: { error: { message: 'Incorrect API key provided', code: 'invalid_api_key' } },
    unknownModel: { status: 404, body: (model) => ({ error: { message: model, code: 'model_not_found' } }) },
    unknownRoute: notFound,
  },
  anthropic: {
    base: '/v1',
    route: '/messages',
    models: ['claude-sonnet-5-5'],
    asksKey: true,
    unauthorized: { type: 'error', error: { type: 'authentication_error', message: 'invalid api key' } },
    unknownModel: { status: 404, body: (message) => ({ type: 'error', error: { type: 'not_found_error', message } }) },
    unknownRoute: notFound,
  },
  gemini: {
    base: '/v1beta/openai',
    route: '/chat/completions',
    models: ['gemini-3.8-flash'],
    asksKey: true,
    unauthorized: [{ error: { code: 400, message: 'API key not valid.', status: 'INVALID_ARGUMENT' } }],
    unknownModel: { status: 404, body: (message) => [{ error: { code: 404, message, status: 'NOT_FOUND' } }] },
    unknownRoute: notFound,
  },
  // https://openrouter.ai/docs/api/reference/streaming: comments keep the connection open.
  openrouter: {
    base: '/api/v1',
    route: '/chat/completions',
    models: ['z-ai/glm-5'],
    asksKey: true,
    unauthorized: { error: { message: 'No auth credentials found', code: 401 } },
    unknownModel: { status: 400, body: (id) => ({ error: { message: `${id} is not a valid model ID`, code: 400 } }) },
    unknownRoute: notFound,
    preamble: ': OPENROUTER PROCESSING\n\n',
  },
  azure: {
    base: '/openai/v1',
    route: '/responses',
    models: ['my-deployment'],
    asksKey: true,
    unauthorized: { error: { code: '401', message: 'Access denied due to invalid subscription key.' } },
    unknownModel: { status: 404, body: () => ({ error: { code: 'DeploymentNotFound', message: 'does not exist' } }) },
    unknownRoute: { status: 404, body: { error: { code: '404', message: 'Resource not found' } } },
  },
  ollama: {
    base: '/v1',
    route: '/chat/completions',
    models: ['qwen3:8b', 'nomic-embed-text:latest', 'bge-m3:latest', 'all-minilm:latest', 'llama3.2:latest'],
    context: { path: '/api/ps', key: 'context_length' },
    unauthorized,
    unknownModel: { status: 404, body: (id) => ({ error: { message: `model '${id}' not found`, type: 'api_error' } }) },
    unknownRoute: { status: 404, body: {} },
  },
  // It answers any route, with an error in the body (lmstudio-ai/lmstudio-bug-tracker).
  lmstudio: {
    base: '/v1',
    route: '/chat/completions',
    models: ['qwen/qwen3-8b', 'text-embedding-nomic-embed-text-v1.5'],
    context: { path: '/api/v0/models', key: 'loaded_context_length' },
    unauthorized,
    unknownModel: { status: 404, body: (id) => ({ error: { message: `Model "${id}" not found` } }) },
    unknownRoute: { status: 200, body: { error: 'Unexpected endpoint or method.' } },
  },
  vllm: {
    base: '/v1',
    route: '/chat/completions',
    models: ['Qwen/Qwen3-8B'],
    context: { path: '/v1/models', key: 'max_model_len' },
    asksKey: true,
    unauthorized: { error: 'Unauthorized' },
    unknownModel: {
      status: 404,
      body: (id) => ({ error: { message: `The model \`${id}\` does not exist.`, type: 'NotFoundError', code: 404 } }),
    },
    unknownRoute: { status: 404, body: { detail: 'Not Found' } },
  },
  llamacpp: {
    base: '/v1',
    route: '/chat/completions',
    models: ['/models/qwen3-8b-q4_k_m.gguf'],
    anyName: true,
    asksKey: true,
    unauthorized: { error: { code: 401, message: 'Invalid API Key', type: 'authentication_error' } },
    unknownModel: notFound as never,
    unknownRoute: { status: 404, body: { error: { code: 404, message: 'File Not Found', type: 'not_found_error' } } },
  },
} satisfies Record<string, Kind>;

export type ServerKind = keyof typeof kinds;

const contextPaths = Object.values(kinds).flatMap((kind: Kind) => kind.context?.path ?? []);

/** A server of models of some kind. */
export interface NamedServer {
  url: string;
  /** The path and the model of each request for a reply that it took. */
  taken: Array<{ path: string; model: string }>;
  /** What it has refused, in words for the reader of a failed test. */
  refused: string[];
  close(): Promise<void>;
}

/** The key that a server takes which asks for one. Those that are named by their addresses share theirs. */
export const serverKey = (kind: ServerKind): string =>
  `test-key-${kind === 'vllm' || kind === 'llamacpp' ? 'own' : kind}`;

/** A server that answers as one of the named ones does, with the words of a scripted model. */
export async function startNamedServer(name: ServerKind, model: ModelServer): Promise<NamedServer> {
  const kind: Kind = kinds[name];
  const taken: NamedServer['taken'] = [];
  const refused: string[] = [];

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks).toString();
    const { method, url: path = '' } = request;
    const refuse = (status: number, answer: object): void => {
      refused.push(`${method} ${path}: ${status} ${JSON.stringify(answer)}`);
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
    };
    const { authorization } = request.headers;
    if (kind.asksKey && authorization !== `Bearer ${serverKey(name)}`) return refuse(401, kind.unauthorized);
    // A key has no business where nobody asks for one.
    if (!kind.asksKey && !['Bearer none', undefined].includes(authorization))
      return refuse(500, { error: { message: `a key: ${authorization}` } });
    const says = kind.context?.path === path;
    if (method === 'GET' && (path.replace(/\?limit=\d+$/, '') === `${kind.base}/models` || says)) {
      const context = says && kind.context ? { [kind.context.key]: 32_768 } : {};
      const data = kind.models.map((id) => ({
        id,
        model: id,
        object: 'model',
        created: 1,
        owned_by: name === 'llamacpp' ? 'llamacpp' : 'library',
        ...context,
      }));
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ object: 'list', data }));
      return;
    }
    // Whoever looks for a context finds out so that there is none to be found.
    if (method === 'GET' && contextPaths.includes(path)) {
      response.writeHead(kind.unknownRoute.status, { 'content-type': 'application/json' });
      response.end(JSON.stringify(kind.unknownRoute.body));
      return;
    }
    if (method !== 'POST' || path !== kind.base + kind.route)
      return refuse(kind.unknownRoute.status, kind.unknownRoute.body);
    const asked = (JSON.parse(body) as { model: string }).model;
    if (!kind.anyName && !kind.models.includes(asked))
      return refuse(kind.unknownModel.status, kind.unknownModel.body(asked));
    taken.push({ path, model: asked });
    const headers = Object.entries(request.headers).flatMap(([key, value]) =>
      typeof value === 'string' && !/^(host|connection|content-length|transfer-encoding)$/.test(key)
        ? [[key, value] as [string, string]]
        : [],
    );
    const answer = await fetch(`${model.openai}${kind.route}`, { method: 'POST', headers, body });
    response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? '' });
    if (answer.ok && kind.preamble) response.write(kind.preamble);
    response.end(await answer.text());
  }

  const server = createServer((request, response) => {
    handle(request, response).catch((error: unknown) => response.writeHead(500).end(String(error)));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    taken,
    refused,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
