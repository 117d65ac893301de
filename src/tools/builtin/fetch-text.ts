import { request as requestHttp, type IncomingMessage } from 'node:http';
import { request as requestHttps } from 'node:https';
import { pipeline } from 'node:stream';
import { createBrotliDecompress, createUnzip } from 'node:zlib';
import { ToolError } from '../tool.ts';
import { checkedLookup, checkLiteral, type AddressRule } from './addresses.ts';

const maxRedirects = 5;
const maxBytes = 2_000_000;

/**
 * Gets a text over http or https. Every redirect is checked like the first address.
 *
 * @returns the text, its last address, and its media type in lower case without parameters
 * @throws `ToolError` for an address that the rule refuses, a status other than 2xx, what is not a text, over 2 MB,
 *   more than five redirects, and a server that cannot be reached
 */
export async function fetchText(address: string, rule: AddressRule, signal: AbortSignal) {
  let url = parsed(address);
  for (let redirects = 0; redirects <= maxRedirects; redirects++) {
    const response = await get(url, rule, signal);
    const { statusCode = 0, headers } = response;
    if (statusCode >= 300 && statusCode < 400 && headers.location !== undefined) {
      response.destroy();
      url = parsed(headers.location, url.href);
    } else if (statusCode >= 200 && statusCode < 300) {
      return { url: url.href, ...(await textOf(response, url)) };
    } else {
      response.destroy();
      throw new ToolError(`${url.href} answered with status ${statusCode}`);
    }
  }
  throw new ToolError(`${address} redirects more than ${maxRedirects} times`);
}

function parsed(address: string, base?: string): URL {
  const url = URL.parse(address, base);
  if (url === null) throw new ToolError(`${address} is not a URL`);
  if (!['http:', 'https:'].includes(url.protocol)) {
    throw new ToolError(`${address}: only http and https are fetched`);
  }
  return url;
}

function get(url: URL, rule: AddressRule, signal: AbortSignal): Promise<IncomingMessage> {
  checkLiteral(url.hostname, rule);
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const request = url.protocol === 'https:' ? requestHttps : requestHttp;
  const headers = {
    accept: 'text/html, text/*, application/json, application/xml;q=0.9, */*;q=0.1',
    'accept-encoding': 'gzip, br',
    'user-agent': 'reprise',
  };
  // Connections are not pooled, since the address of an open one would not be looked up and checked.
  request(url, { headers, signal, agent: false, lookup: checkedLookup(rule) })
    .on('response', resolve)
    .on('error', (error) => {
      const isOwn = signal.aborted || error instanceof ToolError;
      reject(isOwn ? error : new ToolError(`${url.href} cannot be fetched: ${error.message}`, { cause: error }));
    })
    .end();
  return promise;
}

async function textOf(response: IncomingMessage, { href }: URL): Promise<{ type: string; text: string }> {
  const [, type = 'text/plain', parameters = ''] =
    /^\s*([^\s;]+)(.*)$/.exec(response.headers['content-type'] ?? '') ?? [];
  if (!/^text\/|[/+](json|xml|yaml|javascript)$/i.test(type)) {
    response.destroy();
    throw new ToolError(`${href} is no text but ${type}`);
  }
  const bytes = await bodyOf(response, href);
  return { type: type.toLowerCase(), text: decoded(bytes, parameters) };
}

async function bodyOf(response: IncomingMessage, href: string): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of decompressed(response)) {
    size += (chunk as Buffer).length;
    // Leaving the loop ends the stream.
    if (size > maxBytes) throw new ToolError(`${href} has over ${maxBytes} bytes`);
    chunks.push(chunk as Buffer);
  }
  return Buffer.concat(chunks);
}

function decompressed(response: IncomingMessage): AsyncIterable<unknown> {
  const encoding = response.headers['content-encoding'] ?? 'identity';
  if (encoding === 'identity') return response;
  const decompress = encoding === 'br' ? createBrotliDecompress() : createUnzip();
  // An error of either stream reaches whoever reads the last one, so there is nothing to do here.
  return pipeline(response, decompress, () => {});
}

function decoded(bytes: Buffer, parameters: string): string {
  const charset = /charset="?([^\s;"]+)/i.exec(parameters)?.[1] ?? 'utf-8';
  try {
    return new TextDecoder(charset).decode(bytes);
  } catch {
    return bytes.toString('utf8');
  }
}
