import type { OrchestratorMessage } from '../../protocol/custom-orchestrator.ts';
import type { NewMessage, Text, TranscriptRef } from '../../protocol/message.ts';
import { newMessageOf } from './messages.ts';
import { textRef, storeTexts } from '../agent/text-refs.ts';
import type { ToolAnswer } from '../agent/tool-executor.ts';

type Result = Pick<ToolAnswer, 'text' | 'content'>;

/** Texts that stand in the store or in a reply already: no later call repeats the long ones. */
export class TextRefCache {
  readonly #texts = new Map<string, Text>();
  readonly #results = new Map<string, Result>();

  /** @param place where a conversation stands that ends with the reply */
  addReply(content: string, place: TranscriptRef): void {
    this.#texts.set(content, textRef(content, { segment: place.id }));
  }

  /** A long result is shown by its beginning; a model that is told that as the result of the call gets the whole. */
  addResult(callId: string, result: Result): void {
    this.#results.set(callId, result);
  }

  /** Messages on their way to a model; long texts that are new are stored first. */
  async newMessages(messages: OrchestratorMessage[]): Promise<NewMessage[]> {
    const contents = messages
      .filter((message) => this.#resultIn(message) === undefined)
      .map(({ content }) => content);
    const fresh = [...new Set(contents)].filter((content) => !this.#texts.has(content));
    const stored = await storeTexts(fresh);
    fresh.forEach((content, index) => this.#texts.set(content, stored[index] ?? content));
    return messages.map((message) =>
      newMessageOf(message, this.#resultIn(message) ?? this.#texts.get(message.content) ?? message.content),
    );
  }

  #resultIn(message: OrchestratorMessage): ToolAnswer['content'] | undefined {
    const result = message.role === 'tool' ? this.#results.get(message.callId) : undefined;
    return result?.text === message.content ? result.content : undefined;
  }
}
