import {
  allHandlersFinished,
  CancellationScope,
  condition,
  isCancellation,
  makeContinueAsNewFunc,
  workflowInfo,
} from '@temporalio/workflow';
import { atOpening } from '../runtime/own-store.ts';
import type { SessionInput, SessionResult } from '../../protocol/session.ts';
import type { OpenedSession } from '../../protocol/stored.ts';
import { emptyView } from '../orchestration/view.ts';
import { isCancelled } from '../runtime/iterate.ts';
import { opened, showEnd } from '../runtime/run-ends.ts';
import { RunHandlers } from '../runtime/run-handlers.ts';
import { openConversation, type Conversation } from './conversation.ts';
import { sessionCancelled, type SessionRecord } from './turn-handler.ts';
import { TurnQueue } from './turn-queue.ts';

/**
 * A conversation with a team or with one agent, turn by turn (xaibo's documentation "Orchestrator Modules Reference"). What was
 * said and answered is kept also when a long history makes the session continue as a new run. A session that is cancelled ends its
 * turn with what there is, and completes.
 *
 * @throws `ApplicationFailure` of type `InvalidInput` before anything is spent; with `text`, what its one turn throws
 */
export async function session(input: SessionInput & { earlier?: SessionRecord }): Promise<SessionResult> {
  // Nobody else can say what an earlier run has come to.
  const earlier = workflowInfo().continuedFromExecutionRunId === undefined ? undefined : input.earlier;
  const handlers = new RunHandlers(emptyView('session'), earlier?.run.events);
  const queue = new TurnQueue(handlers.messages);
  const { conversation, prepared } = await opened(async () => {
    const prepared = earlier?.prepared ?? (await atOpening.prepareSession(input));
    return { prepared, conversation: await openConversation(prepared, input.attachments, handlers, earlier) };
  });
  const { text } = prepared;
  if (text !== undefined) {
    await queue.single(() => conversation.take(text));
    return end(conversation, isCancelled());
  }
  try {
    for (;;) {
      const next = await queue.next(idleTimeout(prepared));
      if (next === 'closed') return end(conversation);
      if (next === 'full') await goOn({ earlier: conversation.record() });
      else await next((text, id) => queue.stoppable(() => conversation.take(text, id)));
    }
  } catch (error) {
    if (!isCancellation(error) || !isCancelled()) throw error;
    queue.refuse(sessionCancelled);
    await CancellationScope.nonCancellable(() => condition(allHandlersFinished));
    return end(conversation, true);
  }
}

/** Goes on in a new run. What the workflow has put into the memo would otherwise be lost; search attributes stay. */
function goOn(input: { earlier: SessionRecord }): Promise<never> {
  const { memo } = workflowInfo();
  return makeContinueAsNewFunc<typeof session>(memo && { memo })(input);
}

function end(conversation: Conversation, isCancelled = false): SessionResult {
  const result = conversation.end(isCancelled);
  showEnd(result.outcome, result.usage);
  return result;
}

/** In milliseconds; undefined when the session waits without limit. */
function idleTimeout(prepared: OpenedSession): number | undefined {
  const seconds = (prepared.kind === 'agent' ? prepared.agent : prepared.team).idle_timeout;
  return seconds === undefined ? undefined : seconds * 1000;
}
