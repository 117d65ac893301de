import type { RunSnapshot } from '../../client.ts';
import { PlainView } from './plain-view.ts';
import { TerminalView } from './terminal-view.ts';

/** Shows a run while it goes on, on standard error. */
export interface View {
  show(look: RunSnapshot): void;
  /** Says something that is not the run's. */
  say(text: string): void;
  /** The same without a stamp: a block of lines as it is. */
  print(text: string): void;
  /** Leaves the terminal to somebody else until the next `show` or `say`. */
  pause(): void;
  /** Leaves the terminal as it should stay. */
  close(): void;
}

/** A region that is redrawn where a person looks at a terminal, else lines. */
export function openView(plain: boolean): View {
  const redraws = process.stderr.isTTY && process.env['TERM'] !== 'dumb' && !plain;
  return redraws ? new TerminalView(process.stderr) : new PlainView(plain);
}
