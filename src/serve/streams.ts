import type { Context } from 'hono';
import { streamSSE, type SSEMessage } from 'hono/streaming';
import { HttpProblem } from './problems.ts';

/** How many streams one server has at most, and after how many milliseconds of silence it shows that it is there. */
const limits = { streams: 4000, silenceMs: 15_000 };

let open = 0;

/**
 * Answers with server-sent events. What a slow reader has not taken is not made either, since each message is asked for when
 * the one before it has gone.
 *
 * @param messages gets a signal that says when the reader has gone
 * @throws `HttpProblem` where there are too many streams
 */
export function events(c: Context, messages: (signal: AbortSignal) => AsyncIterable<SSEMessage>): Response {
  if (open >= limits.streams)
    throw new HttpProblem(429, `This server has ${limits.streams} streams open; again in 5 s`, { 'retry-after': '5' });
  const gone = new AbortController();
  open += 1;
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
      open -= 1;
    }
  });
}
