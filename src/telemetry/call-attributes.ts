import { Context } from '@temporalio/activity';
import type { TokenUsage } from '../protocol/message.ts';
import type { CallToolResult, ListedTool } from '../protocol/tools/tool.ts';

/** What an activity has to tell of its present try besides its input and its result. */
export interface CallAttributes {
  /** The result was in the journal, so that nothing was done or paid again. */
  journalHit?: true;
  usage?: TokenUsage;
  /** The model that replied, as the provider names it. */
  responseModel?: string;
  /** The tools that a model's call has run after its reply, in the order in which they ended. */
  quickRuns?: QuickRun[];
  /** How long the result was kept for a store that was out of order, in seconds. */
  storeOutOfOrder?: number;
}

/** A tool that was run within a model's call. Times are milliseconds since the epoch. `late`: it was given up. */
export interface QuickRun {
  tool: ListedTool;
  start: number;
  end: number;
  status: CallToolResult['status'] | 'late';
}

const recorded = new WeakMap<Context, CallAttributes>();

export function recordAttributes(more: CallAttributes): void {
  const context = Context.current();
  recorded.set(context, { ...recorded.get(context), ...more });
}

export function recordQuickRun(run: QuickRun): void {
  recordAttributes({ quickRuns: [...(attributesOf(Context.current()).quickRuns ?? []), run] });
}

export const attributesOf = (context: Context): CallAttributes => recorded.get(context) ?? {};
