import { createInterface, type Interface, type Key } from 'node:readline';
import type { Shell } from '../shell.ts';

/** What keys do while a run is shown. */
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

/**
 * Listens to single keys on the terminal, which is in raw mode as long as that lasts. Node's readline puts it back; where the
 * process ends before, by a signal too, Node itself does.
 */
export class Keys {
  readonly #terminal: KeyTerminal;
  readonly #actions: KeyActions;
  #reading: Interface | undefined;

  constructor(terminal: KeyTerminal, actions: KeyActions) {
    this.#terminal = terminal;
    this.#actions = actions;
  }

  /** Has no effect where it listens already. */
  start(): void {
    if (this.#reading !== undefined) return;
    // Without an output it shows nothing of what is typed.
    this.#reading = createInterface({ input: this.#terminal.stdin, terminal: true });
    // Raw mode turns what is a signal otherwise into a key.
    this.#reading.on('SIGINT', () => this.#actions.leave());
    this.#reading.on('SIGTSTP', () => {
      // Once the process goes on, the next look at the run starts it again.
      this.stop();
      this.#terminal.suspend();
    });
    // Ctrl-D ends the reading, and means nothing here.
    this.#reading.once('close', () => this.stop());
    this.#terminal.stdin.on('keypress', this.#pressed);
  }

  /** Gives the terminal back; a prompt may use it then. */
  stop(): void {
    const reading = this.#reading;
    this.#reading = undefined;
    this.#terminal.stdin.off('keypress', this.#pressed);
    reading?.close();
  }

  readonly #pressed = (_text: string | undefined, { ctrl, meta, name = '' }: Key): void => {
    if (ctrl || meta) return;
    if (/^[1-9]$/.test(name)) this.#actions.open(Number(name) - 1);
    if (name === 'a') this.#actions.answer();
    if (name === 'r') this.#actions.restart();
    if (name === 'q') this.#actions.leave();
  };
}
