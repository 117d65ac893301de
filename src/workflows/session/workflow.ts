import {
  allHandlersFinished,
  CancellationScope,
  condition,
  isCancellation,
  makeContinueAsNewFunc,
  proxyLocalActivities,
  workflowInfo,
} from '@temporalio/workflow';
import type { Activities } from '../../activities/activities.ts';
import type { PreparedSession, SessionInput, SessionResult } from '../../protocol/session.ts';
import { emptyView } from '../orchestration/view.ts';
import { isCancelled } from '../runtime/iterate.ts';
import { showEnd } from '../runtime/run-ends.ts';
import { RunHandlers } from '../runtime/run-handlers.ts';
import { openConversation, type Conversation } from './conversation.ts';
import { sessionCancelled, type SessionRecord } from './turn-handler.ts';
import { TurnQueue } from './turn-queue.ts';

const { prepareSession } = proxyLocalActivities<Activities>({
  startToCloseTimeout: '30 seconds',
  retry: { maximumAttempts: 5 },
});

/**
 * A conversation with a team or with one agent, turn by turn (xaibo's documentation "Orchestrator Modules Reference").
 * What was said, and what the person has answered, is kept from turn to turn, also when a long history makes the session
 * continue as a new run. A session that is cancelled ends its turn with what there is, and completes.
 *
 * @throws `ApplicationFailure` of type `InvalidInput` before anything is spent; with `text`, what its one turn throws
 */
export async function session(input: SessionInput & { earlier?: SessionRecord }): Promise<SessionResult> {
  const { earlier } = input;
  const handlers = new RunHandlers(emptyView('session'), earlier?.run.events);
  const queue = new TurnQueue(handlers.messages);
  const { conversation, prepared } = await CancellationScope.nonCancellable(async () => {
    const prepared = earlier?.prepared ?? (await prepareSession(input));
    return { prepared, conversation: await openConversation(prepared, handlers, earlier) };
  });
  if (prepared.text !== undefined) {
    await conversation.take(prepared.text);
    return end(handlers, conversation, isCancelled({ handlers }));
  }
  try {
    for (;;) {
      const next = await queue.next(idleTimeout(prepared));
      if (next === 'closed') return end(handlers, conversation);
      if (next === 'full') await goOn({ earlier: conversation.record() });
      else await next((text) => conversation.take(text));
    }
  } catch (error) {
    if (!isCancellation(error) || !isCancelled({ handlers })) throw error;
    queue.refuse(sessionCancelled);
    await CancellationScope.nonCancellable(() => condition(allHandlersFinished));
    return end(handlers, conversation, true);
  }
}

/** Goes on in a new run. What the workflow has put into the memo would otherwise be lost; search attributes stay. */
function goOn(input: { earlier: SessionRecord }): Promise<never> {
  const { memo } = workflowInfo();
  return makeContinueAsNewFunc<typeof session>(memo && { memo })(input);
}

function end(handlers: RunHandlers, conversation: Conversation, isCancelled = false): SessionResult {
  const result = conversation.end(isCancelled);
  showEnd(handlers, result.outcome, result.usage);
  return result;
}

/** In milliseconds; undefined when the session waits without limit. */
function idleTimeout(prepared: PreparedSession): number | undefined {
  const seconds = (prepared.kind === 'agent' ? prepared.agent : prepared.team).idle_timeout;
  return seconds === undefined ? undefined : seconds * 1000;
}
