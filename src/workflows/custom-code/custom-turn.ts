import { isCancellation } from '@temporalio/workflow';
import { inStore } from '../runtime/own-store.ts';
import type { EarlierMessage } from '../../protocol/orchestration.ts';
import type {
  GenerateOptions,
  HandleText,
  OrchestratorContext,
  OrchestratorMessage,
  OrchestratorReply,
  OrchestratorTool,
  OrchestratorToolCall,
  OrchestratorToolResult,
} from '../../protocol/custom-orchestrator.ts';
import type { BlobRef, TranscriptRef } from '../../protocol/message.ts';
import { callOf, checkedCall, checkedMessages, replyOf, TextRefCache } from './messages.ts';
import { guarded } from './guard.ts';
import { answerOf, checkLength, failure, failureOf, ModelCallError } from './load.ts';
import { historyRoom, newest } from './newest.ts';
import { failureReason, isBudgetSpent } from '../agent/failures.ts';
import { runCall } from '../agent/agent-tools.ts';
import { type Persona, withTemperature } from '../agent/model-caller.ts';
import type { ToolExecutor } from '../agent/tool-executor.ts';
import type { AskingAgent } from '../ask-others/broadcast.ts';
import { TimeLimitError, withinTime } from '../runtime/clock.ts';
import type { RunContext } from '../runtime/run-context.ts';
import type { OrchestratorSettings } from '../../protocol/settings.ts';

/** A node in a tree of conversations. The path to it is what was said so far. */
class Branch<Place> {
  place: Place | undefined;
  readonly next = new Map<string, Branch<Place>>();
}

/** Finds the conversation that some messages continue. A place is what the caller knows a conversation by. */
export class Branches<Message, Place> {
  readonly #root = new Branch<Place>();

  /** Notes the place of the conversation that consists of these messages. */
  set(messages: Message[], place: Place): void {
    let branch = this.#root;
    for (const message of messages) {
      const key = JSON.stringify(message);
      const next = branch.next.get(key) ?? new Branch<Place>();
      branch.next.set(key, next);
      branch = next;
    }
    branch.place = place;
  }

  /** The place and length of the longest known beginning of these messages; undefined and 0 when none is known. */
  find(messages: Message[]): { place: Place | undefined; length: number } {
    let found: { place: Place | undefined; length: number } = { place: undefined, length: 0 };
    let branch: Branch<Place> | undefined = this.#root;
    for (const [index, message] of messages.entries()) {
      branch = branch.next.get(JSON.stringify(message));
      if (branch === undefined) break;
      if (branch.place !== undefined) found = { place: branch.place, length: index + 1 };
    }
    return found;
  }
}

export type CustomSettings = Extract<OrchestratorSettings, { kind: 'custom' }>;

interface CustomWork {
  settings: CustomSettings;
  persona: Persona;
  tools: ToolExecutor | undefined;
  asker: AskingAgent;
  others?: AskingAgent[];
  /** Shows the person a text. */
  say: (text: string) => void;
  /** Oldest first. */
  history: EarlierMessage[];
  /** Such as `turn 3`. */
  when: string;
  /** Time for each of its model calls, in milliseconds. */
  callTimeout: number;
}

/** One turn of a custom orchestrator, whose context turns calls into model calls and tool calls of the run. */
export class CustomTurn {
  readonly #run: RunContext;
  readonly #work: CustomWork;
  readonly #branches = new Branches<OrchestratorMessage, TranscriptRef>();
  readonly #texts = new TextRefCache();
  /** The conversation that a model has replied to last; null before the first reply. */
  transcript: TranscriptRef | null = null;
  /** The last text that it has shown. */
  lastSaid: string | undefined;
  /** The text of the last reply that has one; empty before that. */
  lastWords = '';
  readonly #cutTexts: string[] = [];
  #calls = 0;
  #isOver = false;

  constructor(run: RunContext, work: CustomWork) {
    this.#run = run;
    this.#work = work;
  }

