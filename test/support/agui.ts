import { randomUUID } from 'node:crypto';
import { HttpAgent, type BaseEvent, type Interrupt, type ResumeEntry, type RunFinishedEvent } from '@ag-ui/client';
import { ownerToken, type Serving } from './serving.ts';

/** What the stock client, which checks the order of events, has got in one run. */
export interface Got {
  events: BaseEvent[];
  types: string[];
  /** The last event's, where it is `RUN_FINISHED`. */
  outcome: RunFinishedEvent['outcome'];
  result: unknown;
  interrupts: Interrupt[];
  /** The message of `RUN_ERROR`; undefined for none. */
  error: string | undefined;
}

/** A conversation by AG-UI's stock client, of which each run may go to another server. */
export class Conversation {
  readonly agent: HttpAgent;
  readonly #name: string;

  constructor(name: string, token = ownerToken, threadId: string = randomUUID()) {
    this.#name = name;
    this.agent = new HttpAgent({ url: 'http://unset', threadId, headers: { authorization: `Bearer ${token}` } });
  }

  /** Says something. */
  async say(at: Pick<Serving, 'url'>, content: string, more: { runId?: string } = {}): Promise<Got> {
    this.agent.addMessage({ id: randomUUID(), role: 'user', content });
    return this.run(at, more);
  }

  /** Sends what there is. */
  async run(
    at: Pick<Serving, 'url'>,
    more: { runId?: string; resume?: ResumeEntry[]; abortController?: AbortController } = {},
    onEvent: (event: BaseEvent) => void = () => {},
  ): Promise<Got> {
    this.agent.url = `${at.url}/agui/${this.#name}`;
    const events: BaseEvent[] = [];
    await this.agent.runAgent(more, {
      onEvent({ event }) {
        events.push(structuredClone(event));
        onEvent(event);
      },
    });
    const last = events.at(-1) as unknown as Partial<RunFinishedEvent> & { message?: string };
    const { outcome, result } = last ?? {};
    return {
      events,
      types: events.map(({ type }) => type),
      outcome,
      result,
      interrupts: outcome?.type === 'interrupt' ? outcome.interrupts : [],
      error: last?.message,
    };
  }

  /** The texts that were said to the person. */
  get said(): string[] {
    return this.agent.messages.flatMap(({ content, role }) =>
      role === 'assistant' && typeof content === 'string' && content !== '' ? [content] : [],
    );
  }
}
