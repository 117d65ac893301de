import { costOf } from '../../workflows/agent/budget.ts';
import type { TokenUsage } from '../../protocol/message.ts';
import type { Price } from '../../protocol/usage.ts';
import { sumOfUsage } from '../../store/store.ts';
import type { ResultMessage, StreamEvent } from './sdk.ts';

const perToken = 4;

export class Meter {
  readonly #priceOf: (model: string) => Price | undefined;
  readonly #done: TokenUsage[] = [];
  #model = '';
  #current: TokenUsage | undefined;
  #characters = 0;

  /** @param priceOf list prices, for a turn that does not come to its end */
  constructor(priceOf: (model: string) => Price | undefined) {
    this.#priceOf = priceOf;
  }

  take({ delta, message, type, usage }: StreamEvent): string {
    if (type === 'message_start' && message !== undefined) {
      this.#end();
      this.#model = message.model;
      const read = message.usage?.cache_read_input_tokens ?? 0;
      const written = message.usage?.cache_creation_input_tokens ?? 0;
      const inputTokens = (message.usage?.input_tokens ?? 0) + read + written;
      this.#current = { inputTokens, cachedInputTokens: read, outputTokens: 0 };
    }
    if (type === 'message_delta' && this.#current !== undefined)
      this.#current.outputTokens = usage?.output_tokens ?? this.#current.outputTokens;
    if (type === 'message_stop') this.#end();
    const added = delta?.text ?? delta?.partial_json ?? '';
    this.#characters += added.length + (delta?.thinking?.length ?? 0);
    return added;
  }

  get spent(): TokenUsage | undefined {
    const sum = sumOfUsage([...this.#done, ...(this.#current ? [this.#priced(this.#current)] : [])]);
    return sum.inputTokens === 0 ? undefined : sum;
  }

  #end(): void {
    if (this.#current !== undefined) this.#done.push(this.#priced(this.#current));
    this.#current = undefined;
    this.#characters = 0;
  }

  #priced(usage: TokenUsage): TokenUsage {
    // A reply that was broken off does not say how long it was.
    const written = { ...usage, outputTokens: usage.outputTokens || Math.ceil(this.#characters / perToken) };
    return { ...written, costUsd: costOf(written, this.#priceOf(this.#model)) };
  }
}

export function usageOf({ modelUsage, total_cost_usd: costUsd }: ResultMessage): TokenUsage {
  const usages = Object.values(modelUsage).map((each) => ({
    inputTokens: each.inputTokens + each.cacheReadInputTokens + each.cacheCreationInputTokens,
    cachedInputTokens: each.cacheReadInputTokens,
    outputTokens: each.outputTokens,
  }));
  return { ...sumOfUsage(usages), costUsd };
}
