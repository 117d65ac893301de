import { homeSecret, isMac, macOf } from './mac.ts';
import { strictest } from './policy.ts';
import { violations } from './violations.ts';
import { inputSchemas, type InputName } from './schemas.ts';

/** The run that a signature is for: seen in a history, it is of no use for any other. */
export interface SignedRun {
  namespace: string;
  workflowType: string;
  workflowId: string;
}

/** Signs an input for the worker of a home, if it reaches beyond that worker's own configuration; else it stays. */
export function signed<T extends object>(input: T, run: SignedRun, home: string): T & { signature?: string } {
  const schema = inputSchemas[run.workflowType as InputName];
  if (violations(schema, input, strictest).length === 0) return input;
  const { signature: _, ...bare } = input as T & { signature?: string };
  return { ...input, signature: macOf(homeSecret(home), signedPart(bare, run)) };
}

/** Whether an input has the signature of a home folder for just this run. */
export function isSigned(input: object, run: SignedRun, home: string): boolean {
  const { signature, ...bare } = input as { signature?: unknown };
  return signature !== undefined && isMac(homeSecret(home), signedPart(bare, run), signature);
}

/** The purpose comes first, so that no other use of the same secret gives a signature. */
const signedPart = (input: object, { namespace, workflowId, workflowType }: SignedRun): unknown => [
  'reprise input',
  namespace,
  workflowType,
  workflowId,
  input,
];
