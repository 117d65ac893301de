import { setImmediate as nextTurn } from 'node:timers/promises';
import { ApplicationFailure } from '@temporalio/common';
import { createParser, type EventSourceMessage } from 'eventsource-parser';
import { parsedJson } from '../util/values.ts';
import { noStream, redirected, replyTooLarge, streamCut, streamStalled, type Endpoint } from './failures.ts';

/** In bytes, with all framing. The longest replies of today's models, 128,000 tokens one by one, come to about 35 MB. */
const maxStream = 40 * 1024 * 1024;

/** In characters, of what the model says and thinks. */
const maxContent = 8 * 1024 * 1024;

/** In characters. Responses repeats a whole reply in its last event. */
const maxEvent = 2 * 1024 * 1024;

/** Of lines that are none of an event. Each costs the parser an error with its stack. */
const maxErrors = 1000;

const maxError = 64 * 1024;

/** In milliseconds, before everything else in the process has its turn. */
const slice = 10;

const longestWait = 2 ** 31 - 1;

/** In milliseconds. A timer that is so late has stood still with its process, as on a laptop that was closed. */
const late = 1000;

interface Patience {
  refresh(): void;
  clear(): void;
}

/** A timeout that counts only while the process runs: what has arrived meanwhile is read before anything is given up. */
function patience(ms: number, onEnd: () => void): Patience {
  let due = performance.now() + ms;
  const timer = setTimeout(() => (performance.now() - due > late ? refresh() : onEnd()), ms).unref();
  function refresh(): void {
    due = performance.now() + ms;
    timer.refresh();
  }
  return { refresh, clear: () => clearTimeout(timer) };
}

/**
 * Survives whatever a server streams. Events come whole, since the SDKs' own reading of an endless line holds up the
 * process. A stream that grows beyond its limit is cut off (`ReplyTooLarge`), one without content for too long is dead
 * (`StreamStalled`), and one that breaks off says so (`ConnectionFailed`). Of an error's body only the beginning is
 * read. No redirect is followed, since keys and conversations are for the address that was chosen (`BadRequest`).
 * @param seconds pings and empty pieces are no content, thoughts are
 * @param beforeSend the request is not sent if it rejects
 */
export function guardedFetch(
  endpoint: Endpoint,
  seconds: number,
  beforeSend: () => Promise<void> = () => Promise.resolve(),
): typeof fetch {
  return async (input, init) => {
    await beforeSend();
    const stalled = new AbortController();
    const stop = (): void => stalled.abort(streamStalled(endpoint, seconds));
    const timer = patience(Math.min(longestWait, seconds * 1000), stop);
    const signal = AbortSignal.any([stalled.signal, ...(init?.signal ? [init.signal] : [])]);
    try {
      const response = await fetch(input, { ...init, redirect: 'manual', signal });
      const target = response.headers.get('location');
      if (isRedirect(response) && target !== null) throw redirected(endpoint, target);
      if (response.body === null) return response;
      if (!response.ok) return new Response(await beginningOf(response.body), response);
      return new Response(ReadableStream.from(wholeEvents(response.body, endpoint, timer, signal)), response);
    } catch (error) {
      timer.clear();
      throw error;
    }
  };
}

const isRedirect = ({ status }: Response): boolean => [301, 302, 303, 307, 308].includes(status);

type Bytes = AsyncIterable<Uint8Array>;

/** @param most in bytes; by default that of an error. What came before a body broke off counts too. */
export async function beginningOf(body: Bytes, most = maxError): Promise<Buffer<ArrayBuffer>> {
  const read: Uint8Array[] = [];
  let size = 0;
  try {
    for await (const chunk of body) {
      read.push(chunk);
      size += chunk.length;
      if (size >= most) break;
    }
  } catch {
    // The status alone says enough.
  }
  return Buffer.concat(read).subarray(0, most);
}

