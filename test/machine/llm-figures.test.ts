import { WorkflowFailedError } from '@temporalio/client';
import { ActivityFailure, ApplicationFailure, RetryState, TerminatedFailure } from '@temporalio/common';
import { describe, expect, test } from 'vitest';
import { endingOf, figuresOf, tableOf } from '../../scripts/llm/figures.ts';
import type { RunEvent, RunResult, Usage } from '../../src/client.ts';

const failed = (cause: Error): WorkflowFailedError =>
  new WorkflowFailedError('Workflow execution failed', cause, RetryState.NON_RETRYABLE_FAILURE);

const byActivity = (type: string): ActivityFailure =>
  new ActivityFailure(
    'Activity task failed',
    'prepare',
    '1',
    RetryState.NON_RETRYABLE_FAILURE,
    undefined,
    ApplicationFailure.nonRetryable('why', type),
  );

test.each([
  ['a typed failure', failed(ApplicationFailure.nonRetryable('why', 'NoAnswer')), 'failed: NoAnswer', true],
  ['a typed failure of an activity', failed(byActivity('TurnFailed')), 'failed: TurnFailed', true],
  ['an input that is refused', failed(byActivity('InvalidInput')), 'failed: InvalidInput', false],
  ['a failure of no known type', failed(ApplicationFailure.nonRetryable('why', 'Odd')), 'failed: Odd', false],
  ['a run that was ended from outside', failed(new TerminatedFailure('x')), 'failed: TerminatedFailure', false],
  ['anything else that is thrown', new TypeError('x'), 'failed: TypeError', false],
])('an honest end is one by which the run says what happened: %s', (_, error, outcome, isHonest) => {
  expect(endingOf(error)).toEqual({ outcome, isHonest });
});

const event = (type: RunEvent['type'], rest: object = {}): RunEvent =>
  ({ seq: 1, at: '', attempt: 1, type, agent: 'a', text: '', ...rest }) as unknown as RunEvent;

test('the figures of a course are those of its events, its usage, and the warnings that its result names', () => {
  const usage: Usage = { calls: 3, inputTokens: 40, cachedInputTokens: 0, outputTokens: 5, costUsd: 0, byAgent: {} };
  const said = [event('answer'), event('answer', { fromProse: true })];
  const asked = ['plan', 'plan', 'validate', 'answer', 'vote', 'vote'].map((purpose) => event('thinking', { purpose }));
  const events = [...asked, event('refused'), event('tool'), event('warning'), event('refused'), ...said];
  const counted = { calls: 3, repairs: 3, prose: 1, votes: [0, 1], tokensIn: 40, tokensOut: 5, warnings: 1 };
  expect(figuresOf(events, usage)).toEqual({ ...counted, isGiven: undefined, untrue: [] });
  expect(figuresOf(events, usage, { warnings: ['one', 'two', 'three'] } as RunResult).warnings).toBe(3);
});

describe('of a team', () => {
  const selected = (agent: string, votes: object) => event('selected', { agent, votes });
  const answers = [event('answer', { content: 'Paris, since…' }), event('answer', { agent: 'b', content: 'Lyon' })];
  const result = (answer: string, rest: object = {}) =>
    ({ answer, outcome: 'submitted', warnings: [], ...rest }) as unknown as RunResult;
  const figures = (vote: RunEvent, given: RunResult) => {
    const { isGiven, untrue } = figuresOf([...answers, vote], null, given);
    return { isGiven, untrue };
  };

  test('it is told whether the delivered text is an answer that an agent gave', () => {
    const vote = selected('a', { a: 1, b: 0 });
    expect(figures(vote, result('Paris,\n since it is.'))).toEqual({ isGiven: true, untrue: [] });
    expect(figures(vote, result('Complete'))).toEqual({ isGiven: false, untrue: [] });
  });

  test.each([
    ['an election against the votes', selected('a', { a: 0, b: 1 }), result('Paris'), 'a had fewer votes'],
    ['one without votes, of which nothing is said', selected('a', { a: 0, b: 0 }), result('Paris'), 'nobody had voted'],
    ['one of who has not answered', selected('c', { c: 1, b: 0 }), result('Paris'), 'c had given no answer'],
    ['a success without a word', selected('a', { a: 1, b: 0 }), result(' —'), 'submitted without an answer'],
  ])('%s is untrue', (_, vote, given, said) => expect(figures(vote, given).untrue).toEqual([said]));

  test('one without votes is not, where the run says so', () => {
    const warnings = ['Nobody has voted: the answer of a was taken'];
    expect(figures(selected('a', { a: 0, b: 0 }), result('Lyon', { warnings })).untrue).toEqual([]);
  });
});

test('the table marks a course that did not end honestly', () => {
  const row = { calls: 1, repairs: 0, prose: 0, tokensIn: 10, tokensOut: 2, warnings: 0, seconds: 1.6 };
  const table = tableOf([
    { course: 'team', outcome: 'submitted', isHonest: true, isGiven: true, votes: [2, 3], untrue: [], ...row },
    { course: 'react', outcome: 'hung', isHonest: false, isGiven: undefined, votes: [0, 0], untrue: [], ...row },
  ]);
  expect(table.split('\n')).toEqual([
    "course  outcome          calls  repairs  prose taken   votes  tokens in  tokens out  seconds  warnings  an agent's answer  untrue",
    'team    submitted            1        0            0  2 of 3         10           2        2         0                yes       0',
    'react   NOT HONEST hung      1        0            0                 10           2        2         0                          0',
  ]);
});
