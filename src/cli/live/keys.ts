import { createInterface, type Interface, type Key } from 'node:readline';
import type { Shell } from '../shell.ts';

export interface KeyActions {
  /** Shows the whole of what an agent has written, by its place from 0, or hides it again. */
  open(place: number): void;
  restart(): void;
  answer(): void;
  leave(): void;
}

export type KeyTerminal = Pick<Shell, 'stdin' | 'suspend'>;

/** What a narrow terminal cuts off is what one can do without. */
export const keyHint = "q leave, a answer, r restart, 1–9 an agent's text";

/** Listens to single keys, in raw mode. Where the process ends before `stop`, Node puts the terminal back. */
export function keysOf({ stdin, suspend }: KeyTerminal, actions: KeyActions): { start(): void; stop(): void } {
  let reading: Interface | undefined;
  const pressed = (_text: string | undefined, { ctrl, meta, name = '' }: Key): void => {
    if (ctrl || meta) return;
    if (/^[1-9]$/.test(name)) actions.open(Number(name) - 1);
    if (name === 'a') actions.answer();
    if (name === 'r') actions.restart();
    if (name === 'q') actions.leave();
  };
  /** Gives the terminal back; a prompt may use it then. */
  const stop = (): void => {
    const last = reading;
    reading = undefined;
    stdin.off('keypress', pressed);
    last?.close();
  };
  /** Has no effect where it listens already. */
  const start = (): void => {
    if (reading !== undefined) return;
    // Without an output it shows nothing of what is typed.
    reading = createInterface({ input: stdin, terminal: true });
    // Raw mode turns what is a signal otherwise into a key.
    reading.on('SIGINT', () => actions.leave());
    reading.on('SIGTSTP', () => {
      // Once the process goes on, the next look at the run starts it again.
      stop();
      suspend();
    });
    // Ctrl-D ends the reading, and means nothing here.
    reading.once('close', stop);
    stdin.on('keypress', pressed);
  };
  return { start, stop };
}
