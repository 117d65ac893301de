import type { TokenUsage } from '../../protocol/message.ts';
import type { Price } from '../../protocol/prices.ts';

/** US dollars for a call's tokens; 0 where the model has no price. */
export function costOf(usage: TokenUsage, price: Price | undefined): number {
  if (price === undefined) return 0;
  const fresh = usage.inputTokens - usage.cachedInputTokens;
  return (
    (fresh * price.input + usage.cachedInputTokens * price.cachedInput + usage.outputTokens * price.output) /
    1e6
  );
}
