import { setImmediate as nextTurn } from 'node:timers/promises';
import { ApplicationFailure } from '@temporalio/common';
import { replyTooLarge, streamCut, streamStalled, type Endpoint } from './failures.ts';

/** In bytes, with all framing. The longest replies of today's models, 128,000 tokens one by one, come to about 35 MB. */
const maxStream = 40 * 1024 * 1024;

/** In characters, of what the model says and thinks. */
const maxContent = 8 * 1024 * 1024;

/** In bytes. Responses repeats a whole reply in its last event. */
const maxEvent = 2 * 1024 * 1024;

/** In bytes, of the body of an error. */
const maxError = 64 * 1024;

/** In bytes, how much is handed on at once: what the SDKs and wires make of it is one piece of work. */
const portion = 16 * 1024;

/** In milliseconds, for how long events are read before everything else in the process has its turn. */
const slice = 10;

/** In milliseconds, the longest that a timer can wait. */
const longestWait = 2 ** 31 - 1;

/**
 * A `fetch` for the SDKs that survives whatever a server streams. Events come whole and in small portions, since the
 * SDKs' own reading of an endless line takes ever longer and holds up the process. A stream that grows beyond its limit is
 * cut off while it comes (`ReplyTooLarge`), one without content for too long is dead (`StreamStalled`), and one that
 * breaks off says so (`ConnectionFailed`). Of an error's body only the beginning is read.
 *
 * @param seconds without content until a stream counts as dead; pings and empty pieces are no content, thoughts are
 * @param beforeSend called right before each request is sent, which is not sent if it rejects
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
    const timer = setTimeout(stop, Math.min(longestWait, seconds * 1000)).unref();
    const signal = AbortSignal.any([stalled.signal, ...(init?.signal ? [init.signal] : [])]);
    try {
      const response = await fetch(input, { ...init, signal });
      if (response.body === null) return response;
      if (!response.ok) return new Response(await beginningOf(response.body), response);
      return new Response(ReadableStream.from(wholeEvents(response.body, endpoint, timer, signal)), response);
    } catch (error) {
      clearTimeout(timer);
      throw error;
    }
  };
}

type Bytes = AsyncIterable<Uint8Array>;

/** Reads an error's body until it is long enough. What came before it broke off is shown as well. */
async function beginningOf(body: Bytes): Promise<Buffer<ArrayBuffer>> {
  const read: Uint8Array[] = [];
  let size = 0;
  try {
    for await (const chunk of body) {
      read.push(chunk);
      size += chunk.length;
      if (size >= maxError) break;
    }
  } catch {
    // The status alone says enough.
  }
  return Buffer.concat(read).subarray(0, maxError);
}

async function* wholeEvents(
  body: Bytes,
  endpoint: Endpoint,
  timer: NodeJS.Timeout,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  const cutter = new EventCutter();
  let [size, content, began] = [0, 0, performance.now()];
  try {
    for await (const chunk of body) {
      size += chunk.length;
      if (size > maxStream) throw replyTooLarge(endpoint, `its stream is longer than ${maxStream} bytes`);
      for (const events of cutter.cut(chunk)) {
        const more = contentOf(events);
        if (more) timer.refresh();
        content += more ?? 0;
        if (content > maxContent) throw replyTooLarge(endpoint, `it is longer than ${maxContent} characters`);
        if (more !== undefined) yield events;
        if (performance.now() - began < slice) continue;
        await nextTurn();
        began = performance.now();
      }
      if (cutter.waiting > maxEvent) throw replyTooLarge(endpoint, `an event is longer than ${maxEvent} bytes`);
    }
    if (cutter.waiting > 0) yield cutter.rest();
  } catch (error) {
    signal.throwIfAborted();
    throw error instanceof ApplicationFailure ? error : streamCut(endpoint);
  } finally {
    clearTimeout(timer);
  }
}

const [lineFeed, carriageReturn] = [10, 13];

/** Cuts a stream of server-sent events after the empty lines that end them, wherever its chunks begin and end. */
class EventCutter {
  /** In bytes, of the event that has begun. */
  waiting = 0;
  #pieces: Uint8Array[] = [];
  #isEmptyLine = true;
  #last = 0;

  /** Yields whole events, several of them together up to the size of a portion. */
  *cut(chunk: Uint8Array): Generator<Uint8Array> {
    let start = 0;
    let end = 0;
    for (let at = 0; at < chunk.length; at++) {
      const byte = chunk[at] ?? 0;
      // Both together end one line.
      const isEnd = byte === carriageReturn || (byte === lineFeed && this.#last !== carriageReturn);
      if (isEnd && this.#isEmptyLine) end = at + 1;
      if (isEnd) this.#isEmptyLine = true;
      else if (byte !== lineFeed) this.#isEmptyLine = false;
      this.#last = byte;
      if (end > start && end - start >= portion) {
        yield this.#whole(chunk.subarray(start, end));
        start = end;
      }
    }
    if (end > start) yield this.#whole(chunk.subarray(start, end));
    if (end < chunk.length) this.#pieces.push(chunk.subarray(end));
    this.waiting += chunk.length - end;
  }

  rest(): Uint8Array {
    return this.#whole(new Uint8Array());
  }

  #whole(last: Uint8Array): Uint8Array {
    const whole = Buffer.concat([...this.#pieces, last]);
    this.#pieces = [];
    this.waiting = 0;
    return whole;
  }
}

/** How many characters of content there are in events; undefined if they are nothing but comments. */
function contentOf(events: Uint8Array): number | undefined {
  let content: number | undefined;
  for (const line of Buffer.from(events)
    .toString()
    .split(/\r\n|\n|\r/)) {
    if (!line.startsWith('data:')) continue;
    content ??= 0;
    try {
      content += contentIn(JSON.parse(line.slice('data:'.length)) as StreamEvent | null);
    } catch {
      // Whoever reads the event finds out what is wrong with it.
    }
  }
  return content;
}

/** An event of any of the wires, as far as it tells content from pings. */
interface StreamEvent {
  type?: unknown;
  delta?: unknown;
  choices?: Array<{ delta?: unknown; finish_reason?: unknown } | null>;
}

/** Events that say only that the stream is alive, or will be. */
const pings = ['ping', 'keepalive', 'response.created', 'response.queued', 'response.in_progress'];

function contentIn(event: StreamEvent | null): number {
  if (event === null || typeof event !== 'object') return 0;
  const { type, delta, choices } = event;
  if (Array.isArray(choices)) {
    return choices.reduce((sum, each) => sum + textIn(each?.delta) + (each?.finish_reason ? 1 : 0), 0);
  }
  if (typeof type !== 'string' || pings.includes(type)) return 0;
  return delta === undefined ? 1 : textIn(delta);
}

/** What of a delta is content. Servers add fields of their own, in empty deltas as well. */
const contentKeys = new Set([
  'content',
  'reasoning_content',
  'reasoning',
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

const deepest = 5;

function textIn(value: unknown, depth = 0): number {
  if (typeof value === 'string') return value.length;
  if (typeof value !== 'object' || value === null || depth > deepest) return 0;
  if (Array.isArray(value)) return value.reduce<number>((sum, inner) => sum + textIn(inner, depth + 1), 0);
  return Object.entries(value).reduce(
    (sum, [key, inner]) => (contentKeys.has(key) ? sum + textIn(inner, depth + 1) : sum),
    0,
  );
}
