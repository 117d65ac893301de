import type { Context, MiddlewareHandler } from 'hono';
import { getCookie } from 'hono/cookie';
import { accessOf, holderOf, type Access } from './access.ts';
import { HttpProblem } from './problems.ts';
import type { Served, ServeEnv } from './served.ts';

/** The longest body of a request, in bytes: what Temporal takes as an input, in base64. */
export const longestBody = 4_000_000;

/** That of one that needs no token: whoever sends thousands at once does not fill the memory. */
export const longestOpenBody = 10_000;

const loopback = ['127.0.0.1', 'localhost', '[::1]'];

const protection = {
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'cache-control': 'private, no-store',
};

/** The name of the cookie, which browsers send to all ports of a host. */
export const cookieName = (url: string): string => `reprise-${new URL(url).port || 'web'}`;

/**
 * What every request passes: it names this server as its host, comes from no foreign page, is not too long, and has a token,
 * also on this machine, where other users are as well. One that may only read sends only what reads.
 *
 * A page that gives this machine a name of its own (DNS rebinding) is refused by the host; another site's page by its origin,
 * and it gets no cookie sent with what changes something (`SameSite=Lax`).
 */
export function door({ origins, port, url }: Served, read: ReadToken): MiddlewareHandler<ServeEnv> {
  const hosts = new Set([new URL(url).host, ...loopback.map((name) => `${name}:${port}`)]);
  return async (c, next) => {
    const origin = c.req.header('origin');
    for (const [name, value] of Object.entries(protection)) c.header(name, value);
    const host = c.req.header('host')?.toLowerCase() ?? '';
    // Kubernetes and others ask by the address of a container.
    const isProbe = c.req.path === '/health' && origin === undefined;
    if (!hosts.has(host) && !isProbe)
      throw new HttpProblem(403, `This server is ${url}, and not "${host}" (--url names another)`);
    if (origin !== undefined && origins.includes(origin)) {
      c.header('access-control-allow-origin', origin);
      c.header('vary', 'Origin');
      c.header('access-control-expose-headers', '*');
      if (c.req.method === 'OPTIONS') {
        // Each client has headers of its own, which such a page may send as any other program may.
        const asked = c.req.header('access-control-request-headers') ?? '';
        return c.body(null, 204, { ...preflight, 'access-control-allow-headers': asked });
      }
    } else if (origin !== undefined && ![`http://${host}`, `https://${host}`].includes(origin)) {
      throw new HttpProblem(403, `Pages of ${origin} may not use this server (--origin allows them)`);
    }
    if (Number(c.req.header('content-length') ?? 0) > longestBody) throw tooLong(longestBody);
    const encoding = c.req.header('content-encoding') ?? 'identity';
    if (encoding !== 'identity') throw new HttpProblem(415, `A body is taken as it is, and not as ${encoding}`);
    if (open.includes(c.req.path)) return next();
    const bearer = bearerIn(c);
    const access = read(bearer ?? getCookie(c, cookieName(url)));
    c.set('access', access);
    if (['GET', 'HEAD'].includes(c.req.method)) return next();
    if (access.grant.kind === 'read') throw new HttpProblem(403, 'This token may only read');
    const isNamed = bearer !== undefined || origin !== undefined || withFormToken.test(c.req.path);
    if (isNamed) return next();
    throw new HttpProblem(403, 'What changes something needs Authorization: Bearer TOKEN, or with a cookie an Origin');
  };
}

/** What is asked for without a token: whether it lives, and whatever gives a token or forgets it. */
const open = ['/health', '/login', '/logout'];

/** Pages, whose forms carry a token of their own against foreign pages, where a browser names no origin. */
const withFormToken = /^\/(?:start$|runs\/)/;

/**
 * Counts requests by whoever makes them, as a bucket that fills again: so many at once, and so many a second after that. It takes
 * one request, and says after how many seconds it may be made again; 0: it is taken.
 */
