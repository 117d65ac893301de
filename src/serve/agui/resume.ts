import { EventType, type Event } from '@ag-ui/core';
import { RunNotOpenError } from '../../client.ts';
import { argumentsProblem } from '../../client/edited.ts';
import { HttpProblem } from '../problems.ts';
import { follow, type Finish } from './follow.ts';
import type { Act, Resumed } from './interrupts.ts';
import { chainOf, ifTold, type Thread } from './thread.ts';

/**
 * Sends what a person has answered, and tells what has happened since they were asked. An answer is a signal, which Temporal
 * keeps where no worker is there. One about what waits no longer has no effect, and is told.
 *
 * @throws `HttpProblem` where changed arguments are not what their tool takes; nothing is sent then
 */
export async function* resume(thread: Thread, entries: Resumed[]): AsyncGenerator<Event, Finish> {
  const present = await chainOf(thread);
  const own = entries.filter(({ chain }) => chain === present?.chain);
  if (present === undefined || own.length === 0) {
    yield* entries.map(settled);
    return { outcome: { type: 'success' } };
  }
  const pending = await ifTold(thread, () => thread.reprise.getRun(thread.id).pendingQuestions());
  const waits = ({ questionId }: Resumed) => pending?.find((each) => each.questionId === questionId);
  for (const entry of own) {
    const given = entry.act.send === 'approve' ? entry.act.decision.arguments : undefined;
    const problem = given && argumentsProblem(given, waits(entry));
    if (problem !== undefined) throw new HttpProblem(422, `${entry.id}: editedArgs: ${problem}`);
  }
  for (const entry of entries) {
    const isSettled = !own.includes(entry) || (pending !== undefined && waits(entry) === undefined);
    if (isSettled || !(await isSent(thread, entry.act))) yield settled(entry);
  }
  return yield* follow(thread, {
    chain: present.chain,
    begin: { after: Math.min(...own.map(({ seq }) => seq)) },
    answered: new Set(own.map(({ questionId }) => questionId)),
    isOver: !present.isOpen,
  });
}

const settled = ({ id }: Resumed): Event => ({
  type: EventType.CUSTOM,
  name: 'reprise.settled',
  value: { interruptId: id, message: 'It waits no longer, and this answer has no effect' },
});

/** @returns whether the run has taken it, which one that has ended does not */
async function isSent({ id, reprise }: Thread, act: Act): Promise<boolean> {
  try {
    if (act.send === 'answer') await reprise.getRun(id).answer(act.reply);
    if (act.send === 'approve') await reprise.getRun(id).approve(act.decision);
    if (act.send === 'decide') await reprise.getResearch(id).decide(act.decision);
    if (act.send === 'restart')
      await reprise.getResearch(id).requestRestart(act.request.reason, act.request.instructions);
    return true;
  } catch (error) {
    if (error instanceof RunNotOpenError) return false;
    throw error;
  }
}
