import type { PendingCall } from '../../client.ts';
import type { RunEvent } from '../../messages/events.ts';
import type { OrchestrationState } from '../../messages/state.ts';
import { PlainView } from './plain-view.ts';
import { TerminalView } from './terminal-view.ts';

/** Shows a run while it goes on, on standard error. */
export interface View {
  event(event: RunEvent): void;
  /** What is going on at this moment. */
  progress(state: OrchestrationState, calls: PendingCall[]): void;
  /** Leaves the terminal as it should stay. */
  close(): void;
}

/** A region that is redrawn where a person looks at a terminal, else lines. */
export function openView(plain: boolean): View {
  return process.stderr.isTTY && !plain ? new TerminalView() : new PlainView(plain);
}
