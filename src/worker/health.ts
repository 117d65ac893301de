import { once } from 'node:events';
import type { Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { NativeConnection, Worker } from '@temporalio/worker';
import type { Store } from '../store/store.ts';
import { VariableError } from '../util/environment.ts';

export interface HealthSettings {
  /** 0 takes a free one. */
  port: number;
  /** `127.0.0.1` when absent, so that only this machine can ask. */
  host?: string;
}

/** What a worker's health depends on. */
export interface Watched {
  worker: Worker;
  connection: NativeConnection;
  namespace: string;
  store: Store;
}

/** How long the server and the store may take to answer, in milliseconds. */
const timeoutMs = 3000;

/** For how long an answer holds, in milliseconds, so that whoever asks often costs nothing. */
const heldMs = 1000;

/**
 * Answers orchestrators such as Kubernetes over HTTP: `GET /live`, whether the worker must be started anew, and `GET /ready`,
 * whether it takes work: it polls, and Temporal and the store answer. The status is 200 or 503, and the body
 * `{"status": "ok" | "failing", "worker": …, "problems": [text]}`, with Temporal's name of the worker's state.
 *
 * A process whose event loop stands still does not answer at all, which counts as failing too.
 */
export class Health {
  readonly #server: Server;
  #watched: Watched | undefined;
  #problems: { since: number; found: Promise<string[]> } | undefined;

  /** @throws `VariableError` where it cannot listen there */
  static async open({ host = '127.0.0.1', port }: HealthSettings): Promise<Health> {
    const { createServer } = await import('node:http');
    const health = new Health(createServer());
    try {
      await once(health.#server.listen(port, host), 'listening');
    } catch (error) {
      throw new VariableError(
        `REPRISE_HEALTH_PORT: cannot listen on ${host}, port ${port} (${(error as Error).message}); name another port`,
        { cause: error },
      );
    }
    return health;
  }

  private constructor(server: Server) {
    this.#server = server.on('request', (request, response) => {
      const isKnown = request.url === '/live' || request.url === '/ready';
      if (!isKnown) return send(response, 404, { problems: ['there are /live and /ready'] });
      if (request.method !== 'GET' && request.method !== 'HEAD') return send(response, 405, { problems: ['use GET'] });
      void this.#answer(request.url === '/ready', response);
    });
    this.#server.unref();
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  watch(watched: Watched): void {
    this.#watched = watched;
  }

  close(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }

  async #answer(asksForWork: boolean, response: ServerResponse): Promise<void> {
    const problems = asksForWork ? await this.#whyNoWork() : this.#whyDead();
    send(response, problems.length === 0 ? 200 : 503, {
      status: problems.length === 0 ? 'ok' : 'failing',
      worker: this.#watched?.worker.getState() ?? 'STARTING',
      problems,
    });
  }

  #whyDead(): string[] {
    return this.#watched?.worker.getState() === 'FAILED' ? ['the worker has failed; its log says why'] : [];
  }

  async #whyNoWork(): Promise<string[]> {
    if (this.#watched === undefined) return ['the worker is starting'];
    const state = this.#watched.worker.getState();
    if (state !== 'RUNNING') return [`the worker does not poll: ${state}`];
    const now = performance.now();
    if (this.#problems === undefined || now - this.#problems.since > heldMs) {
      this.#problems = { since: now, found: troubles(this.#watched) };
    }
    return this.#problems.found;
  }
}

async function troubles({ connection, namespace, store }: Watched): Promise<string[]> {
  const asked = [
    ['Temporal', connection.workflowService.describeNamespace({ namespace })],
    ['the store', store.tries('health')],
  ] as const;
  const found = asked.map(async ([what, answer]) => {
    const late = Promise.withResolvers<never>();
    const timer = setTimeout(() => late.reject(new Error(`no answer within ${timeoutMs / 1000} s`)), timeoutMs);
    try {
      await Promise.race([answer, late.promise]);
      return [];
    } catch (error) {
      return [`${what} does not answer: ${(error as Error).message}`];
    } finally {
      clearTimeout(timer);
    }
  });
  return (await Promise.all(found)).flat();
}

function send(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json', 'cache-control': 'no-store' });
  response.end(`${JSON.stringify(body)}\n`);
}
