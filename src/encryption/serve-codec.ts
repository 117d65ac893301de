import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import type { PayloadCodec } from '@temporalio/common';
import proto from '@temporalio/proto';
import { isSameSecret } from '../util/ids.ts';

const { Payloads } = proto.temporal.api.common.v1;

interface CodecRoute {
  codec: PayloadCodec;
  /** The origins whose pages may ask, such as that of the Web UI. */
  origins: readonly string[];
  /** The names in the header `Host` under which it may be asked; without it, any, since a token is asked for. */
  hosts?: readonly string[];
  /** What whoever asks must show, as `Authorization: Bearer TOKEN`; without it, nothing. */
  token?: string;
}

/** The longest request, in bytes: what a page of a history may hold, in base64. */
export const longestRequest = 64_000_000;

/** `POST …/encode` and `/decode` (https://docs.temporal.io/production-deployment/data-encryption). */
async function answerCodec(request: Request, { codec, hosts, origins, token }: CodecRoute): Promise<Response> {
  // A page may give this machine a name of its own (DNS rebinding), which the browser then takes for the page's origin.
  if (hosts !== undefined && !hosts.includes(request.headers.get('host') ?? '')) return refusal(403, 'unknown Host');
  const origin = request.headers.get('origin');
  if (origin !== null && !origins.includes(origin)) return refusal(403, `the origin ${origin} may not ask`);
  const cors = origin === null ? {} : { 'access-control-allow-origin': origin, vary: 'Origin' };
  if (request.method === 'OPTIONS') return new Response(null, { status: 204, headers: { ...cors, ...allowed } });
  if (token !== undefined && !isSameSecret(request.headers.get('authorization') ?? '', `Bearer ${token}`))
    return refusal(401, 'a token is missing or wrong (Authorization: Bearer …)', cors);
  const act = /\/(encode|decode)$/.exec(new URL(request.url).pathname)?.[1] as 'encode' | 'decode' | undefined;
  if (act === undefined) return refusal(404, 'there are /encode and /decode', cors);
  if (request.method !== 'POST') return refusal(405, `${act} takes POST`, { ...cors, allow: 'POST' });
  // A form of another page can be sent without asking first, but not with this type.
  if (!request.headers.get('content-type')?.startsWith('application/json'))
    return refusal(415, 'the body is JSON', cors);
  try {
    const body = await bodyOf(request);
    if (body === undefined) return refusal(413, 'too long', cors);
    const { payloads } = Payloads.fromObject(JSON.parse(body) as object);
    const answered = Payloads.create({ payloads: await codec[act](payloads) });
    return Response.json(Payloads.toObject(answered, { bytes: String }), { headers: cors });
  } catch (error) {
    return refusal(400, (error as Error).message, cors);
  }
}

/** Undefined for one that is too long. */
async function bodyOf({ body }: Request): Promise<string | undefined> {
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  for await (const piece of body ?? []) {
    bytes += piece.length;
    // Reading on lets the refusal arrive, and keeps nothing of what is too long.
    if (bytes <= longestRequest) pieces.push(piece);
  }
  return bytes > longestRequest ? undefined : Buffer.concat(pieces).toString();
}

const allowed = {
  'access-control-allow-methods': 'POST, OPTIONS',
  'access-control-allow-headers': 'authorization, content-type, x-namespace',
  'access-control-max-age': '600',
};

const refusal = (status: number, message: string, headers: Record<string, string> = {}): Response =>
  Response.json({ message }, { status, headers });

export interface CodecServer {
  address: string;
  close(): Promise<void>;
}

/**
 * On loopback no token is asked for, and only this machine's own names are answered. @throws where the port is taken
 */
export async function serveCodec(host: string, port: number, route: Omit<CodecRoute, 'hosts'>): Promise<CodecServer> {
  const answer = getRequestListener(
    (request) => answerCodec(request, route.token === undefined ? { ...route, hosts } : route),
    { overrideGlobalObjects: false },
  );
  const server = createServer((incoming, outgoing) => void answer(incoming, outgoing));
  server.listen(port, host);
  await once(server, 'listening');
  const { port: own } = server.address() as AddressInfo;
  const hosts = ['127.0.0.1', 'localhost', '[::1]'].map((name) => `${name}:${own}`);
  return {
    address: `http://${host.includes(':') ? `[${host}]` : host}:${own}`,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
