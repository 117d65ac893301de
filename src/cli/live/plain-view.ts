import type { RunSnapshot } from '../../client.ts';
import { placeIn } from './progress.ts';
import { Telling } from './telling.ts';
import type { View } from './view.ts';

/** How long nothing may be said before a line tells that the run goes on. */
const silenceMs = 30_000;

/** Lines as they come: for pipes, logs and `--plain`. */
export class PlainView implements View {
  readonly #telling: Telling;
  #saidAt = Date.now();

  constructor(plain: boolean) {
    this.#telling = new Telling(plain);
  }

  show(look: RunSnapshot): void {
    for (const line of this.#telling.linesOf(look)) this.#write(line);
    if (Date.now() - this.#saidAt < silenceMs || look.state === undefined) return;
    const waiting = [...new Set(look.calls.map((call) => this.#telling.agentOf(call)))].join(', ');
    this.say(`… ${placeIn(look.state)}${waiting === '' ? '' : `: waiting for ${waiting}`}`);
  }

  say(text: string): void {
    this.#write(this.#telling.line(text));
  }

  print(text: string): void {
    this.#write(this.#telling.block(text));
  }

  pause(): void {}

  close(): void {}

  #write(line: string): void {
    process.stderr.write(`${line}\n`);
    this.#saidAt = Date.now();
  }
}
