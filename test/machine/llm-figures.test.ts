import { WorkflowFailedError } from '@temporalio/client';
import { ActivityFailure, ApplicationFailure, RetryState, TerminatedFailure } from '@temporalio/common';
import { expect, test } from 'vitest';
import { endingOf, figuresOf, tableOf } from '../../scripts/llm/figures.ts';
import type { RunEvent, Usage } from '../../src/client.ts';

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
  const asked = ['plan', 'plan', 'validate', 'answer', 'answer'].map((purpose) => event('thinking', { purpose }));
  const events = [...asked, event('refused'), event('tool'), event('warning'), event('refused'), ...said];
  expect(figuresOf(events, usage)).toEqual({ calls: 3, repairs: 3, prose: 1, tokensIn: 40, tokensOut: 5, warnings: 1 });
  expect(figuresOf(events, usage, ['one', 'two', 'three']).warnings).toBe(3);
});

test('the table marks a course that did not end honestly', () => {
  const row = { calls: 1, repairs: 0, prose: 0, tokensIn: 10, tokensOut: 2, warnings: 0, seconds: 1.6 };
  const table = tableOf([
    { course: 'team', outcome: 'submitted', isHonest: true, ...row },
    { course: 'react', outcome: 'hung', isHonest: false, ...row },
  ]);
  expect(table.split('\n')).toEqual([
    'course  outcome          calls  repairs  prose taken  tokens in  tokens out  seconds  warnings',
    'team    submitted            1        0            0         10           2        2         0',
    'react   NOT HONEST hung      1        0            0         10           2        2         0',
  ]);
});
