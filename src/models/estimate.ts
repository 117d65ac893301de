import { type AssistantMessage, callsIn, imagesIn, type Message, type TokenUsage } from '../protocol/message.ts';

/** In characters of English, roughly. */
const perToken = 4;

/** In tokens, roughly: providers count larger ones as more. */
const perImage = 1000;

/** A count that is no whole number, or is below 0, would disarm every budget, and gives way to an estimate. */
export function checkedUsage(usage: TokenUsage, messages: Message[], written: AssistantMessage): TokenUsage {
  const { inputTokens, cachedInputTokens, outputTokens } = usage;
  const counts = [inputTokens, cachedInputTokens, outputTokens];
  const isSensible = counts.every((count) => Number.isSafeInteger(count) && count >= 0);
  return isSensible && cachedInputTokens <= inputTokens ? usage : estimateUsage(messages, written);
}

export function estimateUsage(messages: Message[], written: AssistantMessage | { characters: number }): TokenUsage {
  const output = 'characters' in written ? written.characters : charactersOf(written);
  const images = messages.flatMap(imagesIn).length;
  return {
    inputTokens: Math.ceil(messages.map(charactersOf).reduce(sum, 0) / perToken) + images * perImage,
    cachedInputTokens: 0,
    outputTokens: Math.ceil(output / perToken),
    estimated: true,
  };
}

const charactersOf = (message: Message): number =>
  callsIn(message)
    .map((call) => call.name.length + call.arguments.length)
    .reduce(sum, message.content.length);

const sum = (one: number, other: number): number => one + other;
