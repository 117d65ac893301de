import type { IncomingMessage } from 'node:http';
import { pipeline } from 'node:stream';
import { createBrotliDecompress, createUnzip } from 'node:zlib';
import { grouped } from '../../util/file-limits.ts';
import { version } from '../../util/version.ts';
import { ToolError } from '../tool.ts';
import { checkedLookup, checkLiteral, type AddressRule } from './addresses.ts';
import { decodedPart } from '../../util/text/decoded-part.ts';

const maxRedirects = 5;

interface FetchSettings {
  rule: AddressRule;
  /** Hosts with their ports that may be connected to wherever they are; none if absent. */
  hosts?: ReadonlySet<string> | undefined;
  signal: AbortSignal;
  /** How many bytes the content may have, unpacked. */
  maxBytes: number;
  /** For all redirects and the whole body, in milliseconds; 20,000 if absent. */
  timeoutMs?: number;
  /** Why content of a media type is not wanted; undefined if it is. It is asked before the content is read. */
  unwanted?(type: string): string | undefined;
}

export interface Fetched {
  /** The last address, after all redirects. */
  url: string;
  /** The media type in lower case without its parameters; '' if the server states none. */
  type: string;
  charset: string | undefined;
  filename: string | undefined;
  bytes: Buffer;
}

/**
 * Gets what is at an address of http or https. Every redirect is checked like the first address.
 *
 * @throws `ToolError` for an address that the rule refuses, one with a name or a password, a port of other protocols, a
 *   status other than 2xx, too many bytes or redirects, a server that cannot be reached or takes too long, and what is not
 *   wanted; the signal's reason when it is aborted
 */
export async function fetchBytes(address: string, settings: FetchSettings): Promise<Fetched> {
  const { signal, timeoutMs = 20_000 } = settings;
  const timeout = AbortSignal.timeout(timeoutMs);
  try {
    return await follow(address, { ...settings, signal: AbortSignal.any([signal, timeout]) });
  } catch (error) {
    if (signal.aborted || !timeout.aborted) throw error;
    throw new ToolError(`${address} took more than ${timeoutMs / 1000} seconds`, { cause: error });
  }
}

/** Gets a text of up to 2 MB, decoded, with its last address and its media type. @throws what `fetchBytes` throws */
export async function fetchText(address: string, rule: AddressRule, signal: AbortSignal) {
  const isText = (type: string): boolean => type === '' || /^text\/|[/+](json|xml|yaml|javascript)$/.test(type);
  const unwanted = (type: string) => (isText(type) ? undefined : `is no text but ${type}`);
  const { url, type, charset, bytes } = await fetchBytes(address, { rule, signal, maxBytes: 2_000_000, unwanted });
  return { url, type: type || 'text/plain', text: textOf(bytes, charset) };
}

async function follow(address: string, settings: FetchSettings): Promise<Fetched> {
  let url = parsed(address);
  for (let redirects = 0; redirects <= maxRedirects; redirects++) {
    const response = await get(url, settings);
    const { statusCode = 0, headers } = response;
    if (statusCode >= 300 && statusCode < 400 && headers.location !== undefined) {
      response.destroy();
      url = parsed(headers.location, url.href);
    } else if (statusCode >= 200 && statusCode < 300) {
      return contentOf(response, url, settings);
    } else {
      response.destroy();
      throw new ToolError(`${url.href} answered with status ${statusCode}`);
    }
  }
  throw new ToolError(`${address} redirects more than ${maxRedirects} times`);
}

function parsed(address: string, base?: string): URL {
  const url = URL.parse(address, base);
  if (url === null) {
    const of = address.startsWith('/') ? ': a link without a host is one of the page that it stands on' : '';
    throw new ToolError(`${address} is not a URL, which begins with https:// or http://${of}`);
  }
  if (!['http:', 'https:'].includes(url.protocol)) {
    throw new ToolError(`${address}: only http and https are fetched`);
  }
  // The address goes on to logs and to whoever reads them.
  if (url.username !== '' || url.password !== '') {
    throw new ToolError(`an address with a name or a password is not fetched (${url.host})`);
  }
  return url;
}

async function get(url: URL, { hosts, rule: general, signal }: FetchSettings): Promise<IncomingMessage> {
  const place = `${url.hostname}:${url.port || (url.protocol === 'https:' ? '443' : '80')}`;
  const rule: AddressRule = hosts?.has(place) ? () => true : general;
  checkLiteral(url.hostname, rule);
  if (badPorts.has(url.port)) throw new ToolError(`${url.href}: port ${url.port} is for another protocol`);
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const { request } = await (url.protocol === 'https:' ? import('node:https') : import('node:http'));
  const headers = {
    accept: 'text/html, text/*, application/json, application/pdf, application/xml;q=0.9, */*;q=0.1',
    'accept-encoding': 'gzip, br',
    'user-agent': `reprise/${version} (+https://github.com/reprise-agents/reprise)`,
  };
  // Connections are not pooled, since the address of an open one would not be looked up and checked.
  request(url, { headers, signal, agent: false, lookup: checkedLookup(rule) })
    .on('response', resolve)
    .on('error', (error) => reject(signal.aborted ? error : unfetched(url, error)))
    // A server that wants to speak another protocol is hung up on, and there is neither a response nor an error then.
    .on('close', () => reject(unfetched(url, new Error('the connection was closed without an answer'))))
    .end();
  return promise;
}

