import { ApplicationFailure, workflowInfo } from '@temporalio/workflow';
import { workflowTypes } from '../protocol/definitions.ts';
import { failureTypes } from '../protocol/errors.ts';

/**
 * Temporal's SDK runs this for workflow types that the bundle does not export, whose tasks it would try again for ever.
 *
 * @throws `ApplicationFailure` of type `InvalidInput`, always
 */
export async function unknownType(): Promise<never> {
  const { workflowType } = workflowInfo();
  const types = workflowTypes.join(', ');
  throw ApplicationFailure.nonRetryable(
    `There is no workflow type "${workflowType.slice(0, 100)}"; valid types: ${types}`,
    failureTypes.invalidInput,
  );
}
