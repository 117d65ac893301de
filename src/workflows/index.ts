import { ApplicationFailure, workflowInfo } from '@temporalio/workflow';
import { workflowTypes } from '../protocol/definitions.ts';
import { failureTypes } from '../protocol/errors.ts';

// The workflow types. A client starts them by the names of these exports.
export { notification } from './notification/workflow.ts';
export { orchestration } from './orchestration/workflow.ts';
export { planAndExecute } from './plan-and-execute/workflow.ts';
export { research } from './research/workflow.ts';
export { session } from './session/workflow.ts';

/**
 * Temporal's SDK runs this for workflow types that the bundle does not export, whose tasks it would try again for ever.
 *
 * @throws `ApplicationFailure` of type `InvalidInput`, always
 */
export default async function unknownType(): Promise<never> {
  const type = workflowInfo().workflowType.slice(0, 100);
  const text = `There is no workflow type "${type}"; valid types: ${workflowTypes.join(', ')}`;
  throw ApplicationFailure.nonRetryable(text, failureTypes.invalidInput);
}
