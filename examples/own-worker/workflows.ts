/** Has a team of Reprise answer a ticket: the orchestration is a child workflow, and runs in the same worker. */
import { executeChild, workflowInfo } from '@temporalio/workflow';
import type { OrchestrationResult } from 'reprise';

export async function triage(ticket: string): Promise<string> {
  const result = (await executeChild('orchestration', {
    workflowId: `${workflowInfo().workflowId}-team`,
    args: [{ task: ticket }],
  })) as OrchestrationResult;
  return `${result.finalAgent} answers: ${result.answer}`;
}
