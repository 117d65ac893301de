import type { RunSnapshot, Run, WatchOptions } from '../client.ts';
import { openView, type View } from './live/view.ts';
import { QuestionPrompter, type QuestionOptions } from './questions/prompter.ts';

/** Time between two attempts to bring back what a run needs. */
const reviveEveryMs = 10_000;

/** Shows a run, and puts its questions to the person; for one `show`. */
export class Following {
  readonly view: View;
  readonly #run: Run;
  readonly #questions: QuestionPrompter;
  readonly #revive: () => Promise<void>;
  readonly #leave: () => void;
  #held: RunSnapshot | undefined;
  #revivedAt = 0;
  #troubled = false;

  /**
   * @param revive starts what a run at a local address needs, if it died
   * @param leave what Ctrl-C does, once the terminal is as it should stay
   */
  constructor(run: Run, options: QuestionOptions, revive: () => Promise<void>, leave: () => never) {
    this.view = openView(options.plain ?? false);
    this.#leave = () => {
      this.close();
      leave();
    };
    this.#run = run;
    this.#revive = revive;
    this.#questions = new QuestionPrompter(run, options, this.view, this.#leave);
    process.once('SIGINT', this.#leave);
  }

  /** @returns for how long the run has gone on as far as was seen, in milliseconds */
  async show(watch: WatchOptions): Promise<number> {
    let since = 0;
    let until = 0;
    for await (const look of this.#run.watch(watch)) {
      this.#show(look);
      this.#questions.see(look.events);
      since ||= Date.parse(look.events.at(0)?.at ?? '') || 0;
      until = Date.parse(look.events.at(-1)?.at ?? '') || until;
      await this.#mend(look);
    }
    this.close();
    return until - since;
  }

  /** Leaves the terminal as it should stay. */
  close(): void {
    process.removeListener('SIGINT', this.#leave);
    this.#questions.close();
    if (this.#held !== undefined) this.view.show(this.#held);
    this.#held = undefined;
    this.view.close();
  }

  /** While the person is prompted, what happens is kept for later. */
  #show(look: RunSnapshot): void {
    const all = this.#held === undefined ? look : { ...look, events: [...this.#held.events, ...look.events] };
    this.#held = this.#questions.isPrompting ? all : undefined;
    if (this.#held === undefined) this.view.show(all);
  }

  async #mend({ trouble }: RunSnapshot): Promise<void> {
    if (trouble === undefined) {
      this.#troubled = false;
      return;
    }
    if (this.#questions.isPrompting) return;
    if (!this.#troubled)
      this.view.say(`No worker answers; the run goes on as soon as one does (${trouble.message})`);
    this.#troubled = true;
    if (Date.now() - this.#revivedAt < reviveEveryMs) return;
    this.#revivedAt = Date.now();
    await this.#revive();
  }
}