  /**
   * Runs the file's function on one text. Calls that it leaves under way are cancelled, and what they cost is settled with the
   * run's other abandoned calls.
   *
   * @param timeout time for the whole turn, in milliseconds
   * @param grace how much longer the file may take than its calls, in milliseconds
   * @throws `ApplicationFailure` that names the file, of type `OrchestratorFailed`, or `TurnFailed` when a model has failed
   *   for good; `ApplicationFailure` of type `BudgetSpent`; `CancelledFailure`
   */
  async run(handleText: HandleText, text: string, timeout: number, grace = 0): Promise<string> {
    const { persona, settings } = this.#work;
    const { module } = settings;
    const waits = this.#run.requests.waitsOf(persona.id);
    try {
      const returned = await guarded(module, () =>
        withinTime(timeout + grace, waits, async () => handleText(text, this.#context)),
      );
      const answer = answerOf(returned, this.lastSaid, module);
      if (this.isCut(answer)) this.#run.warn('the answer was cut off at its limit of tokens', persona.id);
      return answer;
    } catch (error) {
      if (isCancellation(error) || isBudgetSpent(error)) throw error;
      if (error instanceof TimeLimitError)
        throw failure(module, `handleText was not done within ${timeout / 1000} seconds`);
      throw failureOf(error, module);
    } finally {
      // From here on every function of the context throws.
      this.#isOver = true;
    }
  }

  /** What the user's function is given. It is a copy, so that changing it has no effect on the run. */
  get #context(): OrchestratorContext {
    const { history, settings } = this.#work;
    return {
      llm: { generate: (messages, options) => handled(this.#generate(messages, options)) },
      tools: {
        list: () => handled(this.#list()),
        execute: (call: string | OrchestratorToolCall, input?: Record<string, unknown>) =>
          handled(this.#execute(call, input)),
      },
      history: newest(history, historyRoom).map(({ role, content }) => ({ role, content })),
      respond: (text: unknown) => {
        this.#checkNotOver();
        if (typeof text !== 'string') throw new TypeError('respond takes a text');
        checkLength(text, settings.module);
        this.lastSaid = text;
        this.#work.say(text);
      },
      config: JSON.parse(JSON.stringify(settings.config)) as Record<string, unknown>,
    };
  }

  /** Whether an answer ends with what a model has written up to its limit. */
  isCut(answer: string): boolean {
    const end = answer.trimEnd();
    return this.#cutTexts.some((text) => text !== '' && end.endsWith(text));
  }

  async #generate(messages: unknown, options: GenerateOptions = {}): Promise<OrchestratorReply> {
    this.#checkNotOver();
    const said = checkedMessages(messages);
    const { callTimeout: timeout, persona, when } = this.#work;
    const { temperature, tools = false } = options;
    const { place: transcript = null, length } = this.#branches.find(said);
    const fresh = said.slice(length);
    for (const message of fresh) checkLength(JSON.stringify(message), this.#work.settings.module);
    const append = await this.#texts.newMessages(fresh);
    this.#checkNotOver();
    const { reply, transcript: place } = await this.#run.models
      .start(
        withTemperature(persona, temperature),
        { what: 'reply', when, timeout },
        { transcript, append, tools: tools ? this.#toolSet : null },
      )
      .result.catch((error: unknown) => {
        throw new ModelCallError(failureReason(error));
      });
    const message = replyOf(reply);
    this.#branches.set([...said, ...checkedMessages([message])], place);
    this.#texts.addReply(reply.content, place);
    this.transcript = place;
    if (reply.finish === 'length') this.#cutTexts.push(reply.content.trimEnd());
    if (reply.content.trim() !== '') this.lastWords = reply.content;
    return message;
  }

  async #list(): Promise<OrchestratorTool[]> {
    this.#checkNotOver();
    return this.#toolSet === null ? [] : inStore.readTools(this.#toolSet.blob);
  }

  async #execute(
    call: string | OrchestratorToolCall,
    input: Record<string, unknown> = {},
  ): Promise<OrchestratorToolResult> {
    this.#checkNotOver();
    const wanted = typeof call === 'string' ? { id: `own-${++this.#calls}`, name: call, arguments: input } : call;
    const checked = callOf(checkedCall(wanted, 'tools.execute'));
    const { asker, others, persona, settings, tools, when } = this.#work;
    checkLength(JSON.stringify(checked), settings.module);
    if (tools === undefined) throw new TypeError(`${persona.id} has no tools`);
    const answer = await runCall({ tools, broadcast: this.#run.broadcast, asker, others, when }, checked);
    const { status, text } = answer;
    if (typeof call !== 'string') this.#texts.addResult(call.id, answer);
    return { status, text };
  }

  get #toolSet(): BlobRef | null {
    return this.#work.tools?.set ?? null;
  }

  #checkNotOver(): void {
    if (this.#isOver) throw new Error('The turn is over: handleText has returned, or its time was up');
  }
}

/** User code need not await a promise. Without a handler its rejection would fail the whole workflow task. */
function handled<T>(work: Promise<T>): Promise<T> {
  work.catch(() => {});
  return work;
}
