import { react } from './react.ts';
import { simpleTool } from './simple-tool.ts';
import type { Loop } from './loop-context.ts';
import type { OrchestratorSettings } from '../../protocol/settings.ts';

/** The settings of Reprise's own loops. A custom orchestrator is run by `runCustomTurn`. */
export type LoopSettings = Exclude<OrchestratorSettings, { kind: 'custom' }>;

export const loopOf = (settings: LoopSettings): Loop =>
  settings.kind === 'react' ? react(settings) : simpleTool(settings);
