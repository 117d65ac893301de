import { expect, test } from 'vitest';
import { readDecision } from '../../../../src/workflows/orchestration/rules/decision.ts';

const submit = (confirmed: unknown) => ({ id: 's', name: 'submit', input: { confirmed } });
const restart = { id: 'r', name: 'restart_orchestration', input: { reason: 'only planned', instructions: 'do it' } };

test.each([
  ['submit {confirmed: true} submits', [submit(true)], { kind: 'submit' }],
  [
    'submit {confirmed: false} counts as submitting, with a warning',
    [submit(false)],
    { kind: 'submit', warning: 'submit was called with confirmed: false' },
  ],
  [
    'restart_orchestration carries reason and instructions',
    [restart],
    { kind: 'restart', reason: 'only planned', instructions: 'do it' },
  ],
  ['the first decision counts', [submit(true), restart], { kind: 'submit' }],
  [
    'a call that does not fit is passed over',
    [{ id: 'x', name: 'submit', error: 'confirmed: required' }, restart],
    { kind: 'restart', reason: 'only planned', instructions: 'do it' },
  ],
  ['no fitting call: no decision', [{ id: 'x', name: 'submit', error: 'confirmed: required' }], undefined],
  ['no call: no decision', [], undefined],
])('%s', (_, calls, decision) => {
  expect(readDecision(calls)).toEqual(decision);
});
