import { calcPrice, type ModelPrice } from '@pydantic/genai-prices';
import type { Environment } from '../../util/environment.ts';
import type { Price, PriceTable } from '../../protocol/usage.ts';
import { isRemote, routeOf } from './providers.ts';
import type { Backend } from '../../protocol/settings.ts';

/**
 * List prices that the library does not have yet, or not as they are now, read on 2026-11-21 in
 * https://platform.claude.com/docs/en/about-claude/pricing and https://developers.openai.com/api/docs/pricing.
 */
const newer: PriceTable = {
  'claude-haiku-5-5': {
    input: 0.1,
    cachedInput: 0.01,
    output: 0.5,
    long: { above: 100_000, input: 0.5, cachedInput: 0.05, output: 2.5 },
  },
  'claude-sonnet-5-5': { input: 2, cachedInput: 0.1, output: 10 },
  'gpt-6.1-sol': {
    input: 2,
    cachedInput: 0.1,
    output: 10,
    long: { above: 272_000, input: 4, cachedInput: 0.2, output: 15 },
  },
  'gpt-6.1-terra': {
    input: 1,
    cachedInput: 0.05,
    output: 5,
    long: { above: 272_000, input: 2, cachedInput: 0.1, output: 7.5 },
  },
  'gpt-6.2-sol': {
    input: 2,
    cachedInput: 0.1,
    output: 10,
    long: { above: 272_000, input: 4, cachedInput: 0.2, output: 15 },
  },
};

/**
 * The prices that a run needs, by model. They are part of its prepared input, since a workflow that is replayed after a
 * price has changed must still compute the same sums.
 *
 * @param overrides the user's own prices, which take precedence over the kept ones
 */
export const pricesFor = (backends: Backend[], overrides: PriceTable, environment: Environment): PriceTable =>
  Object.fromEntries(
    backends.flatMap((backend) => {
      const own = overrides[backend.model ?? ''];
      // Claude Code says itself what its calls cost, several models together.
      const price = backend.type === 'claude_code' ? own : (own ?? listPrice(backend, environment));
      return price === undefined ? [] : [[backend.model ?? '', price]];
    }),
  );

/** The models that cost money, but nobody knows how much. */
export const unpricedIn = (backends: Backend[], prices: PriceTable): string[] => {
  const priced = backends.filter((backend) => isRemote(backend) && backend.type !== 'claude_code');
  const names = priced.map(({ model = '' }) => model);
  return [...new Set(names)].filter((name) => name !== '' && prices[name] === undefined);
};

/** The library's names of the providers whose models a type of backend has. */
const providerIds = { openai: 'openai', claude: 'anthropic', claude_code: 'anthropic', gemini: 'google' } as const;

function listPrice(backend: Backend, environment: Environment): Price | undefined {
  if (!isRemote(backend)) return undefined;
  const { baseUrl, model = '' } = routeOf(backend, environment);
  const ofAddress = kept(model, { providerApiUrl: baseUrl });
  // A compatible server at an unknown address has models of its own, whatever their names are.
  if (backend.type === 'chatcompletion') return ofAddress;
  return newer[model] ?? ofAddress ?? kept(model, { providerId: providerIds[backend.type] });
}

/** In tokens, of each kind: some prices are known only for a usage that has them. */
const some = { input_tokens: 0, output_tokens: 0 };

function kept(model: string, place: { providerId: string } | { providerApiUrl: string }): Price | undefined {
  const { input_mtok, cache_read_mtok, output_mtok } = calcPrice(some, model, place)?.model_price ?? {};
  const [input, longInput] = rates(input_mtok);
  const [output, longOutput] = rates(output_mtok);
  const [cachedInput = input, longCached = longInput] = rates(cache_read_mtok);
  if (input === undefined || cachedInput === undefined || output === undefined) return undefined;
  const above = typeof input_mtok === 'object' ? input_mtok.tiers[0]?.start : undefined;
  if (above === undefined || longInput === undefined || longCached === undefined) return { input, cachedInput, output };
  const long = { above, input: longInput, cachedInput: longCached, output: longOutput ?? output };
  return { input, cachedInput, output, long };
}

/** A price, and that of long requests if it is different. */
function rates(price: ModelPrice[string]): [number?, number?] {
  if (typeof price !== 'object') return price === undefined ? [] : [price];
  const [tier] = price.tiers;
  return tier === undefined ? [price.base] : [price.base, tier.price];
}
