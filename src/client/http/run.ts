import type { RunEvent } from '../../protocol/events.ts';
import type { PendingQuestion } from '../../protocol/questions.ts';
import type { TurnResult } from '../../protocol/session.ts';
import type { State } from '../../protocol/state.ts';
import type { SessionInput } from '../inputs.ts';
import type { RunRecord, ShowOptions } from '../show/show.ts';
import type { PendingCall, RunSnapshot } from '../snapshot.ts';
import type { EventCursor, WatchOptions } from '../watch.ts';
import type { MessageName, RunDescription, RunWay } from '../way.ts';
import type { HttpServer } from './server.ts';
import { watchOver } from './watch.ts';

/** The way to a run by a server. */
export class HttpRun implements RunWay {
  readonly id: string;
  readonly #server: HttpServer;
  /** The input of a session that is begun with its first turn; undefined once it is known to have begun. */
  #input: SessionInput | undefined;

  constructor(server: HttpServer, id: string, input?: SessionInput) {
    this.id = id;
    this.#server = server;
    this.#input = input;
  }

  get #path(): string {
    return `/runs/${encodeURIComponent(this.id)}`;
  }

  async describe(): Promise<RunDescription> {
    return this.#server.get(`${this.#path}/status`);
  }

  async result(signal?: AbortSignal): Promise<unknown> {
    return this.#ended(`${this.#path}/result?wait=60`, { signal });
  }

  async state(): Promise<State> {
    return this.#server.get(`${this.#path}/state`);
  }

  async pendingQuestions(): Promise<PendingQuestion[]> {
    return this.#server.get(`${this.#path}/questions`);
  }

  async pendingCalls(): Promise<PendingCall[]> {
    return this.#server.get(`${this.#path}/calls`);
  }

  async events(from: number): Promise<RunEvent[]> {
    return this.#server.get(`${this.#path}/events?after=${from - 1}`);
  }

  /** A server goes by the sequence number alone. */
  async cursor(): Promise<EventCursor> {
    return { runId: '', seq: (await this.events(1)).at(-1)?.seq ?? 0 };
  }

  watch(options: WatchOptions): AsyncGenerator<RunSnapshot> {
    return watchOver(this, this.#server, `${this.#path}/events?text`, options);
  }

  async show({ prompts }: ShowOptions): Promise<RunRecord> {
    return this.#server.get(`${this.#path}${prompts ? '?prompts' : ''}`);
  }

  async message(name: MessageName, payload: unknown = {}): Promise<void> {
    const word = name === 'requestRestart' ? 'restart' : name;
    await this.#server.send(`${this.#path}/${word}`, { body: payload as object });
  }

  async turn(text: string, turnId: string, signal?: AbortSignal): Promise<TurnResult> {
    const body = { text, ...(this.#input !== undefined && { input: this.#input }) };
    const headers = { 'idempotency-key': turnId };
    const turn = (await this.#ended(`${this.#path}/message`, { body, headers, signal })) as TurnResult;
    this.#input = undefined;
    return turn;
  }

  async begin(text: string, turnId: string, signal?: AbortSignal): Promise<void> {
    const body = { text, ...(this.#input !== undefined && { input: this.#input }) };
    const headers = { 'idempotency-key': turnId };
    await this.#server.send(`${this.#path}/message?wait=1`, { body, headers, signal });
    this.#input = undefined;
  }

  async cancel(): Promise<void> {
    await this.#server.send(`${this.#path}/cancel`, { body: {} });
  }

  async terminate(): Promise<void> {
    throw new Error('Over HTTP a run is not terminated, which leaves it without a result: use cancel()');
  }

  /** Makes a request again until it is answered with what has come to an end. */
  async #ended(
    path: string,
    request: { body?: object; headers?: Record<string, string>; signal?: AbortSignal | undefined },
  ) {
    for (;;) {
      const read = async (answer: Response): Promise<[isOver: boolean, result: unknown]> => [
        answer.status !== 202,
        await answer.json(),
      ];
      const [isOver, result] = await this.#server.read(path, { ...request, attempts: Infinity }, read);
      if (isOver) return result;
    }
  }
}
