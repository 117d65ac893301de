import { expect, test } from 'vitest';
import type { PendingCall, RunEvent } from '../../src/client.ts';
import { Texts } from '../../src/client/snapshot.ts';

/** How much of a text a heartbeat carries here, in characters. */
const carried = 10;

const writes = (text: string, attempt = 1, activityId = 'model-1'): PendingCall[] => [
  {
    activityId,
    activity: 'callModel',
    attempt,
    progress: { partial: text.slice(-carried), characters: text.length, attempt },
  },
];

const thinking = (activityId = 'model-1'): RunEvent[] => [
  {
    seq: 1,
    at: '2026-01-18T17:09:44.000Z',
    attempt: 1,
    type: 'thinking',
    agent: 'agent_a',
    purpose: 'answer',
    activityId,
    model: 'm',
  },
];

const pieces = (...looks: PendingCall[][]): string[] => {
  const texts = new Texts();
  return looks
    .flatMap((calls) => texts.next([], calls))
    .map(({ isAgain, text }) => (isAgain ? `again: ${text}` : text));
};

test.each<[string, PendingCall[][], string[]]>([
  ['grows', [writes('One'), writes('One two')], ['One', ' two']],
  ['does not grow', [writes('One'), writes('One')], ['One']],
  ['is not begun', [writes('')], []],
  ['grows by more than a heartbeat carries', [writes('One'), writes('One two three four')], ['One', '…three four']],
  ['is begun anew by the next try', [writes('One'), writes('Uno', 2)], ['One', 'again: Uno']],
  ['is begun anew, and is longer by now', [writes('One'), writes('Uno dos', 2)], ['One', 'again: Uno dos']],
  ['is one of two', [[...writes('One'), ...writes('Two', 1, 'model-2')]], ['One', 'Two']],
])('a text that %s', (_, looks, expected) => {
  expect(pieces(...looks)).toEqual(expected);
});

test('a piece names its agent and what it is for, once the event of its call has come', () => {
  const texts = new Texts();
  expect(texts.next([], writes('One'))).toMatchObject([{ agent: '', purpose: '' }]);
  expect(texts.next(thinking(), writes('Two'))).toEqual([
    { activityId: 'model-1', agent: 'agent_a', purpose: 'answer', text: 'Two', isAgain: false },
  ]);
});

test('a tool that shows what it has so far names its agent itself', () => {
  const [call] = writes('50 %');
  const calls = [{ ...call, progress: { ...call?.progress, agent: 'agent_b' } }] as PendingCall[];
  expect(new Texts().next([], calls)).toMatchObject([{ agent: 'agent_b', purpose: '', text: '50 %' }]);
});
