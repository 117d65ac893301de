import {
  allHandlersFinished,
  ApplicationFailure,
  condition,
  continueAsNew,
  defineSignal,
  defineUpdate,
  proxyLocalActivities,
  setHandler,
  upsertSearchAttributes,
  workflowInfo,
} from '@temporalio/workflow';
import type { Activities } from '../../activities/activities.ts';
import type { TranscriptRef } from '../../protocol/message.ts';
import type { PreparedSession, SessionInput, SessionResult, TurnResult } from '../../protocol/session.ts';
import { AgentPartner, type AgentSaid } from './agent-turns.ts';
import { outcomeAttribute } from '../runtime/attributes.ts';
import { Conversation, type Partner, type SessionRecord } from './conversation.ts';
import { CustomPartner } from './custom-turns.ts';
import { nothingYet, Surface } from '../runtime/run-handlers.ts';
import { TeamPartner } from './team-turns.ts';

const { prepareSession, putMessages } = proxyLocalActivities<Activities>({
  startToCloseTimeout: '30 seconds',
  retry: { maximumAttempts: 5 },
});

/** Update `handleText`: the person's next words. Turns are taken one at a time, in the order in which they came. */
export const handleTextUpdate = defineUpdate<TurnResult, [string]>('handleText');

/** Signal `close`: the session ends when the turns that have come are done. */
export const closeSignal = defineSignal('close');

interface Waiting {
  text: string;
  resolve(result: TurnResult): void;
  reject(error: unknown): void;
}

/**
 * A conversation with a team or with one agent, turn by turn: what was said and what the person has answered goes from turn to turn,
 * also when the history grows long and the session goes on in a new run.
 *
 * @throws `ApplicationFailure`: `InvalidInput` before anything is spent; with `text`, what its one turn throws
 */
export async function session(input: SessionInput & { earlier?: SessionRecord }): Promise<SessionResult> {
  const { earlier } = input;
  const surface = new Surface({ ...nothingYet, phase: 'idle' }, earlier?.events);
  const queue: Waiting[] = [];
  let closed = false;
  setHandler(
    handleTextUpdate,
    (text) => new Promise((resolve, reject) => queue.push({ text, resolve, reject })),
    { validator: checkText },
  );
  setHandler(closeSignal, () => {
    closed = true;
  });

  const prepared = earlier?.prepared ?? (await prepareSession(input));
  const conversation = await open(prepared, surface, earlier);
  if (prepared.text !== undefined) {
    await conversation.take(prepared.text);
    return finish(conversation);
  }
  const idle = idleTimeout(prepared);
  for (;;) {
    const isWanted = (): boolean => queue.length > 0 || closed || workflowInfo().continueAsNewSuggested;
    if (idle === undefined) await condition(isWanted);
    else if (!(await condition(isWanted, idle))) closed = true;
    const next = queue.shift();
    if (next !== undefined) await answer(conversation, next);
    else if (closed) return finish(conversation);
    else {
      await condition(allHandlersFinished);
      if (queue.length === 0 && !closed)
        await continueAsNew<typeof session>({ earlier: conversation.record(prepared) });
    }
  }
}

async function open(
  prepared: PreparedSession,
  surface: Surface,
  earlier: SessionRecord | undefined,
): Promise<Conversation> {
  if (earlier === undefined)
    for (const text of prepared.notices) surface.events.emit({ type: 'notice', text });
  const before =
    earlier === undefined && prepared.history.length > 0 ? await putMessages(null, prepared.history) : null;
  const partner = await partnerOf(prepared, before, surface, earlier);
  return new Conversation(partner, earlier?.last);
}

/** @param before what was said before the session */
async function partnerOf(
  prepared: PreparedSession,
  before: TranscriptRef | null,
  surface: Surface,
  earlier: SessionRecord | undefined,
): Promise<Partner<unknown>> {
  const said = earlier?.said;
  if (prepared.kind !== 'agent')
    return TeamPartner.open(prepared, (said as TranscriptRef | null | undefined) ?? before, surface, earlier);
  const { orchestrator } = prepared.agent;
  if (orchestrator.kind === 'custom') {
    const heard = (said as TranscriptRef | null | undefined) ?? before;
    return CustomPartner.open(prepared, orchestrator, heard, surface, earlier);
  }
  const heard = (said as AgentSaid | undefined) ?? { transcript: before, append: [] };
  return AgentPartner.open(prepared, heard, surface, earlier);
}

function finish(conversation: Conversation): SessionResult {
  const result = conversation.end();
  upsertSearchAttributes([{ key: outcomeAttribute, value: result.outcome }]);
  return result;
}

/** In milliseconds; undefined: a session waits for ever. */
function idleTimeout(prepared: PreparedSession): number | undefined {
  const seconds = (prepared.kind === 'agent' ? prepared.agent : prepared.team).idle_timeout;
  return seconds === undefined ? undefined : seconds * 1000;
}

function checkText(text: unknown): void {
  if (typeof text !== 'string' || text.trim() === '')
    throw ApplicationFailure.nonRetryable('handleText takes a text that is not empty', 'InvalidInput');
}

/** A turn that fails is told to the one who waits for it, and the conversation goes on without it. */
async function answer(conversation: Conversation, waiting: Waiting): Promise<void> {
  try {
    waiting.resolve(await conversation.take(waiting.text));
  } catch (error) {
    if (!(error instanceof ApplicationFailure)) throw error;
    waiting.reject(error);
  }
}
