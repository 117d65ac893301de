import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { Webhook } from 'standardwebhooks';

/** The secret that a test's worker has, and its receivers. */
export const hookSecret = `whsec_${Buffer.from('thirty-two bytes of a secret, ok').toString('base64')}`;

/** What a receiver of webhooks was sent. */
export interface Hook {
  path: string;
  headers: Record<string, string>;
  body: string;
  /** The same as JSON. */
  json: { type: string; timestamp: string; data: Record<string, unknown> } & { text: string };
}

export interface HookServer {
  url: string;
  /** Everything that came, in its order. */
  received: Hook[];
  /** How the next ones are answered, each once, before all others with 204; null: the connection is cut. */
  answers: Array<number | null | ((response: ServerResponse) => void)>;
  close(): Promise<void>;
}

/** A receiver of webhooks behind real HTTP. */
export async function startHookServer(port = 0): Promise<HookServer> {
  const received: Hook[] = [];
  const answers: HookServer['answers'] = [];
  const server = createServer((request, response) => {
    void answer(request, response);
  });
  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const headers = request.headers as Record<string, string>;
    const body = await text(request);
    received.push({ path: request.url ?? '', headers, body, json: JSON.parse(body) as Hook['json'] });
    const next = answers.length > 0 ? answers.shift() : 204;
    if (next === null) request.socket.destroy();
    else if (typeof next === 'function') next(response);
    else response.writeHead(next ?? 204).end();
  }
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    answers,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

/** Verifies what came as receivers do that use the library of Standard Webhooks. @throws where the signature is wrong */
export const verified = ({ body, headers }: Hook, secret = hookSecret): unknown =>
  new Webhook(secret).verify(body, headers);