function rateLimit(burst: number, perSecond: number): (key: string) => number {
  const buckets = new Map<string, { left: number; at: number }>();
  return (key) => {
    const now = performance.now();
    const { at, left } = buckets.get(key) ?? { left: burst, at: now };
    const full = Math.min(burst, left + ((now - at) / 1000) * perSecond);
    buckets.set(key, { left: Math.max(0, full - 1), at: now });
    return full >= 1 ? 0 : Math.ceil((1 - full) / perSecond);
  };
}

/** What a token lets its holder do. @throws `HttpProblem` where it is missing or wrong, or where too many come */
export type ReadToken = (token: string | undefined) => Access;

export function tokenReader(owner: string): ReadToken {
  const all = rateLimit(2000, 500);
  const wrong = rateLimit(20, 0.5);
  return (token) => {
    const access = token === undefined ? undefined : accessOf(owner, token);
    const who = access === undefined ? 'nobody' : holderOf(access);
    const seconds = (access === undefined && token !== undefined ? wrong : all)(who);
    if (seconds > 0)
      throw new HttpProblem(429, `Too many requests; again in ${seconds} s`, { 'retry-after': String(seconds) });
    if (access !== undefined) return access;
    const needed = 'Authorization: Bearer TOKEN, as it is printed where the server runs by: reprise token';
    throw new HttpProblem(401, `A token is missing or wrong: ${needed}`, { 'www-authenticate': 'Bearer' });
  };
}

const preflight = { 'access-control-allow-methods': 'GET, POST, OPTIONS', 'access-control-max-age': '600' };

/** The rest of such a request is not read, so that its connection has no use for another. */
const tooLong = (most: number): HttpProblem =>
  new HttpProblem(413, `A request has at most ${most.toLocaleString('en-US')} bytes`, { connection: 'close' });

/** The token in a request's header, which goes before that of its cookie. */
export const bearerIn = (c: Context): string | undefined =>
  /^Bearer (\S+)$/i.exec(c.req.header('authorization') ?? '')?.[1];

/** How many values the JSON of a body has at most, with all that is within them. Schemas take their time for each, and all others wait. */
const mostValues = 20_000;

function assertFew(body: unknown): void {
  const left = [body];
  for (let seen = 0; left.length > 0; seen++) {
    if (seen + left.length > mostValues)
      throw new HttpProblem(
        413,
        `A request has at most ${mostValues.toLocaleString('en-US')} values in all its lists and objects`,
      );
    const value = left.pop();
    if (typeof value === 'object' && value !== null) for (const each of Object.values(value)) left.push(each);
  }
}

/** The text of a body. @throws `HttpProblem` where it is longer than is taken, however it is sent */
export async function bodyText(c: Context, most = longestBody): Promise<string> {
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  const body = c.req.raw.body as AsyncIterable<Uint8Array> | null;
  for await (const piece of body ?? []) {
    bytes += piece.length;
    if (bytes > most) throw tooLong(most);
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString();
}

export async function bodyJson(c: Context): Promise<unknown> {
  const text = await bodyText(c);
  try {
    return jsonOf(text);
  } catch (error) {
    throw error instanceof HttpProblem ? error : new HttpProblem(400, noJson(error));
  }
}

export const noJson = (error: unknown): string => `The body is no JSON: ${(error as Error).message}`;

const halves = /\\ud[89a-f]/i;

const wellFormed = (_: string, value: unknown): unknown => (typeof value === 'string' ? value.toWellFormed() : value);

/**
 * Reads JSON, which may hold half a character: strict readers would refuse each list that a run with it is in. @throws `SyntaxError`;
 * `HttpProblem` where it has too many values
 */
export function jsonOf(text: string): unknown {
  const value: unknown = JSON.parse(text, halves.test(text) ? wellFormed : undefined);
  assertFew(value);
  return value;
}
