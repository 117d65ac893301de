import type { Content, NewMessage, ToolMessage, TranscriptRef } from '../../protocol/message.ts';
import type { Reply } from '../../protocol/model-call.ts';
import { withTemperature, type ModelCaller, type Persona, type Purpose } from './model-caller.ts';

/** How a conversation begins. */
export interface Opening {
  /** Undefined: none. */
  system: Content | undefined;
  /** What was said before, in the store; null: nothing. */
  transcript: TranscriptRef | null;
  messages: NewMessage[];
}

/** A conversation at one moment, for another one to start from. */
export interface Fork {
  transcript: TranscriptRef | null;
  /** What the agent was told since. */
  append: NewMessage[];
  /** Activity id of the call that is under way. */
  writing: string | undefined;
}

/**
 * An agent at work on one conversation: what has been said (in the store, named by reference)
 * and what it is told with its next call.
 */
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

  /** What it said last that has any text; empty before that. */
  get lastWords(): string {
    return this.#lastWords;
  }

  get fork(): Fork {
    return { transcript: this.#transcript, append: this.#pending, writing: this.#writing };
  }

  /** Adds messages that the agent gets with its next call; also while one is under way. */
  tell(...messages: NewMessage[]): void {
    this.#told = [...this.#told, ...messages];
  }

  /** Answers a tool call of the last reply. */
  answerCall(callId: string, content: Content): void {
    this.#results = [...this.#results, { role: 'tool', callId, content }];
  }

  /**
   * Asks the model for its next message. A call that is cancelled leaves the conversation as it was:
   * what it was told stays pending, so that the next call's messages still begin with the last one's.
   *
   * @param tools blob id of the tools offered; null for none
   * @param temperature instead of the backend's own
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

  /** Results come first, whenever they came: providers want them right behind the calls. */
  get #pending(): NewMessage[] {
    return [...this.#results, ...this.#told];
  }
}
