import type { PayloadCodec } from '@temporalio/common';
import proto from '@temporalio/proto';
import { isSameSecret } from '../util/ids.ts';

const { Payloads } = proto.temporal.api.common.v1;

export interface CodecRoute {
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

/**
 * Answers a request of Temporal's remote codec protocol (https://docs.temporal.io/production-deployment/data-encryption):
 * `POST …/encode` and `POST …/decode`, whose bodies are payloads as JSON. It needs no server of its own, and may be mounted at
 * any path.
 */
export async function answerCodec(request: Request, { codec, hosts, origins, token }: CodecRoute): Promise<Response> {
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
  if (Number(request.headers.get('content-length') ?? 0) > longestRequest) return refusal(413, 'too long', cors);
  try {
    const { payloads } = Payloads.fromObject((await request.json()) as object);
    const answered = Payloads.create({ payloads: await codec[act](payloads) });
    return Response.json(Payloads.toObject(answered, { bytes: String }), { headers: cors });
  } catch (error) {
    return refusal(400, (error as Error).message, cors);
  }
}

const allowed = {
  'access-control-allow-methods': 'POST, OPTIONS',
  'access-control-allow-headers': 'authorization, content-type, x-namespace',
  'access-control-max-age': '600',
};

const refusal = (status: number, message: string, headers: Record<string, string> = {}): Response =>
  Response.json({ message }, { status, headers });
