import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { completeBackend } from '../../src/config/models/complete-backend.ts';
import { pricesFor, unpricedIn } from '../../src/config/models/list-prices.ts';
import { defaultModels } from '../../src/config/models/providers.ts';
import type { Backend } from '../../src/protocol/settings.ts';

const priceOf = (backend: Backend, environment = {}) => pricesFor([backend], {}, environment)[backend.model ?? ''];

describe.each(Object.entries(defaultModels))('the default models of %s', (type, { strong, cheap }) => {
  const of = (model: string): Backend => ({ type: type as Backend['type'], model });

  test('have prices, and the cheap one is cheaper', () => {
    const [dear, low] = [priceOf(of(strong))?.output ?? NaN, priceOf(of(cheap))?.output ?? NaN];
    expect(low).toBeLessThan(dear);
  });

  test('are those of the documentation, and the strong one is that of a backend without a model', () => {
    const row = new RegExp(`^\\| \`${type}\` +\\| \`${strong}\` +\\| \`${cheap}\` +\\|$`, 'm');
    expect(readFileSync('docs/costs.md', 'utf8')).toMatch(row);
    expect(completeBackend({ type: type as Backend['type'] }).model).toBe(strong);
  });
});

test('a compatible server has no default model', () => {
  expect(completeBackend({ type: 'chatcompletion' }).model).toBeUndefined();
});

const gpt5 = { input: 1.25, cachedInput: 0.125, output: 10 };

test.each<[type: Backend['type'], model: string | undefined, price?: object | undefined, base_url?: string]>([
  ['openai', 'gpt-5', gpt5],
  ['openai', 'gpt-5-2025-08-07', gpt5],
  ['claude', 'claude-haiku-4-5-20251001', { input: 1, cachedInput: 0.1, output: 5 }],
  ['claude', 'claude-sonnet-5-5', { input: 2, cachedInput: 0.1, output: 10 }],
  ['gemini', 'gemini-3.1-pro-preview', { input: 2, long: { above: 200_000, input: 4 } }],
  ['claude', 'claude-haiku-5-5', { input: 0.1, long: { above: 100_000, input: 0.5 } }],
  ['openai', 'scripted-1'],
  ['offline', undefined],
  // DeepSeek's price depends on the time of day.
  ['chatcompletion', 'deepseek-chat', { output: expect.any(Number) as number }, 'https://api.deepseek.com/v1'],
  ['chatcompletion', 'gpt-5', undefined, 'http://localhost:8080/v1'],
])('the price of %s %s is the kept one, and none is guessed', (type, model, price, base_url) => {
  const found = priceOf({ type, ...(model && { model }), ...(base_url && { base_url }) });
  if (price === undefined) expect(found).toBeUndefined();
  else expect(found).toMatchObject(price);
});

test('a price of the user’s own takes precedence', () => {
  const own = { input: 7, cachedInput: 7, output: 7 };
  expect(pricesFor([{ type: 'openai', model: 'gpt-5' }], { 'gpt-5': own }, {})).toEqual({ 'gpt-5': own });
});

test('models without a price are named once, and the offline model is none of them', () => {
  const backends: Backend[] = [
    { type: 'openai', model: 'mine' },
    { type: 'claude', model: 'mine' },
    { type: 'openai', model: 'gpt-5' },
    { type: 'offline' },
  ];
  expect(unpricedIn(backends, pricesFor(backends, {}, {}))).toEqual(['mine']);
});
