import type { Reprise } from '../../client.ts';

/** A result that somebody waits for. */
interface Awaited {
  result: Promise<unknown>;
  /** How many wait. */
  readers: number;
  left: AbortController;
}

const awaited = new WeakMap<Reprise, Map<string, Awaited>>();

/**
 * Waits for the result of a run. Temporal is asked once for all who wait, since it takes some hundred such requests at a time,
 * and whoever may read a run would keep everybody else from theirs.
 *
 * @param signal gives up the waiting, which then throws
 * @throws as `Run.result`
 */
export async function resultOf(reprise: Reprise, id: string, signal: AbortSignal): Promise<unknown> {
  const all = awaited.get(reprise) ?? new Map<string, Awaited>();
  awaited.set(reprise, all);
  const present = all.get(id) ?? begun(reprise, id);
  all.set(id, present);
  present.readers += 1;
  try {
    return await Promise.race([present.result, aborted(signal)]);
  } finally {
    present.readers -= 1;
    if (present.readers === 0) {
      all.delete(id);
      present.left.abort();
    }
  }
}

function begun(reprise: Reprise, id: string): Awaited {
  const left = new AbortController();
  return { result: reprise.getRun(id).result(left.signal), readers: 0, left };
}

const aborted = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => {
    const giveUp = (): void => reject(signal.reason as Error);
    if (signal.aborted) giveUp();
    else signal.addEventListener('abort', giveUp, { once: true });
  });
