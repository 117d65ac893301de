import { ApplicationFailure, CancellationScope } from '@temporalio/workflow';
import type { AttachmentInput } from '../../protocol/attachment.ts';
import type { TranscriptRef } from '../../protocol/message.ts';
import type { SessionResult, TurnResult } from '../../protocol/session.ts';
import type { OpenedSession } from '../../protocol/stored.ts';
import type { RunFiles } from '../../protocol/workspace.ts';
import { attachmentMessages, openAttachments } from '../agent/attachments.ts';
import { preview } from '../orchestration/context.ts';
import { truncateToPayload } from '../runtime/size.ts';
import { belongTo, inStore } from '../runtime/own-store.ts';
import { cancelledText } from '../runtime/iterate.ts';
import { recordOf, warningsOf } from '../runtime/run-context.ts';
import { settleCalls, showQuestion, tellIfFailed } from '../runtime/run-ends.ts';
import type { RunHandlers } from '../runtime/run-handlers.ts';
import { openAgentTurns, type AgentSaid } from './agent-turns.ts';
import { openCustomTurns } from './custom-turns.ts';
import { openTeamTurns } from './team-turns.ts';
import { type SessionRecord, type TurnHandler } from './turn-handler.ts';

/** Opens a session's conversation, or continues the one of an earlier run. */
export async function openConversation(
  prepared: OpenedSession,
  given: AttachmentInput[] | undefined,
  handlers: RunHandlers,
  earlier: SessionRecord | undefined,
): Promise<Conversation> {
  if (earlier !== undefined)
    return new Conversation(await handlerOf(prepared, null, handlers, earlier), prepared, earlier.last);
  for (const text of prepared.notices) handlers.events.emit({ type: 'notice', text });
  belongTo(prepared.store);
  const agents = prepared.kind === 'team' ? prepared.team.agents : [prepared.agent];
  const attachments = attachmentMessages(await openAttachments(given, agents, prepared, handlers.events));
  const { before } = prepared.stored;
  const shown = attachments.length === 0 ? before : await inStore.putMessages(before, attachments);
  return new Conversation(await handlerOf(prepared, shown, handlers, undefined), prepared);
}

/** @param before what was said before the session; ignored when there is an earlier run */
async function handlerOf(
  prepared: OpenedSession,
  before: TranscriptRef | null,
  handlers: RunHandlers,
  earlier: SessionRecord | undefined,
): Promise<TurnHandler> {
  const said = earlier === undefined ? before : (earlier.said as TranscriptRef | null);
  if (prepared.kind === 'team') return openTeamTurns(prepared, said, handlers, earlier);
  const { orchestrator } = prepared.agent;
  if (orchestrator.kind === 'custom') return openCustomTurns(prepared, orchestrator, said, handlers, earlier);
  const own = earlier === undefined ? { transcript: before, append: [] } : (earlier.said as AgentSaid);
  return openAgentTurns(prepared, orchestrator, own, handlers, earlier);
}

/** A session's files after a turn that has nothing to do with them. */
const unchanged = (files: RunFiles | undefined): RunFiles | undefined =>
  files && { ...files, count: 0, added: [], changed: [], removed: [] };

/** The most bytes that a session hands over, just under what the server takes: answers of a person are not to be cut. */
const recordBytes = 1_900_000;

export class Conversation {
  readonly #handler: TurnHandler;
  readonly #prepared: OpenedSession;
  #last: SessionRecord['last'];

  /** @param last what an earlier run of the session has come to */
  constructor(handler: TurnHandler, prepared: OpenedSession, last?: SessionRecord['last']) {
    this.#handler = handler;
    this.#prepared = prepared;
    this.#last = last ?? { answer: '', messages: [], outcome: 'answered', warnings: [], turns: 0 };
    if (last !== undefined) handler.run.events.recall(last.answer);
  }

  /**
   * Takes a turn. Whoever has missed the end of the last one sends it again, perhaps to a run that knows nothing of the update:
   * then its result is given once more.
   *
   * @param id of the update that brings it
   */
  async take(text: string, id?: string): Promise<TurnResult> {
    if (id !== undefined && id === this.#last.id) return this.#turn;
    const turn = this.#last.turns + 1;
    this.#last = { ...this.#last, id: undefined, turns: turn };
    const { run } = this.#handler;
    const { events, keys, requests } = run;
    if (turn === 1) showQuestion(text, this.#prepared);
    requests.personIsThere();
    keys.forgetSkipped();
    run.warnings.splice(0);
    run.notes.splice(this.#prepared.warnings.length);
    events.begin(0);
    events.emit({ type: 'turn', turn, text: preview(text), ...(id !== undefined && { id }) });
    const taken = await tellIfFailed(run, this.#handler.take(text, turn)).catch(async (error: unknown) => {
      if (error instanceof ApplicationFailure) {
        const why = preview(error.message);
        events.emit({ type: 'turn_failed', turn, why });
        this.#last = { ...this.#last, warnings: [...warningsOf(run), `Turn ${turn} failed: ${why}`] };
        await CancellationScope.nonCancellable(() => settleCalls(run));
      }
      throw error;
    });
    const { answer, messages: said, outcome, workspace = unchanged(this.#last.workspace) } = taken;
    const files = workspace && { workspace };
    const messages = outcome === 'cancelled' ? [...said, `(${cancelledText('session')}.)`] : said;
    const warnings = warningsOf(run);
    this.#last = { id, answer, messages, outcome, warnings, turns: turn, ...files };
    return this.#turn;
  }

  get #turn(): TurnResult {
    const { id: _, outcome: __, turns: turn, ...result } = this.#last;
    return truncateToPayload({ ...result, turn });
  }

  /** The session's result. @param isCancelled whether it ends because somebody has cancelled it */
  end(isCancelled: boolean): SessionResult {
    const { events, questions, usage } = this.#handler.run;
    const { history: humanQa } = questions.record;
    const { id: _, ...last } = this.#last;
    return truncateToPayload({
      workflow: 'session',
      ...last,
      ...(isCancelled && { outcome: 'cancelled' as const }),
      humanQa,
      usage: usage.total,
      events: events.count,
    });
  }

  record(): SessionRecord {
    const handler = this.#handler;
    const [said, files] = [handler.said(), handler.files()];
    const record = { run: recordOf(handler.run), said, files, last: this.#last, prepared: this.#prepared };
    return truncateToPayload(record, recordBytes);
  }
}
