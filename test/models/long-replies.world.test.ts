import { describe, expect, test } from 'vitest';
import { RepetitionWatch } from '../../src/workflows/agent/repetition.ts';
import { whyDebris } from '../../src/workflows/orchestration/rules/debris.ts';
import { delta, RawServer, stream } from '../support/raw-server.ts';
import { stallOf } from '../support/stall.ts';

const million = 1_000_000;

/** What an expression that tries each place anew would read for minutes. */
const units: Array<[string, string]> = [
  ['spaces', ' '],
  ['empty lines', '\n'],
  ['zeros', '0'],
  ['numbers', '12 '],
  ['heading marks', '#'],
  ['stars', '*'],
  ['backticks', '`'],
  ['ends of turns', '<|im_end|>'],
  ['ends of turns and spaces', '<|im_end|>    '],
  ['letters', 'x'],
  ['words', 'ab cd '],
  ['sentences that count', '1. So it is, and so it goes on from here.\n'],
];

describe.each(units)('a reply of a million characters of %s holds up nothing', (_, unit) => {
  const text = unit.repeat(million / unit.length);

  test.each([
    ['as it is', ''],
    ['before another word', ' zq'],
  ])('%s', async (__, tail) => {
    const rules = (): Promise<void> => {
      whyDebris(text + tail, { task: 'What is it now?', instructions: 'Call it now.' });
      return Promise.resolve();
    };
    expect(await stallOf(rules)).toBeLessThan(500);
    const watch = new RepetitionWatch();
    expect(await stallOf(() => Promise.resolve(watch.add(text + tail)))).toBeLessThan(500);
    await using server = await RawServer.start((response) => {
      const pieces = Array.from({ length: 100 }, (___, n) =>
        text.slice((n * million) / 100, ((n + 1) * million) / 100),
      );
      stream(response, [...pieces.map((content) => delta({ content })), delta({ content: tail }, 'stop'), '[DONE]']);
      response.end();
    });
    expect(await stallOf(() => server.opener()({ type: 'chatcompletion', model: 'm' }).ask())).toBeLessThan(500);
  });
});
