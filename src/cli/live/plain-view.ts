import type { RunEvent } from '../../messages/events.ts';
import { entriesOf, withoutEmoji } from '../../messages/lines.ts';
import { logLine } from '../../worker/log-sink.ts';
import type { View } from './view.ts';

/** Lines as they come: for pipes, logs and `--plain`. */
export class PlainView implements View {
  readonly #plain: boolean;

  constructor(plain: boolean) {
    this.#plain = plain;
  }

  event(event: RunEvent): void {
    for (const entry of entriesOf(event)) {
      const line = logLine(entry, event.at);
      process.stderr.write(`${this.#plain ? withoutEmoji(line) : line}\n`);
    }
  }

  progress(): void {}

  close(): void {}
}
