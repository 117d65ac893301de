import type { Content, NewMessage, ToolMessage, TranscriptRef } from '../../protocol/message.ts';
import type { Reply } from '../../protocol/model-call.ts';
import { withTemperature, type ModelCaller, type Persona, type Purpose } from './model-caller.ts';

/** The beginning of a conversation. */
export interface Opening {
  system: Content | undefined;
  /** What was said before, in the store; null for nothing. */
  transcript: TranscriptRef | null;
  messages: NewMessage[];
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
  #transcript: TranscriptRef | null;
  #results: Array<ToolMessage<Content>> = [];
  #told: NewMessage[];
  #writing: string | undefined;
  #lastWords = '';

  constructor(persona: Persona, models: ModelCaller, { system, transcript, messages }: Opening) {
    this.persona = persona;
    this.#models = models;
    this.#system = system;
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

  /** Answers a tool call of the last reply. */
  answerCall(callId: string, content: Content): void {
    this.#results = [...this.#results, { role: 'tool', callId, content }];
  }

  /**
   * Asks the model for its next message. A call that fails or is cancelled leaves the conversation as it was, with its
   * new messages kept for the next call, so that a provider's prompt cache still fits.
   *
   * @param tools blob id of the tools offered; null for none
   * @param temperature takes the place of the backend's own
   * @throws what the model call throws
   */
  async reply(purpose: Purpose, tools: string | null, temperature?: number): Promise<Reply> {
    const told = this.#told.length;
    try {
      const call = this.#models.start(withTemperature(this.persona, temperature), purpose, {
        ...(this.#system !== undefined && { system: this.#system }),
        transcript: this.#transcript,
        append: this.#pending,
        tools,
      });
      this.#writing = call.activityId;
      const { transcript, reply } = await call.result;
      if (reply.content.trim() !== '') this.#lastWords = reply.content;
      this.#transcript = transcript;
      this.#results = [];
      this.#told = this.#told.slice(told);
      return reply;
    } finally {
      this.#writing = undefined;
    }
  }

  /** Results come first, since providers require them right after the calls. */
  get #pending(): NewMessage[] {
    return [...this.#results, ...this.#told];
  }
}
