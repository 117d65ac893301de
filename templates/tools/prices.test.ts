/** A tool is a plain function, so its test needs no model, no server and no packages. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
// @ts-ignore: Node runs the file as it is, by its ending .ts, which TypeScript takes only with `allowImportingTsExtensions`.
import { getRepairPrice } from './prices.ts';

test('looks up the price of a repair', () => {
  assert.deepEqual(getRepairPrice.execute({ part: 'chain' }), { part: 'chain', euros: 35 });
});

test('has a price for every part that a model may name', () => {
  for (const part of getRepairPrice.parameters.properties.part.enum) {
    assert.equal(typeof getRepairPrice.execute({ part }).euros, 'number', part);
  }
});
