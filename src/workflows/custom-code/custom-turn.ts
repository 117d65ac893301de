import { isCancellation } from '@temporalio/workflow';
import type { EarlierMessage } from '../../protocol/orchestration.ts';
import type {
  GenerateOptions,
  OrchestratorContext,
  OrchestratorMessage,
  OrchestratorReply,
  OrchestratorTool,
  OrchestratorToolCall,
  OrchestratorToolResult,
} from '../../protocol/custom-orchestrator.ts';
import type { TranscriptRef } from '../../protocol/message.ts';
import type { ReplyCall } from '../../protocol/model-call.ts';
import { Branches } from './branches.ts';
import { callOf, checkedCall, checkedMessages, replyOf, TextRefCache } from './messages.ts';
import { historyRoom, newest } from './newest.ts';
import { callFailure, isBudgetSpent } from '../agent/failures.ts';
import { withTemperature, type ModelCaller, type Persona } from '../agent/model-caller.ts';
import type { ToolAnswer } from '../agent/tool-executor.ts';

/** A model call that has failed for good, as an orchestrator may catch it. */
export class ModelCallError extends Error {
  override name = 'ModelCallError';
}

/** What a custom orchestrator's turn works with. */
export interface CustomWork {
  persona: Persona;
  models: ModelCaller;
  /** Blob id of the tools that its model may be offered; null: none. */
  tools: string | null;
  listTools: () => Promise<OrchestratorTool[]>;
  /** Runs one call of any of these tools. */
  run: (call: ReplyCall) => Promise<ToolAnswer>;
  /** Tells the person a text. */
  say: (text: string) => void;
  history: EarlierMessage[];
  config: Record<string, unknown>;
  /** `turn 3`. */
  when: string;
  /** Milliseconds that each model call has. */
  timeout: number;
}

/** One turn of a custom orchestrator: what it asks of its context becomes model calls and tool calls of the run. */
export class CustomTurn {
  readonly #work: CustomWork;
  readonly #branches = new Branches<OrchestratorMessage, TranscriptRef>();
  readonly #texts = new TextRefCache();
  #transcript: TranscriptRef | null = null;
  #lastSaid: string | undefined;
  #lastWords = '';
  #calls = 0;
  #isOver = false;

  constructor(work: CustomWork) {
    this.#work = work;
  }

  /** The conversation that a model has replied to last; null before the first reply. */
  get transcript(): TranscriptRef | null {
    return this.#transcript;
  }

  /** What it has shown last; undefined before that. */
  get lastSaid(): string | undefined {
    return this.#lastSaid;
  }

  /** What a model said last that has any text; empty before that. */
  get lastWords(): string {
    return this.#lastWords;
  }

  /** What the user's function is given; all that it can change is its own. */
  get context(): OrchestratorContext {
    const { history, config } = this.#work;
    return {
      llm: { generate: (messages, options) => minded(this.#generate(messages, options)) },
      tools: {
        list: () => minded(this.#list()),
        execute: (call: string | OrchestratorToolCall, input?: Record<string, unknown>) =>
          minded(this.#execute(call, input)),
      },
      history: newest(history, historyRoom).map(({ role, content }) => ({ role, content })),
      respond: (text) => this.respond(text),
      config: JSON.parse(JSON.stringify(config)) as Record<string, unknown>,
    };
  }

  /** @throws `TypeError` where it is no text */
  respond(text: unknown): void {
    this.#checkNotOver();
    if (typeof text !== 'string') throw new TypeError('respond takes a text');
    this.#lastSaid = text;
    this.#work.say(text);
  }

  /** From here on the context does nothing any more: what the function has left running comes to nothing. */
  end(): void {
    this.#isOver = true;
  }

  async #generate(messages: unknown, options: GenerateOptions = {}): Promise<OrchestratorReply> {
    this.#checkNotOver();
    const said = checkedMessages(messages);
    const { persona, models, when, timeout } = this.#work;
    const { temperature, tools = false } = options;
    const { place: transcript = null, length } = this.#branches.find(said);
    const append = await this.#texts.newMessages(said.slice(length));
    this.#checkNotOver();
    const { reply, transcript: place } = await models
      .start(
        withTemperature(persona, temperature),
        { what: 'reply', when, timeout },
        { transcript, append, tools: tools ? this.#work.tools : null },
      )
      .result.catch((error: unknown) => {
        if (isCancellation(error) || isBudgetSpent(error)) throw error;
        throw new ModelCallError(callFailure(error).reason);
      });
    const message = replyOf(reply);
    this.#branches.set([...said, ...checkedMessages([message])], place);
    this.#texts.addReply(reply.content, place);
    this.#transcript = place;
    if (reply.content.trim() !== '') this.#lastWords = reply.content;
    return message;
  }

  async #list(): Promise<OrchestratorTool[]> {
    this.#checkNotOver();
    return this.#work.tools === null ? [] : this.#work.listTools();
  }

  async #execute(
    call: string | OrchestratorToolCall,
    input: Record<string, unknown> = {},
  ): Promise<OrchestratorToolResult> {
    this.#checkNotOver();
    const wanted = typeof call === 'string' ? { id: `own-${++this.#calls}`, name: call, arguments: input } : call;
    const { status, text, content } = await this.#work.run(callOf(checkedCall(wanted, 'tools.execute')));
    if (typeof call !== 'string') this.#texts.addResult(call.id, { text, content });
    return { status, text };
  }

  #checkNotOver(): void {
    if (this.#isOver) throw new Error('The turn is over: handleText has returned, or its time was up');
  }
}

/** Work that nobody waits for at the moment when it fails would otherwise end the whole task. */
function minded<T>(work: Promise<T>): Promise<T> {
  work.catch(() => {});
  return work;
}
