import { ApplicationFailure } from '@temporalio/workflow';
import type { OrchestratorSettings } from '../../config/orchestrators.ts';
import { failureTypes } from '../../protocol/errors.ts';
import { askingText, type AskingRules } from '../ask-others/prompts.ts';
import { reactSystem } from './prompts.ts';
import { react } from './react.ts';
import { simpleTool } from './simple-tool.ts';
import type { Loop } from './loop-context.ts';

/** The loop of an agent by its settings. */
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

/** The system message of an agent alone: its own, then how it may ask. */
export function systemOf(settings: OrchestratorSettings, asking: AskingRules | undefined): string {
  const own =
    settings.kind === 'react'
      ? (settings.system_prompt ?? reactSystem)
      : settings.kind === 'simple_tool'
        ? settings.system_prompt
        : '';
  return [own, ...(asking === undefined ? [] : [askingText(asking)])].filter((text) => text !== '').join('\n\n');
}
