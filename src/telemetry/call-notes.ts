import { Context } from '@temporalio/activity';
import type { TokenUsage } from '../protocol/message.ts';

/** What an activity has to tell of its present try besides its input and its result. */
export interface CallNotes {
  /** The result was in the journal, so that nothing was done or paid again. */
  journalHit?: true;
  /** What this try has cost. */
  usage?: TokenUsage;
  /** The model that replied, as the provider names it. */
  responseModel?: string;
  /** How long the result was kept for a store that was out of order, in seconds. */
  storeOutOfOrder?: number;
}

const notes = new WeakMap<Context, CallNotes>();

/** Adds to what is known of the present try. */
export function note(more: CallNotes): void {
  const context = Context.current();
  notes.set(context, { ...notes.get(context), ...more });
}

export const notesOf = (context: Context): CallNotes => notes.get(context) ?? {};
