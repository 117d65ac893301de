import { ActivityCancellationType, isCancellation, proxyActivities } from '@temporalio/workflow';
import type {
  BlobRef,
  Content,
  ImageRef,
  NewMessage,
  Text,
  ToolMessage,
  TranscriptRef,
} from '../../protocol/message.ts';
import type { CallModelInput, CallModelResult, Reply, ToolChoice } from '../../protocol/model-call.ts';
import type { Activities } from '../../activities/activities.ts';
import type { RunEventBody } from '../../protocol/events.ts';
import { budgetSpent, callFailure } from './failures.ts';
import { withPreviews } from './previews.ts';
import { callerOf, spent } from '../runtime/tracing.ts';
import type { MissingKeys } from '../runtime/missing-keys.ts';
import type { UsageTracker } from './usage-tracker.ts';
import type { Backend } from '../../config/backend.ts';
import type { AgentWorkspace } from './workspace.ts';

/** The beginning of a conversation. */
export interface Opening {
  system: Content | undefined;
  /** What was said before, in the store; null for nothing. */
  transcript: TranscriptRef | null;
  messages: NewMessage[];
  /**
   * The tools, null for none. They stay the same for the whole conversation, since what a provider has cached,
   * and a model's signed thoughts, hold only for what has come before them, tools included.
   */
  tools: BlobRef | null;
  /** What an agent of its own, such as Claude Code, works on; absent: it only replies. */
  workplace?: Workplace | undefined;
}

/** The files of an agent that does more in a call than one request. */
export interface Workplace {
  files: AgentWorkspace;
  /** Whether it may only read them. */
  readsOnly: boolean;
}

/** How a reply is asked for. */
export interface ReplyOptions {
  /** Whether it may call the conversation's tools; `auto` if absent. */
  choice?: ToolChoice;
  /** Takes the place of the backend's own temperature. */
  temperature?: number | undefined;
}

/** A conversation at one moment, from which another one may start. */
export interface Fork {
  transcript: TranscriptRef | null;
  /** The messages since, which no model has got yet. */
  append: NewMessage[];
  /** Activity id of the model call under way. */
  writing: string | undefined;
}

/** An agent in one conversation: what has been said is in the store; new messages go with the next model call. */
export class Agent {
  readonly persona: Persona;
  readonly #models: ModelCaller;
  readonly #system: Content | undefined;
  readonly #tools: BlobRef | null;
  readonly #workplace: Workplace | undefined;
  #transcript: TranscriptRef | null;
  #results: Array<ToolMessage<Content>> = [];
  #told: NewMessage[];
  #writing: string | undefined;
  #lastWords = '';

  constructor(persona: Persona, models: ModelCaller, { system, tools, transcript, messages, workplace }: Opening) {
    this.persona = persona;
    this.#models = models;
    this.#system = system;
    this.#tools = tools;
    this.#workplace = workplace;
    this.#transcript = transcript;
    this.#told = messages;
  }

  /** The conversation as far as a model has replied to it; null before the first reply. */
  get transcript(): TranscriptRef | null {
    return this.#transcript;
  }

  /** The text of its last reply that has one; empty before that. */
  get lastWords(): string {
    return this.#lastWords;
  }

  get fork(): Fork {
    return { transcript: this.#transcript, append: this.#pending, writing: this.#writing };
  }

  /** Adds messages for the next model call. It may be used while a call is under way. */
  tell(...messages: NewMessage[]): void {
    this.#told = [...this.#told, ...messages];
  }

  /** Answers a tool call of the last reply. @param images what its tool shows besides; absent for none */
  answerCall(callId: string, content: Content, images?: ImageRef[]): void {
    this.#results = [...this.#results, { role: 'tool', callId, content, ...(images !== undefined && { images }) }];
  }

  /**
   * Asks the model for its next message. A call that fails or is cancelled leaves the conversation as it was, with its
   * new messages kept for the next call, so that a provider's prompt cache still fits.
   *
   * @throws what the model call throws
   */
  async reply(purpose: Purpose, { choice, temperature }: ReplyOptions = {}): Promise<Reply> {
    const told = this.#told.length;
    try {
      const ask = (work?: CallModelInput['work']): Promise<CallModelResult> => {
        const call = this.#models.start(withTemperature(this.persona, temperature), purpose, {
          ...(this.#system !== undefined && { system: this.#system }),
          transcript: this.#transcript,
          append: this.#pending,
          tools: this.#tools,
          ...(choice !== undefined && { toolChoice: choice }),
          ...(work !== undefined && { work }),
        });
        this.#writing = call.activityId;
        return call.result;
      };
      const { transcript, reply } = await this.#work(ask);
      if (reply.content.trim() !== '') this.#lastWords = reply.content;
      this.#transcript = transcript;
      this.#results = [];
      this.#told = this.#told.slice(told);
      return reply;
    } finally {
      this.#writing = undefined;
    }
  }

  /** Makes a call with the agent's files, if it has any to work on. */
  #work(ask: (work?: CallModelInput['work']) => Promise<CallModelResult>): Promise<CallModelResult> {
    if (this.#workplace === undefined) return ask();
    const { files, readsOnly } = this.#workplace;
    return files.use((given) => ask({ files: given, ...(readsOnly && { readsOnly }) }));
  }

  /** Results come first, since providers require them right after the calls. */
  get #pending(): NewMessage[] {
    return [...this.#results, ...this.#told];
  }
}

