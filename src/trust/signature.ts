import type { Environment } from '../util/environment.ts';
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

/** The name of the secret of a store by which its workers know each other's commands and servers. */
export const signingName = 'inputs';

/** Signs an input for the worker of a home, if it reaches beyond that worker's own configuration; else it stays. */
export const signed = <T extends object>(input: T, run: SignedRun, home: string): T & { signature?: string } =>
  isReaching(input, run) ? withSignature(input, run, homeSecret(home)) : input;

/** The same for the workers of the store that machines share, where the environment names one. @throws what `openStore` does */
export async function signedIn<T extends object>(
  input: T,
  run: SignedRun,
  { environment, home }: { environment: Environment; home: string },
): Promise<T & { signature?: string }> {
  if (environment['DATABASE_URL'] === undefined || !isReaching(input, run)) return signed(input, run, home);
  const { openStore } = await import('../store/open-store.ts');
  const store = openStore(home, environment);
  try {
    return withSignature(input, run, await store.secret(signingName));
  } finally {
    await store.close();
  }
}

const isReaching = (input: object, { workflowType }: SignedRun): boolean =>
  violations(inputSchemas[workflowType as InputName], input, strictest).length > 0;

function withSignature<T extends object>(input: T, run: SignedRun, secret: string): T & { signature?: string } {
  const { signature: _, ...bare } = input as T & { signature?: string };
  return { ...input, signature: macOf(secret, signedPart(bare, run)) };
}

/** Whether an input has the signature by a secret for just this run. */
export function isSigned(input: object, run: SignedRun, secret: string): boolean {
  const { signature, ...bare } = input as { signature?: unknown };
  return signature !== undefined && isMac(secret, signedPart(bare, run), signature);
}

/** The purpose comes first, so that no other use of the same secret gives a signature. */
const signedPart = (input: object, { namespace, workflowId, workflowType }: SignedRun): unknown => [
  'reprise input',
  namespace,
  workflowType,
  workflowId,
  input,
];
