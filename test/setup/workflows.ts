/** All workflows of the test run: the real ones, and those that only tests start. */
import { proxyActivities } from '@temporalio/workflow';
import type { Activities } from '../../src/protocol/activities.ts';
import type { CallToolInput, CallToolResult } from '../../src/protocol/tools/tool.ts';
import { callToolOptions } from '../../src/workflows/agent/tool-executor.ts';

export * from '../../src/workflows/index.ts';
export { default } from '../../src/workflows/index.ts';
export { chained } from './chained.ts';

/** Runs tools side by side. */
export async function toolCalls(inputs: CallToolInput[]): Promise<CallToolResult[]> {
  const { callTool } = proxyActivities<Activities>(callToolOptions({ timeout: 60 }));
  return Promise.all(inputs.map((input) => callTool(input)));
}
