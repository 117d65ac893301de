import type { InboxQuestion } from '../client/inbox.ts';
import { reaches, type Access } from './access.ts';
import type { Served } from './served.ts';
import { shared } from './shared.ts';

interface Inbox {
  waiting: InboxQuestion[];
  /** The ids of runs that did not tell what waits. */
  silent: string[];
}

const look = shared(async (reprise): Promise<Inbox> => {
  const silent: string[] = [];
  return { waiting: await reprise.inbox((id) => silent.push(id)), silent };
});

/** All that waits for a person in the runs that somebody may see. */
export async function inboxOf({ reprise }: Served, access: Access): Promise<Inbox> {
  const { silent, waiting } = await look(reprise);
  return {
    waiting: waiting.filter(({ workflowId }) => reaches(access, workflowId)),
    silent: silent.filter((id) => reaches(access, id)),
  };
}
