import { type AssistantMessage, callsIn, imagesIn, type Message, type TokenUsage } from '../protocol/message.ts';

/** How many characters of English make a token, roughly. */
const perToken = 4;

/** How many tokens an image is, roughly: providers count larger ones as more. */
const perImage = 1000;

/**
 * What a provider says of a call's tokens, or an estimate if it says nothing sensible: a count that is no whole number, or
 * is below 0, would disarm every budget.
 */
export function checkedUsage(usage: TokenUsage, messages: Message[], written: AssistantMessage): TokenUsage {
  const { inputTokens, cachedInputTokens, outputTokens } = usage;
  const counts = [inputTokens, cachedInputTokens, outputTokens];
  const isSensible = counts.every((count) => Number.isSafeInteger(count) && count >= 0);
  return isSensible && cachedInputTokens <= inputTokens ? usage : estimateUsage(messages, written);
}

/** Estimates a call's tokens where no provider counts them: after a cancelled stream, and for the offline model. */
export function estimateUsage(messages: Message[], written: AssistantMessage | { characters: number }): TokenUsage {
  const output = 'characters' in written ? written.characters : charactersOf(written);
  return {
    inputTokens:
      Math.ceil(sumOf(messages, charactersOf) / perToken) +
      sumOf(messages, (message) => imagesIn(message).length) * perImage,
    cachedInputTokens: 0,
    outputTokens: Math.ceil(output / perToken),
    estimated: true,
  };
}

const charactersOf = (message: Message): number =>
  callsIn(message).reduce((sum, call) => sum + call.name.length + call.arguments.length, message.content.length);

const sumOf = (messages: Message[], each: (message: Message) => number): number =>
  messages.reduce((sum, message) => sum + each(message), 0);
