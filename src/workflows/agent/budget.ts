import type { TokenUsage } from '../../protocol/message.ts';
import type { Budget, Price } from '../../protocol/usage.ts';

export type Spent = Record<keyof Budget, number>;

const kinds = ['calls', 'tokens', 'usd', 'seconds'] as const;

const amount = (kind: keyof Budget, value: number): string =>
  kind === 'usd' ? `$${value.toFixed(4)}` : `${Math.max(0, Math.round(value))} ${kind}`;

/** The limit that forbids another call, such as `20 calls`; undefined when none does. */
export function spentLimit(budget: Budget, spent: Spent): string | undefined {
  const kind = kinds.find((each) => spent[each] >= (budget[each] ?? Infinity));
  return kind && amount(kind, budget[kind] ?? 0);
}

/** What is left of the limits, such as `12 calls, $0.0310`; undefined for a run without limits. */
export function budgetLeft(budget: Budget, spent: Spent): string | undefined {
  const limited = kinds.filter((kind) => budget[kind] !== undefined);
  if (limited.length === 0) return undefined;
  return limited.map((kind) => amount(kind, (budget[kind] ?? 0) - spent[kind])).join(', ');
}

/** What a call's tokens cost in US dollars; 0 when the model has no known price. */
export function costOf(usage: TokenUsage, price: Price | undefined): number {
  if (price === undefined) return 0;
  const { long = { ...price, above: Infinity } } = price;
  const { input, cachedInput, output } = usage.inputTokens > long.above ? long : price;
  const fresh = usage.inputTokens - usage.cachedInputTokens;
  return (fresh * input + usage.cachedInputTokens * cachedInput + usage.outputTokens * output) / 1e6;
}
