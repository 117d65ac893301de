import { CancellationScope, CancelledFailure, isCancellation } from '@temporalio/workflow';
import type { BroadcastResult } from '../../protocol/questions.ts';
import type { RunEventBody } from '../../protocol/events.ts';
import type { AskEnd } from './human-input-queue.ts';
import {
  askRefusalText,
  historyNote,
  shadowNotice,
  shadowQuestion,
  shadowText,
  type AskingMode,
  type AskRefusal,
  type ResponseDepth,
} from './prompts.ts';
import type { Agent } from '../agent/agent.ts';
import type { AskCall } from './ask-call.ts';
import { callFailure } from '../agent/failures.ts';
import type { HumanInput } from './human-input.ts';
import type { ModelCaller, Purpose } from '../agent/model-caller.ts';
import { storeTexts, textRef } from '../agent/text-refs.ts';
import type { Content, Text } from '../../protocol/message.ts';
import { systemMessage } from '../agent/prompts.ts';

/** Somebody who asks or is asked. */
export interface Asker {
  /** Configured id. */
  id: string;
  agent: Agent;
  /** Names its conversation: what it has been shown of the person's answers is known for as long as that lasts. */
  conversation: string;
  /** Its questions that are under way. */
  asking: number;
}

interface BroadcastSettings {
  mode: AskingMode;
  /** Milliseconds that a question waits for its responses. */
  timeout: number;
  /** Questions that one agent may have under way at once. */
  limit: number;
  depth: ResponseDepth;
}

/** What of its run a broadcast needs. */
interface BroadcastContext {
  models: ModelCaller;
  humanInput: HumanInput;
  emit: (event: RunEventBody) => void;
}

/** It is the channel that ends a question: its shadows' own time is longer, in milliseconds. */
const shadowGrace = 10_000;

type Result = Omit<BroadcastResult, 'request_id'>;

/** The channel on which agents ask one another, or the person (MassGen's documentation "Agent Communication"). */
export class Broadcast {
  readonly settings: BroadcastSettings;
  readonly #run: BroadcastContext;
  #requests: number;

  /** @param requests how many were made in earlier runs of the same session: ids are never used twice */
  constructor(settings: BroadcastSettings, run: BroadcastContext, requests = 0) {
    this.settings = settings;
    this.#run = run;
    this.#requests = requests;
  }

  get requests(): number {
    return this.#requests;
  }

  /**
   * Carries out the `ask_others` calls of one reply side by side, and answers them.
   *
   * @returns whether any of them reached somebody
   */
  async answerCalls(asker: Asker, calls: AskCall[], others: Asker[], when: string): Promise<boolean> {
    const results = await Promise.all(calls.map((call) => this.ask(asker, call, others, when)));
    const texts = await storeTexts(results.map((result) => JSON.stringify(result)));
    calls.forEach(({ callId }, index) => asker.agent.answerCall(callId, texts[index] ?? ''));
    return results.some(({ status }) => status !== 'error');
  }

  /** Carries out one call. */
  async ask(asker: Asker, call: AskCall, others: Asker[], when: string): Promise<BroadcastResult> {
    const requestId = `q${++this.#requests}`;
    const refusal = this.#refusal(asker, call, others);
    if (refusal !== undefined || 'error' in call) {
      const error = askRefusalText(refusal ?? { kind: 'nobody' });
      return { status: 'error', request_id: requestId, responses: [], error };
    }
    const { question } = call;
    const of = this.settings.mode === 'human' ? ['human'] : others.map(({ id }) => id);
    this.#run.emit({ type: 'asked', agent: asker.id, requestId, question, of });
    asker.asking += 1;
    try {
      const result =
        this.settings.mode === 'human'
          ? await this.#askPerson(asker, requestId, question)
          : await this.#askAgents(asker, requestId, call, others, when);
      const silent = result.no_response ?? [];
      this.#run.emit({ type: 'ask_ended', agent: asker.id, requestId, status: result.status, silent });
      const { status, ...rest } = result;
      return { status, request_id: requestId, ...rest };
    } finally {
      asker.asking -= 1;
    }
  }

  #refusal({ asking }: Asker, call: AskCall, others: Asker[]): AskRefusal | undefined {
    if ('error' in call) return { kind: 'invalid', error: call.error };
    if (call.question.trim() === '') return { kind: 'empty' };
    if (asking >= this.settings.limit) return { kind: 'too_many', limit: this.settings.limit };
    if (this.settings.mode === 'agents' && others.length === 0) return { kind: 'nobody' };
    return undefined;
  }

  async #askPerson(asker: Asker, id: string, question: string): Promise<Result> {
    const { conversation } = asker;
    return personResult(await this.#run.humanInput.ask({ id, conversation, from: asker.id, question }));
  }

  async #askAgents(
    asker: Asker,
    requestId: string,
    call: Extract<AskCall, { question: string }>,
    others: Asker[],
    when: string,
  ): Promise<Result> {
    const { question, callId } = call;
    const segment = asker.agent.transcript?.id ?? '';
    const asked = call.text ?? textRef(question, { segment, call: { id: callId, argument: 'question' } });
    const { depth, timeout } = this.settings;
    const responses: Array<BroadcastResult['responses'][number] | undefined> = others.map(() => undefined);
    const reasons: string[] = [];
    const ask = async (other: Asker, index: number): Promise<void> => {
      try {
        const prompt = shadowQuestion(asker.id, asked, depth);
        const response = await askShadow(this.#run.models, other.agent, prompt, {
          when,
          timeout: timeout + shadowGrace,
        });
        responses[index] = { responder_id: other.id, content: response.content, is_human: false };
        // Its conversation may go on, or begin a new round, meanwhile: it finds this with its next call.
        other.agent.tell({ role: 'user', content: shadowNotice(asker.id, asked, response.text) });
        const { content } = response;
        this.#run.emit({ type: 'responded', agent: other.id, requestId, asker: asker.id, content });
      } catch (error) {
        if (isCancellation(error)) return;
        reasons.push(`${other.id}: ${callFailure(error).reason}`);
      }
    };
    const scope = CancellationScope.current();
    await CancellationScope.withTimeout(timeout, () => Promise.all(others.map(ask)));
    if (scope.consideredCancelled) throw new CancelledFailure('The question was withdrawn');
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

function personResult(end: AskEnd): Result {
  switch (end.status) {
    case 'complete':
      return {
        status: 'complete',
        responses: [{ responder_id: 'human', content: end.answer, is_human: true }],
      };
    case 'deferred':
      return {
        status: 'deferred',
        responses: [],
        human_qa_history: end.history,
        human_qa_note: historyNote,
      };
    case 'timeout':
    case 'skipped':
      return { status: end.status, responses: [], no_response: ['human'] };
  }
}

/** What a shadow said. */
interface ShadowResponse {
  content: string;
  /** The same, by reference where it is long. */
  text: Text;
}

/**
 * Lets an agent's shadow answer a question while the agent goes on: a fork of its conversation, its persona and its
 * backend, no tools (MassGen's documentation "Agent Communication", Shadow Agent Architecture).
 *
 * @throws what a model call throws
 */
async function askShadow(
  models: ModelCaller,
  { fork, persona }: Agent,
  question: Content,
  purpose: Omit<Purpose, 'what'>,
): Promise<ShadowResponse> {
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
