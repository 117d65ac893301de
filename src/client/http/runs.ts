import type { Client } from '@temporalio/client';
import type { InputName } from '../../trust/schemas.ts';
import type { InboxQuestion } from '../inbox.ts';
import type { SessionInput } from '../inputs.ts';
import type { ListedRun, ListOptions } from '../list.ts';
import type { Stats } from '../aggregate.ts';
import type { RunInput, Runs, RunWay, StartOptions } from '../way.ts';
import { HttpRun } from './run.ts';
import type { HttpServer } from './server.ts';

/** The way to runs by a server. */
export class HttpRuns implements Runs {
  readonly #server: HttpServer;

  constructor(server: HttpServer) {
    this.#server = server;
  }

  get client(): Client {
    throw new Error(
      "Over HTTP there is no Temporal client: connect({ address }) has one, where Temporal's server is reached",
    );
  }

  async start(type: InputName, id: string, input: RunInput, options: StartOptions): Promise<RunWay> {
    return (await this.startOnce(type, id, input, options)).way;
  }

  async startOnce(
    type: InputName,
    id: string,
    input: RunInput,
    { priority }: StartOptions,
  ): Promise<{ way: RunWay; isNew: boolean }> {
    if (priority !== undefined) throw new Error('Over HTTP a run has no priority of its own: leave out `priority`');
    // The id makes it the same run, however often it is sent.
    const answer = await this.#server.send('/runs', { body: { type, id, input }, attempts: 5 });
    const started = (await answer.json()) as { id: string };
    return { way: this.run(started.id), isNew: answer.status === 201 };
  }

  run(id: string): RunWay {
    return new HttpRun(this.#server, id);
  }

  session(id: string, input: SessionInput): RunWay {
    return new HttpRun(this.#server, id, input);
  }

  async waiting(): Promise<RunWay[]> {
    const silent: string[] = [];
    const inboxes = await this.inbox((id) => void silent.push(id));
    return [...new Set([...inboxes.map(({ workflowId }) => workflowId), ...silent])].map((id) => this.run(id));
  }

  async inbox(onSilent: (workflowId: string, reason: Error) => void): Promise<InboxQuestion[]> {
    const answer = await this.#server.send('/inbox');
    const silent = answer.headers.get('reprise-silent')?.split(', ') ?? [];
    for (const id of silent) onSilent(decodeURIComponent(id), new Error('it did not answer the server in time'));
    return (await answer.json()) as InboxQuestion[];
  }

  async list({ limit, open = false }: ListOptions): Promise<ListedRun[]> {
    const limited = limit === undefined ? '' : `&limit=${Math.min(limit, 1000)}`;
    return this.#server.get(`/runs?open=${open}${limited}`);
  }

  async stats(): Promise<Stats> {
    return this.#server.get('/stats');
  }

  async close(): Promise<void> {}
}
