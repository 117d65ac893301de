import { ApplicationFailure } from '@temporalio/workflow';
import { failureTypes } from '../../protocol/errors.ts';
import { react } from './react.ts';
import { simpleTool } from './simple-tool.ts';
import type { Loop } from './loop-context.ts';
import type { OrchestratorSettings } from '../../protocol/settings.ts';

/** @throws `ApplicationFailure` of type `InvalidInput` for a custom orchestrator, which is run by `runCustomTurn` */
export function loopOf(settings: OrchestratorSettings): Loop {
  switch (settings.kind) {
    case 'simple_tool':
      return simpleTool(settings);
    case 'react':
      return react(settings);
    case 'custom':
      throw ApplicationFailure.nonRetryable(
        `${settings.module}: an orchestrator of your own holds whole conversations; it is no loop of a team's agent`,
        failureTypes.invalidInput,
      );
  }
}