async function* wholeEvents(body: Bytes, endpoint: Endpoint, timer: Patience, signal: AbortSignal) {
  const decoder = new TextDecoder();
  const events: EventSourceMessage[] = [];
  let errors = 0;
  let opening: string | undefined = '';
  const parser = createParser({
    onEvent: (event) => events.push(event),
    onError({ type, message }) {
      errors += 1;
      if (type !== 'max-buffer-size-exceeded' && errors <= maxErrors) return;
      throw replyTooLarge(endpoint, `it is no stream of events (${message})`);
    },
    maxBufferSize: maxEvent,
  });
  let [size, content, began] = [0, 0, performance.now()];
  let [isReply, isWhole] = [false, false];
  try {
    for await (const chunk of body) {
      size += chunk.length;
      if (size > maxStream) throw replyTooLarge(endpoint, `its stream is longer than ${maxStream} bytes`);
      const text = decoder.decode(chunk, { stream: true });
      parser.feed(text);
      opening = events.length > 0 || opening === undefined ? undefined : (opening + text).slice(0, maxError);
      let more = 0;
      for (const { data } of events) {
        const event = (parsedJson(data) ?? {}) as StreamEvent;
        more += contentIn(event);
        isReply ||= choicesOf(event).length > 0;
        isWhole ||= isEnd(data, event);
      }
      if (more > 0) timer.refresh();
      content += more;
      if (content > maxContent) throw replyTooLarge(endpoint, `it is longer than ${maxContent} characters`);
      if (events.length > 0) yield bytesOf(events.splice(0));
      if (performance.now() - began < slice) continue;
      await nextTurn();
      began = performance.now();
    }
    // Some servers leave out the empty line after the last event.
    parser.feed('\n\n');
    isWhole ||= events.some(({ data }) => isEnd(data, parsedJson(data) ?? {}));
    if (events.length > 0) yield bytesOf(events);
    else if (opening && errors > 0) throw noStream(opening, endpoint);
    if (isReply && !isWhole) throw streamCut(endpoint);
  } catch (error) {
    signal.throwIfAborted();
    throw error instanceof ApplicationFailure ? error : streamCut(endpoint);
  } finally {
    timer.clear();
  }
}

/** Without ids and comments, which tell the SDKs nothing. */
function bytesOf(events: EventSourceMessage[]): Uint8Array {
  const texts = events.map(({ event, data }) => {
    const name = event === undefined ? '' : `event: ${event}\n`;
    return `${name}data: ${data.replaceAll('\n', '\ndata: ')}\n\n`;
  });
  return Buffer.from(texts.join(''));
}

interface StreamEvent {
  type?: unknown;
  delta?: unknown;
  choices?: unknown;
  usage?: unknown;
}

const choicesOf = ({ choices }: StreamEvent): unknown[] => (Array.isArray(choices) ? choices : []);

/**
 * Of Chat Completions, where servers may leave out some. That the stream itself ends proves nothing: a proxy may end it
 * so when it has broken off behind the proxy. The other wires have an event for it.
 */
const isEnd = (data: string, event: StreamEvent): boolean =>
  data === '[DONE]' ||
  // Gemini and xAI send it with each piece.
  (event.usage != null && choicesOf(event).length === 0) ||
  choicesOf(event).some((choice) => (choice as { finish_reason?: unknown } | null)?.finish_reason != null);

const pings = ['ping', 'keepalive', 'response.created', 'response.queued', 'response.in_progress'];

/** In characters. Whoever reads the event finds out what is wrong with it. */
function contentIn(event: StreamEvent): number {
  const { type, delta, choices } = event;
  if (typeof type !== 'string' || delta !== undefined || choices !== undefined) return textIn(event);
  return pings.includes(type) ? 0 : 1;
}

/** Servers add fields of their own, in empty deltas as well. */
const contentKeys = new Set([
  'choices',
  'delta',
  'finish_reason',
  'content',
  'reasoning_content',
  'reasoning',
  'reasoning_details',
  'summary',
  'data',
  'refusal',
  'tool_calls',
  'function_call',
  'function',
  'name',
  'arguments',
  'text',
  'thinking',
  'signature',
  'partial_json',
]);

const maxDepth = 8;

function textIn(value: unknown, depth = 0): number {
  if (typeof value === 'string') return value.length;
  if (typeof value !== 'object' || value === null || depth > maxDepth) return 0;
  return Object.entries(value)
    .filter(([key]) => Array.isArray(value) || contentKeys.has(key))
    .reduce((sum, [, inner]) => sum + textIn(inner, depth + 1), 0);
}
