import type { RunEvent } from '../../client.ts';
import type { Served } from '../served.ts';
import { look, type RunView } from './view.ts';

/** How many seconds a request waits at most. Clients give up after 60, unless told otherwise. */
export const longestWait = 50;

/** How many requests of one server wait at once; others get at once what there is. */
const mostWaiting = 4000;

let waiting = 0;

/** What begins to wait for a person. */
const asking: ReadonlySet<string> = new Set(['question', 'approval_requested', 'key_missing', 'plan_review']);

/** How a request waits for a run. */
export interface Wait {
  seconds: number;
  /** Whoever asks has gone. */
  signal: AbortSignal;
  /** Is told each event of the run meanwhile. */
  onEvent: (event: RunEvent) => Promise<void>;
}

/** The run once it has ended or waits for a person, or else when the time is up. @throws `WorkflowNotFoundError` */
export async function waited(served: Served, id: string, { onEvent, seconds, signal }: Wait): Promise<RunView> {
  if (seconds === 0 || waiting >= mostWaiting) return look(served, id);
  waiting += 1;
  try {
    // What comes between the place and the look is told again, and so nothing is overlooked.
    const after = await served.reprise
      .getRun(id)
      .cursor()
      .then(({ seq }) => seq)
      .catch(() => 0);
    const view = await look(served, id);
    if (view.state !== 'running') return view;
    const over = AbortSignal.any([signal, AbortSignal.timeout(seconds * 1000)]);
    for await (const item of served.feeds.follow(id, { after, signal: over })) {
      if (item.type === 'event') await onEvent(item.event);
      if (item.type !== 'end' && !(item.type === 'event' && asking.has(item.event.type))) continue;
      const now = await look(served, id);
      if (now.state !== 'running') return now;
    }
    return await look(served, id);
  } finally {
    waiting -= 1;
  }
}
