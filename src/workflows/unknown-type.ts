import { ApplicationFailure, workflowInfo } from '@temporalio/workflow';
import { failureTypes } from '../protocol/errors.ts';

/** The workflow types that there are. */
export const ownTypes = ['orchestration', 'planAndExecute', 'research', 'session'];

/**
 * Temporal's SDK runs this for workflow types that the bundle does not export, whose tasks it would try again for ever.
 *
 * @throws `ApplicationFailure` of type `InvalidInput`, always
 */
export async function unknownType(): Promise<never> {
  const { workflowType } = workflowInfo();
  const types = ownTypes.join(', ');
  throw ApplicationFailure.nonRetryable(
    `There is no workflow type "${workflowType.slice(0, 100)}"; valid types: ${types}`,
    failureTypes.invalidInput,
  );
}
