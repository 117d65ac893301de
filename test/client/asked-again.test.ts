import type { WorkflowQueryInput, WorkflowStartUpdateInput, WorkflowStartUpdateOutput } from '@temporalio/client';
import { expect, test } from 'vitest';
import { askedAgain } from '../../src/client/asked-again.ts';
import { askAgain } from '../../src/protocol/errors.ts';

/** Asks a worker that answers with these one after the other. */
async function asked(answers: Array<Error | string>): Promise<unknown> {
  const next = async (): Promise<unknown> => {
    const answer = answers.shift();
    if (answer instanceof Error) throw answer;
    return answer;
  };
  return askedAgain.query?.({} as WorkflowQueryInput, next);
}

test('a query that a worker has put off is sent again', async () => {
  expect(await asked([new Error(`Query failed: ${askAgain}`), new Error(askAgain), 'state'])).toBe('state');
});

test('a query that fails for another reason is not sent again', async () => {
  const answers = [new Error('no such query'), 'state'];
  await expect(asked(answers)).rejects.toThrow('no such query');
  expect(answers).toEqual(['state']);
});

/** What the server says of an update: that it was done, or that the run has never seen it. */
const done = { updateId: 'turn-1', workflowRunId: 'run-1', outcome: { success: {} } };
const refusedAs = (type: string) => ({ ...done, outcome: { failure: { applicationFailureInfo: { type } } } });

test('an update that a worker has overlooked is sent again, and one that was refused is not', async () => {
  const answers: WorkflowStartUpdateOutput[] = [refusedAs('UnprocessedUpdate'), refusedAs('TooLarge'), done];
  const next = async (): Promise<WorkflowStartUpdateOutput> => answers.shift()!;
  expect(await askedAgain.startUpdate?.({} as WorkflowStartUpdateInput, next)).toEqual(refusedAs('TooLarge'));
  expect(answers).toEqual([done]);
});
