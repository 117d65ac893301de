/** A workflow of one's own that has a team answer, as a child workflow of the same worker. */
import { executeChild, workflowInfo } from '@temporalio/workflow';
import type { OrchestrationResult } from 'reprise';

export async function triage(ticket: string): Promise<string> {
  const result = (await executeChild('orchestration', {
    workflowId: `${workflowInfo().workflowId}-team`,
    args: [{ task: ticket }],
  })) as OrchestrationResult;
  return `${result.finalAgent} answers: ${result.answer}`;
}
