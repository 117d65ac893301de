import { CancellationScope, CancelledFailure, isCancellation } from '@temporalio/workflow';
import type { BroadcastResult } from '../../protocol/questions.ts';
import {
  historyNote,
  shadowNotice,
  shadowQuestion,
  shadowText,
  silentNote,
  type AskingMode,
  type ResponseDepth,
} from './prompts.ts';
import type { Agent } from '../agent/agent.ts';
import type { ModelCaller, Purpose } from '../agent/model-caller.ts';
import { askRefusal, type AskCall } from './ask-call.ts';
import { callFailure } from '../agent/failures.ts';
import type { PendingRequests } from '../people/pending-requests.ts';
import { plain, type AskEnd, type Questions } from '../people/questions.ts';
import { startClock } from '../runtime/clock.ts';
import { storeTexts, textRef } from '../agent/text-refs.ts';
import type { Content, Text } from '../../protocol/message.ts';
import type { EventLog } from '../runtime/event-log.ts';
import { systemMessage } from '../agent/prompts.ts';

export interface AskingAgent {
  id: string;
  agent: Agent;
  /** Names its conversation. Which of the person's answers it has been shown is remembered by this name. */
  conversation: string;
  /** The number of its questions under way. */
  asking: number;
  /** All that it has called for, refused questions included. */
  asked?: string[];
}

interface BroadcastSettings {
  mode: AskingMode;
  /** For each question, in milliseconds. */
  timeout: number;
  /** How many questions one agent may have under way at once. */
  limit: number;
  depth: ResponseDepth;
}

interface BroadcastContext {
  events: EventLog;
  models: ModelCaller;
  questions: Questions;
  requests: PendingRequests;
}

type Result = Omit<BroadcastResult, 'request_id'>;

/** The channel on which agents ask one another or the person (MassGen's documentation "Agent Communication"). */
export class Broadcast {
  readonly settings: BroadcastSettings;
  /** How many questions the session has asked, earlier runs included, since ids are never used twice. */
  requests: number;
  readonly #run: BroadcastContext;

  constructor(settings: BroadcastSettings, run: BroadcastContext, requests = 0) {
    this.settings = settings;
    this.#run = run;
    this.requests = requests;
  }

  /**
   * Carries out the `ask_others` calls of one reply side by side, and answers them. @returns whether any of them has
   * brought anything, be it the person's earlier answers or that there is no response
   */
  async answerCalls(asker: AskingAgent, calls: AskCall[], others: AskingAgent[], when: string): Promise<boolean> {
    const results = await Promise.all(calls.map((call) => this.ask(asker, call, others, when)));
    const texts = await storeTexts(results.map((result) => JSON.stringify(result)));
    calls.forEach(({ callId }, index) => asker.agent.answerCall(callId, texts[index] ?? ''));
    return results.some(({ note, status }) => status !== 'error' && note === undefined);
  }

  async ask(asker: AskingAgent, call: AskCall, others: AskingAgent[], when: string): Promise<BroadcastResult> {
    const requestId = `q${++this.requests}`;
    const asked = asker.asked ?? [];
    asker.asked = [...asked, 'error' in call ? '' : plain(call.question)];
    if ('error' in call) return refused(requestId, call.error);
    const { asking } = asker;
    const refusal = askRefusal({ asking, asked, others: others.length }, call.question, this.settings);
    if (refusal !== undefined) return refused(requestId, refusal);
    const { events, questions } = this.#run;
    const { id: from, conversation } = asker;
    const { question } = call;
    const isForPerson = this.settings.mode === 'human';
    const of = isForPerson ? ['human'] : others.map(({ id }) => id);
    events.emit({ type: 'asked', agent: from, requestId, question, of });
    asker.asking += 1;
    try {
      const { status, ...rest } = isForPerson
        ? personResult(await questions.ask({ id: requestId, conversation, from, question }))
        : await this.#askAgents(asker, requestId, call, others, when);
      events.emit({ type: 'ask_ended', agent: from, requestId, status, silent: rest.no_response ?? [] });
      return { status, request_id: requestId, ...rest };
    } finally {
      asker.asking -= 1;
    }
  }

