import { CancellationScope, condition, defineSignal, isCancellation, setHandler } from '@temporalio/workflow';
import type { Decision } from '../../protocol/research.ts';
import type { RestartRequest } from '../../protocol/state.ts';
import type { EventLog } from '../runtime/event-log.ts';

/** Signal `decide`: a person ends the loop. */
export const decideSignal = defineSignal<[Decision]>('decide');

/** What a person wants, and what ends the work under way for it. */
export type Wish =
  ({ kind: 'restart' } & RestartRequest) | { kind: 'accept' } | { kind: 'stop'; note: string };

/** How far a research has come, for what a person may want of it. */
export interface Progress {
  /** Whether there is something to accept: material at least. */
  hasMaterial(): boolean;
  isWriting(): boolean;
  /** Whether the report is there: nothing can be done about it any more. */
  isOver(): boolean;
}

/** A person who may step into a research at any time. Handlers are there from the first moment: signals may be too. */
export class Person {
  /** Accepted before there was anything to report on: the first material will do. */
  isContent = false;
  readonly #events: EventLog;
  #progress: Progress | undefined;
  #early: Decision[] = [];
  #wish: Wish | undefined;
  #scope: CancellationScope | undefined;

  constructor(events: EventLog) {
    this.#events = events;
    setHandler(decideSignal, (decision) => this.#decide(decision));
  }

  /** From here on decisions are carried out; those that came before are, too. */
  follow(progress: Progress): void {
    this.#progress = progress;
    for (const decision of this.#early.splice(0)) this.#decide(decision);
  }

  /** A person wants another plan; whether one is left has been looked at. */
  request(request: RestartRequest): void {
    if (this.#progress?.isOver()) return this.#tooLate('requestRestart');
    this.isContent = false;
    this.#want({ kind: 'restart', ...request });
  }

  /** Does some work until it is done or a person wants something else: then what it has under way is cancelled. */
  async unlessStopped<T>(work: () => Promise<T>): Promise<{ done: T } | { wish: Wish }> {
    if (this.#wish !== undefined) return { wish: this.#take() };
    this.#scope = new CancellationScope();
    try {
      return { done: await this.#scope.run(work) };
    } catch (error) {
      if (this.#wish === undefined || !isCancellation(error)) throw error;
      return { wish: this.#take() };
    } finally {
      this.#scope = undefined;
    }
  }

  /** Waits until a person wants something. */
  async decision(): Promise<Wish> {
    await condition(() => this.#wish !== undefined);
    return this.#take();
  }

  #decide(decision: Decision): void {
    const { action, note } = decision ?? {};
    if (!['accept', 'stop'].includes(action) || !['string', 'undefined'].includes(typeof note)) {
      this.#events.emit({
        type: 'warning',
        text: 'A signal decide without {action: accept | stop, note?} is ignored',
      });
      return;
    }
    if (this.#progress === undefined) {
      this.#early.push(decision);
      return;
    }
    if (this.#progress.isOver()) return this.#tooLate('decide');
    this.#events.emit({ type: 'decided', action, ...(note !== undefined && { note }) });
    if (action === 'stop') this.#want({ kind: 'stop', note: note ?? '' });
    else if (this.#progress.isWriting()) return;
    else if (this.#progress.hasMaterial()) this.#want({ kind: 'accept' });
    else this.isContent = true;
  }

  #want(wish: Wish): void {
    this.#wish = wish;
    this.#scope?.cancel();
  }

  #take(): Wish {
    const wish = this.#wish;
    this.#wish = undefined;
    return wish as Wish;
  }

  #tooLate(signal: string): void {
    this.#events.emit({ type: 'warning', text: `${signal} is ignored: the report is written` });
  }
}
