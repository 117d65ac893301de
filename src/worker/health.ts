import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import type { NativeConnection, Worker } from '@temporalio/worker';
import type { Store } from '../store/store.ts';
import { VariableError } from '../util/environment.ts';

export interface HealthSettings {
  /** 0 takes a free one. */
  port: number;
  /** `127.0.0.1` when absent, so that only this machine can ask. */
  host?: string;
}

type Watched = { worker: Worker; connection: NativeConnection; namespace: string; store: Store };

/** How long the server and the store may take to answer, in milliseconds. */
const timeoutMs = 3000;

/** For how long an answer holds, in milliseconds, so that whoever asks often costs nothing. */
const heldMs = 1000;

export type Health = { watch(watched: Watched): void; close(): void };

/**
 * Answers orchestrators such as Kubernetes over HTTP: `GET /live`, whether the worker must be started anew, and `GET /ready`,
 * whether it takes work: it polls, and Temporal and the store answer. The status is 200 or 503, and the body
 * `{"status": "ok" | "failing", "worker": …, "problems": [text]}`, with Temporal's name of the worker's state.
 *
 * @throws `VariableError` where it cannot listen there
 */
export async function openHealth({ host = '127.0.0.1', port }: HealthSettings): Promise<Health> {
  const { createServer } = await import('node:http');
  let watched: Watched | undefined;
  let last: { at: number; found: Promise<string[]> } | undefined;

  const stateOf = (): string => watched?.worker.getState() ?? 'STARTING';
  const whyDead = (): string[] => (stateOf() === 'FAILED' ? ['the worker has failed; its log says why'] : []);
  const whyNoWork = async (): Promise<string[]> => {
    if (watched === undefined) return ['the worker is starting'];
    if (stateOf() !== 'RUNNING') return [`the worker does not poll: ${stateOf()}`];
    const now = performance.now();
    if (last === undefined || now - last.at > heldMs) last = { at: now, found: troubles(watched) };
    return last.found;
  };

  const answer = async (path: string, response: ServerResponse): Promise<void> => {
    const problems = path === '/ready' ? await whyNoWork() : whyDead();
    const isOk = problems.length === 0;
    send(response, isOk ? 200 : 503, { status: isOk ? 'ok' : 'failing', worker: stateOf(), problems });
  };
  const server = createServer(({ method = '', url = '' }, response) => {
    if (url !== '/live' && url !== '/ready') send(response, 404, { problems: ['there are /live and /ready'] });
    else if (!['GET', 'HEAD'].includes(method)) send(response, 405, { problems: ['use GET'] });
    else void answer(url, response);
  });
  server.unref();
  try {
    await once(server.listen(port, host), 'listening');
  } catch (error) {
    throw new VariableError(
      `REPRISE_HEALTH_PORT: cannot listen on ${host}, port ${port} (${(error as Error).message}); name another port`,
      { cause: error },
    );
  }
  return {
    watch: (given) => void (watched = given),
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

async function troubles({ connection, namespace, store }: Watched): Promise<string[]> {
  const asked = [
    ['Temporal', connection.workflowService.describeNamespace({ namespace })],
    ['the store', store.tries('health')],
  ] as const;
  const found = asked.map(async ([what, answer]) => {
    const late = pause(timeoutMs, undefined, { ref: false }).then(() => {
      throw new Error(`no answer within ${timeoutMs / 1000} s`);
    });
    try {
      await Promise.race([answer, late]);
      return [];
    } catch (error) {
      return [`${what} does not answer: ${(error as Error).message}`];
    }
  });
  return (await Promise.all(found)).flat();
}

function send(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json', 'cache-control': 'no-store' });
  response.end(`${JSON.stringify(body)}\n`);
}