  /** Puts to the person what a tool needs: the agent's limits do not count, and no earlier answer will do. */
  askPerson(from: string, question: string): Promise<AskEnd> {
    return this.#run.questions.ask({ id: `q${++this.requests}`, conversation: from, from, question, isForm: true });
  }

  async #askAgents(
    asker: AskingAgent,
    requestId: string,
    call: Extract<AskCall, { question: string }>,
    others: AskingAgent[],
    when: string,
  ): Promise<Result> {
    const { question, callId } = call;
    const segment = asker.agent.transcript?.id ?? '';
    const asked = call.text ?? textRef(question, { segment, call: { id: callId, argument: 'question' } });
    const { depth, timeout } = this.settings;
    const responses: Array<BroadcastResult['responses'][number] | undefined> = others.map(() => undefined);
    const reasons: string[] = [];
    const ask = async (other: AskingAgent, index: number): Promise<void> => {
      try {
        const prompt = shadowQuestion(asker.id, asked, depth);
        // The question is to time out before its shadows' calls.
        const purpose = { when, timeout: timeout + 10_000 };
        const { content, text } = await askShadow(this.#run.models, other.agent, prompt, purpose);
        if (content.trim() === '') return void reasons.push(`${other.id}: its model gave no text`);
        responses[index] = { responder_id: other.id, content, is_human: false };
        // The agent may be in the middle of a call. It is told with its next one.
        other.agent.tell({ role: 'user', content: shadowNotice(asker.id, asked, text) });
        this.#run.events.emit({ type: 'responded', agent: other.id, requestId, asker: asker.id, content });
      } catch (error) {
        if (isCancellation(error)) return;
        reasons.push(`${other.id}: ${callFailure(error).reason}`);
      }
    };
    const asking = new CancellationScope();
    const stopClock = startClock(timeout, this.#run.requests.waits, () => asking.cancel(), `question ${requestId}`);
    await asking.run(() => Promise.all(others.map(ask)));
    stopClock();
    if (CancellationScope.current().consideredCancelled) throw new CancelledFailure('The question was withdrawn');
    const given = responses.filter((response) => response !== undefined);
    const silent = others.filter((_, index) => responses[index] === undefined).map(({ id }) => id);
    return {
      status: silent.length > reasons.length ? 'timeout' : given.length > 0 ? 'complete' : 'error',
      responses: given,
      ...(silent.length > 0 && { no_response: silent }),
      ...(reasons.length > 0 && { error: reasons.join('; ') }),
    };
  }
}

const refused = (requestId: string, error: string): BroadcastResult => ({
  status: 'error',
  request_id: requestId,
  responses: [],
  error,
});

function personResult(end: AskEnd): Result {
  const { status } = end;
  if (status === 'complete')
    return { status, responses: [{ responder_id: 'human', content: end.answer, is_human: true }] };
  if (status === 'deferred')
    return { status, responses: [], human_qa_history: end.history, human_qa_note: historyNote };
  const note = status === 'timeout' && end.silent && { note: silentNote };
  return { status, responses: [], no_response: ['human'], ...note };
}

/**
 * Lets an agent's shadow answer a question while the agent goes on, by a fork of its conversation and without tools
 * (MassGen's documentation "Agent Communication", Shadow Agent Architecture). @returns `text`: by reference if it is long
 */
async function askShadow(
  models: ModelCaller,
  { fork, persona }: Agent,
  question: Content,
  purpose: Omit<Purpose, 'what'>,
): Promise<{ content: string; text: Text }> {
  const { transcript, append, writing } = fork;
  const call = models.start(
    persona,
    { what: 'shadow', ...purpose },
    {
      system: systemMessage(persona.text, shadowText),
      transcript,
      append: [...append, { role: 'user', content: question }],
      tools: null,
      shadow: writing === undefined ? {} : { writing },
    },
  );
  const { reply, transcript: forked } = await call.result;
  return { content: reply.content, text: textRef(reply.content, { segment: forked.id }) };
}
