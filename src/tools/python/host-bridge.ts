import { randomBytes } from 'node:crypto';
import type { HostBridge } from './sandbox-globals.ts';

/** What a sandbox's calls from the inside come to. */
type Handlers = Pick<HostBridge, 'part' | 'print' | 'found' | 'gone' | 'end'>;

/** The most random bytes at once, as browsers have it. */
const mostRandom = 65_536;

/** The longest time that a timer of Node takes, in milliseconds. */
const maxTimerMs = 2 ** 31 - 1;

/**
 * What a sandbox gets, in a form that nobody inside can make use of: whatever the arguments are, nothing is thrown, since an
 * error of this side is an object of it, and what is returned is a number, a text, bytes or nothing.
 */
export function bridgeOf({ end, found, gone, part, print }: Handlers): HostBridge {
  const timers = new Map<number, NodeJS.Timeout>();
  return {
    part: (name: unknown) => attempt(() => part(String(name))),
    random: (bytes: unknown) =>
      attempt(() => randomBytes(Math.min(Number(bytes), mostRandom)).toString('base64')) ?? '',
    later: (callback, ms: unknown) =>
      attempt(() => {
        // What is longer than Node takes would be over at once.
        const wait = Math.min(Math.max(0, Number(ms) || 0), maxTimerMs);
        const timer = setTimeout(() => attempt(callback), wait);
        const id = Number(timer);
        timers.set(id, timer);
        return id;
      }) ?? 0,
    never: (id) =>
      attempt(() => {
        clearTimeout(timers.get(id));
        timers.delete(id);
      }),
    decode: (bytes, encoding) => attempt(() => new TextDecoder(encoding).decode(bytes)) ?? '',
    now: () => performance.now(),
    print: (bytes) => attempt(() => print(bytes)),
    found: (path, mode, content) => attempt(() => found(path, mode, content)),
    gone: (path) => attempt(() => gone(path)),
    end: (outcome) => attempt(() => end(outcome)),
  };
}

function attempt<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}
