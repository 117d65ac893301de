import { once } from 'node:events';
import type { Reprise } from '../client.ts';
import type { InboxQuestion } from '../client/inbox.ts';
import { coalesced } from '../util/coalesced.ts';
import { reaches, type Access } from './access.ts';
import type { Served } from './served.ts';

// What asks all runs, or waits for one, is asked once for all who come at the same time: whoever may read runs would else keep
// their workers, and Temporal, from everything else.

function shared<T>(ask: (reprise: Reprise) => Promise<T>): (reprise: Reprise) => Promise<T> {
  const looks = new WeakMap<Reprise, () => Promise<T>>();
  return (reprise) => {
    const present = looks.get(reprise) ?? coalesced(() => ask(reprise));
    looks.set(reprise, present);
    return present();
  };
}

export const statsOf = shared((reprise) => reprise.stats());

/** What waits, and the ids of runs that did not tell what does. */
interface Inbox {
  waiting: InboxQuestion[];
  silent: string[];
}

const look = shared(async (reprise): Promise<Inbox> => {
  const silent: string[] = [];
  return { waiting: await reprise.inbox((id) => silent.push(id)), silent };
});

export async function inboxOf({ reprise }: Served, access: Access): Promise<Inbox> {
  const { silent, waiting } = await look(reprise);
  return {
    waiting: waiting.filter(({ workflowId }) => reaches(access, workflowId)),
    silent: silent.filter((id) => reaches(access, id)),
  };
}

/** A result, and how many wait for it; `left` gives it up. */
interface Awaited {
  result: Promise<unknown>;
  readers: number;
  left: AbortController;
}

const awaited = new WeakMap<Reprise, Map<string, Awaited>>();

/** Waits for a result; Temporal takes some hundred such requests at a time. @param signal gives up @throws as `Run.result` */
export async function resultOf(reprise: Reprise, id: string, signal: AbortSignal): Promise<unknown> {
  signal.throwIfAborted();
  const all = awaited.get(reprise) ?? new Map<string, Awaited>();
  awaited.set(reprise, all);
  const left = new AbortController();
  const present = all.get(id) ?? { result: reprise.getRun(id).result(left.signal), readers: 0, left };
  all.set(id, present);
  present.readers += 1;
  try {
    return await Promise.race([present.result, once(signal, 'abort').then(() => signal.throwIfAborted())]);
  } finally {
    present.readers -= 1;
    if (present.readers === 0) {
      all.delete(id);
      present.left.abort();
    }
  }
}
