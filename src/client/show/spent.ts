import type { Figures } from '../../protocol/usage.ts';
import type { Spent } from '../aggregate.ts';

/** What a run has used: `8 calls, 1,951 tokens, $0.0042`. */
export function spentText({ calls, inputTokens, outputTokens, costUsd, estimated = false }: Figures): string {
  return costText({ calls, tokens: inputTokens + outputTokens, costUsd }, estimated);
}

/** A sum or a mean over runs: `8.5 calls, about 1,951 tokens, $0.0042`. @param isAbout whether tokens are estimated */
export function costText({ calls, tokens, costUsd }: Spent, isAbout = false): string {
  return `${countText(calls, 'call')}, ${isAbout ? 'about ' : ''}${tokensText(tokens)}, ${dollarText(costUsd)}`;
}

const tokensText = (tokens: number): string => countText(Math.round(tokens), 'token');

/** US dollars: `$0.0042`. */
export const dollarText = (usd: number): string => `$${usd.toFixed(4)}`;

/** A number of things, with the noun in singular or plural: `1 call`, `8.5 calls`. */
export const countText = (count: number, thing: string, things = `${thing}s`): string =>
  `${numberText(count, 1)} ${count === 1 ? thing : things}`;

/** A number in American notation, rounded to a number of decimals: `1,951`. */
export const numberText = (number: number, decimals: number): string =>
  number.toLocaleString('en-US', { maximumFractionDigits: decimals });
