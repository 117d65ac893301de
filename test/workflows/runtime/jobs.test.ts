import { expect, test } from 'vitest';
import { eventsOf, inOrder, nameOf, Delivered, type Job } from '../../../src/workflows/runtime/jobs.ts';

const jobs: Record<string, Job> = {
  i: { initializeWorkflow: {} },
  s: { signalWorkflow: { signalName: 'answer' } },
  S: { signalWorkflow: { signalName: 'close' } },
  u: { doUpdate: { name: 'answer' } },
  U: { doUpdate: { name: 'handleText' } },
  a: { resolveActivity: {} } as Job,
  t: { fireTimer: {} } as Job,
};
const ordered = (letters: string): string =>
  inOrder(Array.from(letters, (letter) => jobs[letter] ?? {}))
    .map((job) => Object.keys(jobs).find((letter) => jobs[letter] === job))
    .join('');

test.each([
  ['updates go before signals, wherever the server has put them', 'sua', 'usa'],
  ['what begins the run stays first', 'isu', 'ius'],
  ['all else comes behind, in its own order', 'atus', 'usat'],
  ['updates, and signals, stay in the order in which they have come', 'sUSu', 'UusS'],
])('%s', (_, came, order) => {
  expect(ordered(came)).toBe(order);
  // A replay finds the updates behind the signals.
  const replayed = came.replace(/[uU]/g, '') + came.replace(/[^uU]/g, '');
  expect(ordered(replayed)).toBe(order);
});

test('no message keeps a name that the SDK has reserved', () => {
  expect(['answer', '__temporal_x', '__stack_trace', undefined].map(nameOf)).toEqual([
    'answer',
    'temporal_x',
    '__stack_trace',
    '',
  ]);
});

/** What a run is told, one after the other: the events up to there, and when the task began; `~` where it is a replay. */
test.each([
  ['a run that begins here may be asked after its first task', '3@1', true],
  ['one that was replayed up to its last task may be asked', '~3@1 ~9@2', true],
  ['not one that was told of what has no task yet', '~9@2 14@2', false],
  ['nor where the worker has had it all along', '3@1 9@2 14@2', false],
  ['the first task behind a replay may be one that a dead worker has begun', '~9@2 15@3', false],
  ['the second one shows that it was not', '~9@2 15@3 21@4 21@4', true],
  ['two steps of one task are no two tasks', '~9@2 15@3 15@3', false],
])('%s', (_, tellings, mayBeAsked) => {
  const delivered = new Delivered();
  for (const [, replayed, events, time = ''] of tellings.matchAll(/(~?)(\d+)@(\d)/g))
    delivered.note({ events: Number(events), time }, replayed === '~');
  expect(!delivered.mayBeAhead).toBe(mayBeAsked);
});

// The run was told of 9 events at the time 2, and has answered with one command.
test.each([
  ['nothing has come since', 9, '2', false],
  ['its own events alone have come', 11, '2', false],
  ['a task has begun of which it was told nothing', 13, '3', true],
  ['such a task has come to its end without a command', 14, '3', false],
])('a query is answered unless its history ends in the middle of a task: %s', (_, events, time, isBehind) => {
  const delivered = new Delivered();
  delivered.note({ events: 9, time: '2' }, true);
  delivered.answered = 1;
  expect(delivered.isBehindUntold({ events, time })).toBe(isBehind);
});

test('each command becomes an event, but for answers to queries and refusals of updates', () => {
  const update = (updateResponse: object) => ({ updateResponse });
  expect(
    eventsOf([
      {},
      update({ accepted: {} }),
      update({ completed: {} }),
      update({ rejected: {} }),
      { respondToQuery: {} },
    ]),
  ).toBe(3);
});
