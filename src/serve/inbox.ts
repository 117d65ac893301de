import type { Reprise } from '../client.ts';
import type { InboxQuestion } from '../client/inbox.ts';
import { coalesced } from '../util/coalesced.ts';
import { reaches, type Access } from './access.ts';
import type { Served } from './served.ts';

interface Inbox {
  waiting: InboxQuestion[];
  /** The ids of runs that did not tell what waits. */
  silent: string[];
}

const looks = new WeakMap<Reprise, () => Promise<Inbox>>();

async function look(reprise: Reprise): Promise<Inbox> {
  const silent: string[] = [];
  return { waiting: await reprise.inbox((id) => silent.push(id)), silent };
}

/**
 * All that waits for a person in the runs that somebody may see. All runs are asked for it, and so once for all who look at the
 * same time: whoever may read them would else keep their workers from everything else.
 */
export async function inboxOf({ reprise }: Served, access: Access): Promise<Inbox> {
  const present = looks.get(reprise) ?? coalesced(() => look(reprise));
  looks.set(reprise, present);
  const { silent, waiting } = await present();
  return {
    waiting: waiting.filter(({ workflowId }) => reaches(access, workflowId)),
    silent: silent.filter((id) => reaches(access, id)),
  };
}
