import type { Context } from 'hono';
import { streamSSE, type SSEMessage } from 'hono/streaming';
import { holderOf } from './access.ts';
import { HttpProblem } from './problems.ts';
import type { ServeEnv } from './served.ts';

/**
 * How many streams a server has, how many of them for one holder of a token that does not open everything, and the milliseconds of
 * silence after which it shows that it is there.
 */
const limits = { streams: 4000, guest: 1000, silenceMs: 15_000 };

let open = 0;

/** How many streams each holder has, by `holderOf`. */
const held = new Map<string, number>();

function count(holder: string, by: 1 | -1): void {
  open += by;
  held.set(holder, (held.get(holder) ?? 0) + by);
}

type Messages = (signal: AbortSignal) => AsyncIterable<SSEMessage>;

/**
 * Answers with server-sent events. What a slow reader has not taken is not made either, since each message is asked for when
 * the one before it has gone. @param messages gets a signal that says when the reader has gone @throws `HttpProblem`
 */
export const events = (c: Context<ServeEnv>, messages: Messages): Response => reserveStream(c).stream(messages);

/** A place among the streams of a server, for what is begun before its stream is. @throws `HttpProblem` where none is free */
export function reserveStream(c: Context<ServeEnv>): { stream: (messages: Messages) => Response; release: () => void } {
  const access = c.get('access');
  const holder = holderOf(access);
  const most = access.grant.kind === 'all' ? limits.streams : limits.guest;
  if (open >= limits.streams || (held.get(holder) ?? 0) >= most)
    throw new HttpProblem(429, `This server has ${most} streams open; again in 5 s`, { 'retry-after': '5' });
  count(holder, 1);
  const release = (): void => count(holder, -1);
  return { release, stream: (messages) => streamed(c, messages, release) };
}

function streamed(c: Context<ServeEnv>, messages: Messages, release: () => void): Response {
  // Nobody reads what follows a HEAD, and so nobody would end it either.
  if (c.req.method === 'HEAD') {
    release();
    return c.body(null, 200, { 'content-type': 'text/event-stream' });
  }
  const gone = new AbortController();
  return streamSSE(c, async (stream) => {
    stream.onAbort(() => gone.abort());
    const timer = setInterval(() => void stream.write(': \n\n'), limits.silenceMs);
    try {
      for await (const message of messages(gone.signal)) {
        if (gone.signal.aborted) return;
        await stream.writeSSE(message);
        timer.refresh();
      }
    } finally {
      clearInterval(timer);
      release();
    }
  });
}
