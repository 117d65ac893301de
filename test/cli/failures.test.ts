import { expect, test } from 'vitest';
import { CommandError } from '../../src/cli/exit.ts';
import { alikeTogether, asCommandError } from '../../src/cli/failures.ts';
import { readRates } from '../../src/models/rates/settings.ts';
import { readSlots } from '../../src/worker/slots.ts';

function thrownBy(work: () => unknown): unknown {
  try {
    return work();
  } catch (error) {
    return error;
  }
}

test.each<[what: string, error: unknown, status: number, message: string]>([
  ['a rate that is none', thrownBy(() => readRates('x')), 2, 'REPRISE_RATES: "x"'],
  ['slots that are none', thrownBy(() => readSlots('x')), 2, 'REPRISE_SLOTS: "x"'],
])('%s is told in a line, with its exit status', (_, error, status, message) => {
  const failure = asCommandError(error);
  expect(failure).toBeInstanceOf(CommandError);
  expect(failure).toMatchObject({ status, message: expect.stringContaining(message) as string });
});

test('those who have failed alike share a line', () => {
  const why = 'openai m: 401 Incorrect API key (check OPENAI_API_KEY)';
  expect(alikeTogether(`No agent has answered.\na: ${why}\nb: Boom\nc: ${why}`)).toBe(
    `No agent has answered.\na, c: ${why}\nb: Boom`,
  );
});

test('any other text stays as it is', () => {
  const text = 'The plan failed:\n\nWhy: so\n\n- one\n- one';
  expect(alikeTogether(text)).toBe(text);
});
