/** All workflows of the test run: the real ones, and those that only tests start. */
import { proxyActivities, proxyLocalActivities } from '@temporalio/workflow';
import * as draftCriticiseRevise from '../../examples/custom/draft-criticise-revise.ts';
import type { Activities } from '../../src/activities/activities.ts';
import { registerOrchestrators } from '../../src/workflows/custom-code/load.ts';
import type { CallToolInput, CallToolResult } from '../../src/protocol/tool.ts';
import { callToolOptions } from '../../src/workflows/agent/tool-executor.ts';

export * from '../../src/workflows/index.ts';
export { chained } from './chained.ts';

// As a worker's bundle does it, for its recorded history.
registerOrchestrators({ './draft-criticise-revise.ts': () => draftCriticiseRevise });

/** Runs tools side by side, those without side effects as local activities. */
export async function toolCalls(inputs: CallToolInput[]): Promise<CallToolResult[]> {
  const { callTool } = proxyActivities<Activities>(callToolOptions({ timeout: 60 }));
  const local = proxyLocalActivities<Activities>({ startToCloseTimeout: '1 minute' });
  return Promise.all(
    inputs.map((input) => (input.tool.sideEffects === 'none' ? local.callTool(input) : callTool(input))),
  );
}
