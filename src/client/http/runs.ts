import type { TurnResult } from '../../protocol/session.ts';
import type { InboxQuestion } from '../inbox.ts';
import type { Runs } from '../temporal/runs.ts';
import type { RunWay } from '../temporal/run.ts';
import type { SessionInput } from '../way.ts';
import type { HttpServer, Request } from './server.ts';
import { watchOver } from './watch.ts';

/** The way to a run by a server. @param input with which a session is begun by its first turn, unless it is open */
export function httpRun(server: HttpServer, id: string, input?: SessionInput): RunWay {
  const path = `/runs/${encodeURIComponent(id)}`;
  let begins = input;
  /** Makes a request again until it is answered with what has come to an end. */
  const ended = async (word: string, request: Request): Promise<unknown> => {
    const read = async (answer: Response) => ({ isOver: answer.status !== 202, result: await answer.json() });
    for (;;) {
      const { isOver, result } = await server.read(`${path}/${word}`, { ...request, attempts: Infinity }, read);
      if (isOver) return result;
    }
  };
  const saying = (text: string, turnId: string, signal: AbortSignal | undefined): Request => {
    const body = { text, ...(begins !== undefined && { input: begins }) };
    return { body, headers: { 'idempotency-key': turnId }, signal };
  };
  const way: RunWay = {
    id,
    describe: () => server.get(`${path}/status`),
    result: (signal) => ended('result?wait=60', { signal }),
    state: () => server.get(`${path}/state`),
    pendingQuestions: () => server.get(`${path}/questions`),
    pendingCalls: () => server.get(`${path}/calls`),
    events: (from) => server.get(`${path}/events?after=${from - 1}`),
    // A server goes by the sequence number alone.
    cursor: async () => ({ runId: '', seq: (await way.events(1)).at(-1)?.seq ?? 0 }),
    watch: (options) => watchOver(way, server, `${path}/events?text`, options),
    show: ({ prompts }) => server.get(`${path}${prompts ? '?prompts' : ''}`),
    async message(name, payload = {}) {
      await server.send(`${path}/${name === 'requestRestart' ? 'restart' : name}`, { body: payload as object });
    },
    async turn(text, turnId, signal) {
      const turn = await ended('message', saying(text, turnId, signal));
      begins = undefined;
      return turn as TurnResult;
    },
    async begin(text, turnId, signal) {
      await server.send(`${path}/message?wait=1`, saying(text, turnId, signal));
      begins = undefined;
    },
    async cancel() {
      await server.send(`${path}/cancel`, { body: {} });
    },
    async terminate() {
      throw new Error('Over HTTP a run is not terminated, which leaves it without a result: use cancel()');
    },
  };
  return way;
}

const noPriority = (): Error => new Error('Over HTTP a run has no priority of its own: leave out `priority`');

/** The way to runs by a server. */
export function httpRuns(server: HttpServer): Runs {
  const runs: Runs = {
    get client(): never {
      throw new Error(
        "Over HTTP there is no Temporal client: connect({ address }) has one, where Temporal's server is reached",
      );
    },
    start: async (type, id, input, options) => (await runs.startOnce(type, id, input, options)).way,
    async startOnce(type, id, input, { priority }) {
      if (priority !== undefined) throw noPriority();
      // The id makes it the same run, however often it is sent.
      const answer = await server.send('/runs', { body: { type, id, input }, attempts: 5 });
      const started = (await answer.json()) as { id: string };
      return { way: runs.run(started.id), isNew: answer.status === 201 };
    },
    run: (id) => httpRun(server, id),
    session(id, input, { priority }) {
      if (priority !== undefined) throw noPriority();
      return httpRun(server, id, input);
    },
    async waiting() {
      const silent: string[] = [];
      const inboxes = await runs.inbox((id) => void silent.push(id));
      return [...new Set([...inboxes.map(({ workflowId }) => workflowId), ...silent])].map((id) => runs.run(id));
    },
    async inbox(onSilent) {
      const answer = await server.send('/inbox');
      const silent = answer.headers.get('reprise-silent')?.split(', ') ?? [];
      for (const id of silent) onSilent(decodeURIComponent(id), new Error('it did not answer the server in time'));
      return (await answer.json()) as InboxQuestion[];
    },
    list({ limit, open = false, prefix }) {
      if (prefix !== undefined)
        throw new Error('Over HTTP runs are not listed by the beginning of an id: leave out `prefix`');
      const limited = limit === undefined ? '' : `&limit=${Math.min(limit, 1000)}`;
      return server.get(`/runs?open=${open}${limited}`);
    },
    stats: () => server.get('/stats'),
    async close() {},
  };
  return runs;
}
