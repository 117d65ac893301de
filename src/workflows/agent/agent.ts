import type { BlobRef, Content, ImageRef, NewMessage, ToolMessage, TranscriptRef } from '../../protocol/message.ts';
import type { CallModelInput, CallModelResult, Reply, ReplyCall, ToolChoice } from '../../protocol/model-call.ts';
import type { QuickTools } from '../../protocol/tools/tool.ts';
import { withTemperature, type ModelCaller, type Persona, type Purpose } from './model-caller.ts';
import { interrupted } from './prompts.ts';
import type { AgentWorkspace } from './workspace.ts';

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
  /** The tools that a call may run itself; absent: none. It is asked before each call. */
  quick?: (() => QuickTools | undefined) | undefined;
  /** The files of an agent of its own, such as Claude Code, and whether it may only read them; absent: it only replies. */
  workplace?: { files: AgentWorkspace; readsOnly: boolean } | undefined;
}

export interface ReplyOptions {
  /** `auto` if absent. */
  choice?: ToolChoice;
  /** Takes the place of the backend's own temperature. */
  temperature?: number | undefined;
  /** The tools of which a model that has given a text in place of a call is held to one by a schema. */
  bySchema?: string[] | undefined;
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
  /** The conversation as far as a model has replied to it; null before the first reply. */
  transcript: TranscriptRef | null;
  /** The text of its last reply that has one; empty before that. */
  lastWords = '';
  readonly #models: ModelCaller;
  readonly #opening: Opening;
  #calls: ReplyCall[] = [];
  #results: Array<ToolMessage<Content>> = [];
  #unsent: NewMessage[];
  #writing: string | undefined;

  constructor(persona: Persona, models: ModelCaller, opening: Opening) {
    this.persona = persona;
    this.#models = models;
    this.#opening = opening;
    this.transcript = opening.transcript;
    this.#unsent = opening.messages;
  }

  /** Whether it has called only where a schema held it to that, in whichever conversation of the run. */
  get callsBySchema(): boolean {
    return this.#models.callsBySchema(this.persona);
  }

  get fork(): Fork {
    return { transcript: this.transcript, append: this.#pending, writing: this.#writing };
  }

  /** It may be used while a call is under way. */
  tell(...messages: NewMessage[]): void {
    this.#unsent = [...this.#unsent, ...messages];
  }

  /** Answers a tool call of the last reply. @param images what its tool shows besides */
  answerCall(callId: string, content: Content, images?: ImageRef[]): void {
    this.#results = [...this.#results, { role: 'tool', callId, content, ...(images !== undefined && { images }) }];
  }

  /** Answers the calls of the last reply whose work was cancelled: providers refuse a conversation with unanswered calls. */
  answerOpenCalls(): void {
    const answered = this.#results.map(({ callId }) => callId);
    for (const { id, name } of this.#calls) if (!answered.includes(id)) this.answerCall(id, interrupted(name));
  }

  /**
   * Asks the model for its next message. A call that fails or is cancelled leaves the conversation as it was, so that a
   * provider's prompt cache still fits. @throws what the model call throws
   */
  async reply(purpose: Purpose, { bySchema, choice, temperature }: ReplyOptions = {}): Promise<Reply> {
    this.answerOpenCalls();
    const sent = this.#unsent.length;
    const { quick: quickTools, system, tools, workplace } = this.#opening;
    // A reply that may call none, or only some of them, has its reasons.
    const quick =
      choice === undefined || (typeof choice === 'string' && choice !== 'none') ? quickTools?.() : undefined;
    try {
      const ask = (work?: CallModelInput['work']): Promise<CallModelResult> => {
        const call = this.#models.start(withTemperature(this.persona, temperature), purpose, {
          ...(system !== undefined && { system }),
          transcript: this.transcript,
          append: this.#pending,
          tools,
          ...(choice !== undefined && { toolChoice: choice }),
          ...(bySchema && { bySchema }),
          ...(quick !== undefined && { quick }),
          ...(work !== undefined && { work }),
        });
        this.#writing = call.activityId;
        return call.result;
      };
      const readsOnly = workplace?.readsOnly && { readsOnly: true as const };
      const { transcript, reply } = await (workplace?.files.use((files) => ask({ files, ...readsOnly })) ?? ask());
      if (reply.calls.length > 0) this.#models.called(this.persona, bySchema !== undefined);
      if (reply.content.trim() !== '') this.lastWords = reply.content;
      this.transcript = transcript;
      this.#calls = reply.calls;
      this.#results = [];
      this.#unsent = this.#unsent.slice(sent);
      return reply;
    } finally {
      this.#writing = undefined;
    }
  }

  /** Results come first, since providers require them right after the calls. */
  get #pending(): NewMessage[] {
    return [...this.#results, ...this.#unsent];
  }
}
