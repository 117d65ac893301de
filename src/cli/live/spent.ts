import type { Spent } from '../../client.ts';
import type { Figures } from '../../protocol/usage.ts';

/** What a run has used: `8 calls, 1,951 tokens, $0.0042`. */
export function spentText({ calls, inputTokens, outputTokens, costUsd }: Figures): string {
  return costText({ calls, tokens: inputTokens + outputTokens, costUsd });
}

/** A sum or a mean over runs: `8.5 calls, 1,951 tokens, $0.0042`. */
export function costText({ calls, tokens, costUsd }: Spent): string {
  return `${countText(calls, 'call')}, ${tokensText(tokens)}, ${dollarText(costUsd)}`;
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

/** A length of time: `42 s`, `3 min 20 s`, `30 min`, `2 h 5 min`. */
export function durationText(milliseconds: number): string {
  const seconds = Math.max(0, Math.round(milliseconds / 1000));
  const minutes = Math.floor(seconds / 60);
  const [whole, unit, rest, part] =
    minutes < 60 ? [minutes, 'min', seconds % 60, 's'] : [Math.floor(minutes / 60), 'h', minutes % 60, 'min'];
  if (minutes === 0) return `${seconds} s`;
  return rest === 0 ? `${whole} ${unit}` : `${whole} ${unit} ${rest} ${part}`;
}