const unfetched = ({ href }: URL, error: Error): ToolError =>
  error instanceof ToolError ? error : new ToolError(`${href} cannot be fetched: ${error.message}`, { cause: error });

async function contentOf(response: IncomingMessage, url: URL, settings: FetchSettings): Promise<Fetched> {
  const { 'content-type': stated = '', 'content-disposition': disposition = '' } = response.headers;
  const type = /^\s*([^\s;]*)/.exec(stated)?.[1]?.toLowerCase() ?? '';
  const why = settings.unwanted?.(type);
  if (why !== undefined) {
    response.destroy();
    throw new ToolError(`${url.href} ${why}`);
  }
  return {
    url: url.href,
    type,
    charset: /charset="?([^\s;"]+)/i.exec(stated)?.[1],
    filename: filenameOf(disposition),
    bytes: await bodyOf(response, url, settings),
  };
}

/** Reads `filename*=UTF-8''…` and `filename="…"` (RFC 6266). */
function filenameOf(disposition: string): string | undefined {
  const [, encoded] = /filename\*=(?:utf-8)?'[^']*'([^;\s]+)/i.exec(disposition) ?? [];
  const [, quoted, bare] = /filename="([^"]*)"|filename=([^;\s"]+)/i.exec(disposition) ?? [];
  return (encoded && decodedPart(encoded)) || quoted || bare || undefined;
}

async function bodyOf(response: IncomingMessage, url: URL, { maxBytes, signal }: FetchSettings): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of decompressed(response, url)) {
      size += (chunk as Buffer).length;
      // Leaving the loop ends the stream.
      if (size > maxBytes) throw new ToolError(`${url.href} has over ${grouped(maxBytes)} bytes`);
      chunks.push(chunk as Buffer);
    }
  } catch (error) {
    throw signal.aborted ? error : unfetched(url, error as Error);
  }
  return Buffer.concat(chunks);
}

function decompressed(response: IncomingMessage, { href }: URL): AsyncIterable<unknown> {
  const encoding = (response.headers['content-encoding'] ?? 'identity').trim().toLowerCase();
  if (encoding === 'identity' || encoding === '') return response;
  if (!['gzip', 'x-gzip', 'deflate', 'br'].includes(encoding)) {
    response.destroy();
    throw new ToolError(`${href} is packed in a way that is not read (${encoding})`);
  }
  const decompress = encoding === 'br' ? createBrotliDecompress() : createUnzip();
  // An error of either stream reaches whoever reads the last one, so there is nothing to do here.
  return pipeline(response, decompress, () => {});
}

/** The ports that browsers refuse, since other protocols take a request for commands (Fetch Standard, "bad port"). */
const badPorts = new Set(
  (
    '0 1 7 9 11 13 15 17 19 20 21 22 23 25 37 42 43 53 69 77 79 87 95 101 102 103 104 109 110 111 113 115 117 119 123 ' +
    '135 137 139 143 161 179 389 427 465 512 513 514 515 526 530 531 532 540 548 554 556 563 587 601 636 989 990 993 ' +
    '995 1719 1720 1723 2049 3659 4045 4190 5060 5061 6000 6566 6665 6666 6667 6668 6669 6679 6697 10080'
  ).split(' '),
);

/** The bytes by which a text in Unicode may begin, each with its charset. */
const marks = { efbbbf: 'utf-8', fffe: 'utf-16le', feff: 'utf-16be' };

/** How many bytes are searched for a declaration, as browsers do (HTML Standard, "prescan a byte stream"). */
const searched = 1024;

/**
 * A text from its bytes: by its byte order mark, by the charset that its server states, by the one that it declares itself
 * (`<meta charset>` or the declaration of XML), as UTF-8 if it is that, and else as Windows-1252, which takes any bytes.
 */
export function textOf(bytes: Buffer, stated: string | undefined): string {
  const head = bytes.toString('hex', 0, 3);
  const [, marked] = Object.entries(marks).find(([mark]) => head.startsWith(mark)) ?? [];
  const declared = declaredIn(bytes.subarray(0, searched).toString('latin1'));
  for (const charset of [marked, stated, declared]) {
    const text = charset === undefined ? undefined : decoded(bytes, charset);
    if (text !== undefined) return text;
  }
  return decoded(bytes, 'utf-8', true) ?? decoded(bytes, 'windows-1252') ?? '';
}

function declaredIn(head: string): string | undefined {
  const [, xml] = /^\s*<\?xml[^>]*\sencoding=["']([\w-]+)/i.exec(head) ?? [];
  const [, html] = /<meta\s[^>]*charset\s*=\s*["']?\s*([\w-]+)/i.exec(head) ?? [];
  return xml ?? html;
}

/** @returns undefined if there is no such charset, or if the bytes are `fatal`ly wrong for it */
function decoded(bytes: Buffer, charset: string, fatal = false): string | undefined {
  try {
    return new TextDecoder(charset, { fatal }).decode(bytes);
  } catch {
    return undefined;
  }
}