/** What a model call is for. Its summary in Temporal's Web UI shows it. */
export interface Purpose {
  what:
    | 'answer'
    | 'vote'
    | 'decide'
    | 'present'
    | 'evaluate'
    | 'shadow'
    | 'reply'
    | 'think'
    | 'act'
    | 'observe'
    | 'recover'
    | 'summarise'
    | 'plan'
    | 'criticise'
    | 'synthesise'
    | 'analyse'
    | 'validate';
  /** Such as `attempt 2` or `turn 3`. */
  when: string;
  /** Time for the call with its retries, in milliseconds. */
  timeout: number;
}

/** What stays the same in all conversations of an agent. */
export interface Persona {
  /** Configured id. */
  id: string;
  /** The configured `system_message`. */
  text: Text | undefined;
  backend: Backend;
}

/** The persona at another temperature; undefined keeps the backend's own. */
export function withTemperature(persona: Persona, temperature: number | undefined): Persona {
  return temperature === undefined ? persona : { ...persona, backend: { ...persona.backend, temperature } };
}

type Request = Omit<CallModelInput, 'backend' | 'tools'> & { tools: BlobRef | null };

/**
 * Calls models for a run's agents. It checks the budget before each call, counts what is spent, and gives each activity an
 * id by which the cost of an abandoned call can be looked up later.
 */
export class ModelCaller {
  readonly #usage: UsageTracker;
  readonly #emit: (event: RunEventBody) => void;
  readonly #keys: MissingKeys;
  readonly #isOld: boolean;
  readonly #noticed = new Set<string>();
  #calls = 0;
  #underWay = 0;

  /** @param isOld whether the run counts only the cost of what it has cancelled, as before version 0.2 */
  constructor(usage: UsageTracker, emit: (event: RunEventBody) => void, keys: MissingKeys, isOld = false) {
    this.#usage = usage;
    this.#emit = emit;
    this.#keys = keys;
    this.#isOld = isOld;
  }

  /** Whether no call is under way whose end is yet to be accounted for. */
  get isIdle(): boolean {
    return this.#underWay === 0;
  }

  /**
   * Starts a call. Its result rejects with an `ActivityFailure`, or at once when the call is cancelled, with a failure that
   * `isCancellation` recognises.
   *
   * @throws `ApplicationFailure` of type `BudgetSpent`
   */
  start(
    persona: Persona,
    purpose: Purpose,
    request: Request,
  ): { activityId: string; result: Promise<CallModelResult> } {
    const limit = this.#usage.spentLimit;
    if (limit !== undefined) throw budgetSpent(limit);
    const { id, backend } = persona;
    const activityId = `model-${++this.#calls}`;
    const model = backend.model ?? backend.type;
    const caller = { ...callerOf(id), purpose: purpose.what };
    // A call that is made again for a key keeps its id, by which its cost and its text in progress are found.
    const call = (): Promise<CallModelResult> => {
      const { callModel } = proxyActivities<Activities>({
        activityId,
        summary: `${id} · ${purpose.what} · ${purpose.when} · ${model}`,
        // Tries go on for long, so that a budget of time must end them too.
        scheduleToCloseTimeout: Math.min(purpose.timeout, this.#usage.millisecondsLeft),
        heartbeatTimeout: '15 seconds',
        // A cancelled call must not hold up what follows it. Its cost is settled at the end of the run.
        cancellationType: ActivityCancellationType.TRY_CANCEL,
        // What is transient is tried again for as long as the agent has time. The activity itself bounds what costs money.
        retry: { initialInterval: '500 ms', backoffCoefficient: 2, maximumInterval: '30 seconds' },
      });
      return callModel({ backend, ...withPreviews(request), ...this.#limit(backend, request), caller });
    };
    this.#usage.callStarted(id);
    this.#emit({ type: 'thinking', agent: id, purpose: purpose.what, activityId, model });
    return { activityId, result: this.#account(this.#keys.orWait(id, call), activityId, persona) };
  }

  /** A call that makes many requests gets the limit that is otherwise looked at before each of them. */
  #limit({ type }: Backend, { work }: Request): Pick<CallModelInput, 'work'> {
    const mostUsd = type === 'claude_code' ? this.#usage.usdLeft : undefined;
    return mostUsd === undefined ? {} : { work: { ...work, mostUsd } };
  }

  async #account(
    call: Promise<CallModelResult>,
    activityId: string,
    { id, backend }: Persona,
  ): Promise<CallModelResult> {
    const isCounted = !this.#isOld;
    this.#underWay += 1;
    try {
      const result = await call;
      for (const text of result.notices ?? []) this.#notice(text);
      const cost = this.#usage.callEnded(id, backend.model, result.usage);
      spent(id, backend.model, result.usage, cost);
      return result;
    } catch (error) {
      const isCancelled = isCancellation(error);
      const isTimeUp = !isCancelled && callFailure(error).timedOut;
      if (isCounted || isCancelled) {
        const isOver = !isCancelled && !isTimeUp;
        this.#usage.callLeft({ activityId, agent: id, model: backend.model, isOver, isReserved: isCounted });
      }
      const limit = isCounted && isTimeUp ? this.#usage.timeLimit : undefined;
      throw limit === undefined ? error : budgetSpent(limit);
    } finally {
      this.#underWay -= 1;
    }
  }

  /** Tells once what a model does not take, however many calls find it out. */
  #notice(text: string): void {
    if (this.#noticed.has(text)) return;
    this.#noticed.add(text);
    this.#emit({ type: 'notice', text });
  }
}
