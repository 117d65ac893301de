import type { NewMessage, TranscriptRef } from '../messages/message.ts';
import type { Reply } from '../messages/model-call.ts';
import type { ModelCaller, Purpose } from './model-caller.ts';
import type { Persona } from './persona.ts';

/**
 * An agent at work on one conversation: what has been said (in the store, named by reference)
 * and what it is told with its next call.
 */
export class Agent {
  readonly persona: Persona;
  readonly #caller: ModelCaller;
  #transcript: TranscriptRef | null = null;
  #pending: NewMessage[] = [];

  constructor(persona: Persona, caller: ModelCaller, opening: NewMessage[]) {
    this.persona = persona;
    this.#caller = caller;
    this.tell(...opening);
  }

  /** The conversation as far as a model has replied to it; null before the first reply. */
  get transcript(): TranscriptRef | null {
    return this.#transcript;
  }

  /** Adds messages that the agent gets with its next call. */
  tell(...messages: NewMessage[]): void {
    this.#pending.push(...messages);
  }

  /** Answers a tool call of the last reply. */
  answerCall(callId: string, content: string): void {
    this.tell({ role: 'tool', callId, content });
  }

  /**
   * Asks the model for its next message. A call that is cancelled leaves the conversation as it was:
   * what it was told stays pending, so that the next call's messages still begin with the last one's.
   *
   * @param tools blob id of the tools offered; null for none
   */
  async reply(purpose: Purpose, tools: string | null): Promise<Reply> {
    const sent = this.#pending.length;
    const result = await this.#caller.call(this.persona, purpose, {
      transcript: this.#transcript,
      append: this.#pending.slice(),
      tools,
    });
    this.#transcript = result.transcript;
    this.#pending = this.#pending.slice(sent);
    return result.reply;
  }
}
