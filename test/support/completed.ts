import { randomUUID } from 'node:crypto';
import { defaultPayloadConverter } from '@temporalio/common';
import proto from '@temporalio/proto';
import type { Reprise } from '../../src/client.ts';

const { CommandType } = proto.temporal.api.enums.v1;

/**
 * Gives the server a run of some type that has completed with this result, though no workflow has run.
 *
 * @param input of the run; absent: none
 */
export async function completeAs(
  { client }: Reprise,
  type: string,
  workflowId: string,
  result: unknown,
  input?: unknown,
): Promise<void> {
  const { namespace } = client.options;
  const taskQueue = randomUUID();
  await client.workflow.start(type, { taskQueue, workflowId, args: input === undefined ? [] : [input] });
  const { taskToken } = await client.withDeadline(Date.now() + 60_000, () =>
    client.workflowService.pollWorkflowTaskQueue({
      namespace,
      taskQueue: { name: taskQueue },
      identity: 'a test',
    }),
  );
  const payloads = [defaultPayloadConverter.toPayload(result)];
  await client.workflowService.respondWorkflowTaskCompleted({
    namespace,
    taskToken,
    identity: 'a test',
    commands: [
      {
        commandType: CommandType.COMMAND_TYPE_COMPLETE_WORKFLOW_EXECUTION,
        completeWorkflowExecutionCommandAttributes: { result: { payloads } },
      },
    ],
  });
}
