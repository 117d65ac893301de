import type { RunEvent } from '../../client.ts';
import type { Served } from '../served.ts';
import { askedIn } from '../waiting.ts';
import { look, type RunView } from './view.ts';

/** How many seconds a request waits at most. Clients give up after 60, unless told otherwise. */
export const longestWait = 50;

/** How many requests of one server wait at once; others get at once what there is. */
const mostWaiting = 4000;

let waiting = 0;

/** How a request waits for a run. */
export interface Wait {
  seconds: number;
  /** Whoever asks has gone. */
  signal: AbortSignal;
  /** Tells of all that has happened since the run began, so that a fast one is told as a slow one is; else from now on. */
  fromStart: boolean;
  /** Is told each event of the run meanwhile. */
  onEvent: (event: RunEvent) => Promise<void>;
}

/** The run once it has ended or waits for a person, or else when the time is up. @throws `WorkflowNotFoundError` */
export async function waited(
  served: Served,
  id: string,
  { fromStart, onEvent, seconds, signal }: Wait,
): Promise<RunView> {
  if (seconds === 0 || waiting >= mostWaiting) return look(served, id);
  waiting += 1;
  try {
    let after = 0;
    if (!fromStart) {
      // What comes between the place and the look is told again, and so nothing is overlooked.
      after = await served.reprise
        .getRun(id)
        .cursor()
        .then(({ seq }) => seq)
        .catch(() => 0);
      const view = await look(served, id);
      if (view.state !== 'running') return view;
    }
    const over = AbortSignal.any([signal, AbortSignal.timeout(seconds * 1000)]);
    for await (const item of served.feeds.follow(id, { after, signal: over })) {
      if (item.type === 'event') await onEvent(item.event);
      if (item.type !== 'end' && !(item.type === 'event' && askedIn(item.event))) continue;
      const now = await look(served, id);
      if (now.state !== 'running') return now;
    }
    return await look(served, id);
  } finally {
    waiting -= 1;
  }
}
