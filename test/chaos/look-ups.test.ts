import { expect, test } from 'vitest';
import { countReadings, looksUp, readingsIn, saysWhatItRead, sentencesIn } from '../../scripts/chaos/look-ups.ts';

/** A request that shows calls of the quick tool with their results. */
const request = (...shown: Array<[subject: string, result: string]>) => ({
  tools: ['look_up', 'book'],
  body: {
    model: 'scripted-1',
    input: shown.flatMap(([subject, output], index) => [
      { type: 'function_call', call_id: `call_${index}`, name: 'look_up', arguments: JSON.stringify({ subject }) },
      { type: 'function_call_output', call_id: `call_${index}`, output },
    ]),
  },
});

const subjectsOf = (seen: ReturnType<typeof request>): unknown =>
  looksUp([2, 1], 'team-0 agent_a 1', seen)?.calls?.map(
    ({ arguments: input }) => (input as { subject: string }).subject,
  );

const [one, two, three] = ['team-0 agent_a 1, 1', 'team-0 agent_a 1, 2', 'team-0 agent_a 1, 3'] as const;
const read = (subject: string): [string, string] => [subject, `[read ${subject}]`];
const failed = (subject: string): [string, string] => [subject, 'Exception: away'];

test.each([
  ['so many at first', request(), [one, two]],
  ['so many next', request(read(one), read(two)), [three]],
  ['what has failed once more', request(read(one), failed(two)), [two]],
  ['what has failed three times not again', request(read(one), failed(two), failed(two), failed(two)), [three]],
  ['nothing after the last one', request(read(one), read(two), read(three)), undefined],
  ['nothing where other tools alone may be called', { ...request(), tools: ['vote'] }, undefined],
  ['all of its own, whatever others have read', request(read('team-0 agent_b 1, 1')), [one, two]],
])('an agent looks up %s', (_, seen, subjects) => {
  expect(subjectsOf(seen)).toEqual(subjects);
});

test('an agent says what its own calls have brought, even if it is not theirs, and nothing of what has failed', () => {
  const seen = request(read(one), [two, `[read ${three}]`], failed(three), read('team-0 agent_b 1, 1'));
  const sentence = `Read by team-0 agent_a 1: [read ${one}] [read ${three}]`;
  expect(saysWhatItRead('team-0 agent_a 1', seen)).toBe(sentence);
  expect(sentencesIn(`Answer. ${sentence} [reply 7] and again ${sentence}`)).toEqual([sentence]);
});

test('a call with broken arguments, or without a result yet, is no reading', () => {
  const { body } = request(read(one));
  const input = [...body.input, { type: 'function_call', call_id: 'call_9', name: 'look_up', arguments: '{"subj' }];
  const broken = [...input, { type: 'function_call_output', call_id: 'call_9', output: 'Error: arguments' }];
  expect(readingsIn({ body: { ...body, input } })).toHaveLength(1);
  expect(readingsIn({ body: { ...body, input: broken } })).toHaveLength(1);
});

test('results and failures are counted', () => {
  const readings = [read(one), failed(two)].map(([subject, result]) => ({ run: 'team-0', call: 'c', subject, result }));
  expect(countReadings(readings)).toEqual({ read: 1, failed: ['Exception: away'] });
});
