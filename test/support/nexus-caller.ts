import { createNexusServiceClient } from '@temporalio/workflow';
import { operation, service } from 'nexus-rpc';

const reprise = service('reprise', { orchestration: operation<object, { answer: string }>() });

/** Has a team of another namespace answer. */
export async function caller(endpoint: string, kind: 'orchestration', input: object): Promise<string> {
  const { answer } = await createNexusServiceClient({ service: reprise, endpoint }).executeOperation(kind, input);
  return answer;
}
