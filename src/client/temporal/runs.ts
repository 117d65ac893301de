import {
  type Client,
  type Connection,
  type ConnectionOptions,
  defaultGrpcRetryOptions,
  makeGrpcRetryInterceptor,
  WorkflowExecutionAlreadyStartedError,
  type WorkflowStartOptions,
} from '@temporalio/client';
import type { Priority } from '@temporalio/common';
import { canonicalJson } from '../../trust/mac.ts';
import type { InputName } from '../../trust/schemas.ts';
import type { Environment } from '../../util/environment.ts';
import { hashOf } from '../../util/ids.ts';
import { RunExistsError } from '../errors.ts';
import { type InboxQuestion, questionsOf, waitingRuns } from '../inbox.ts';
import { type ListedRun, type ListOptions, listRuns } from '../list.ts';
import { deploymentName, firstLine } from '../names.ts';
import { statsOf, type StatsOptions } from '../stats.ts';
import type { Stats } from '../aggregate.ts';
import type { RunInput, SessionInput, StartOptions } from '../way.ts';
import { startPinned } from '../asked-again.ts';
import { type RunWay, TemporalRun } from './run.ts';

interface Settings {
  taskQueue: string;
  home: string;
  environment: Environment;
  buildId?: string | undefined;
  priority?: Priority | undefined;
}

/** A way to all runs. What its operations do and throw, `Reprise` says. */
export type Runs = Pick<TemporalRuns, keyof TemporalRuns>;

export class TemporalRuns {
  readonly client: Client;
  readonly #connection: Pick<Connection, 'close'>;
  readonly #settings: Settings;

  constructor(client: Client, connection: Pick<Connection, 'close'>, settings: Settings) {
    this.client = client;
    this.#connection = connection;
    this.#settings = settings;
  }

  async start(type: InputName, id: string, input: RunInput, options: StartOptions): Promise<RunWay> {
    const run = await this.#begun(type, await this.#startOptions(type, id, input, options));
    if (run === undefined) throw new RunExistsError(id, 'which is open');
    return run;
  }

  async startOnce(
    type: InputName,
    id: string,
    input: RunInput,
    options: StartOptions,
  ): Promise<{ way: RunWay; isNew: boolean }> {
    const started = await this.#startOptions(type, id, input, options);
    const run = await this.#begun(type, { ...started, workflowIdReusePolicy: 'REJECT_DUPLICATE' });
    if (run !== undefined) return { way: run, isNew: true };
    const { memo } = await this.client.workflow.getHandle(id).describe();
    if (memo?.['request'] !== started.memo.request) throw new RunExistsError(id);
    return { way: this.run(id), isNew: false };
  }

  /** @returns undefined where there is a run of this id already */
  async #begun(type: InputName, options: WorkflowStartOptions): Promise<TemporalRun | undefined> {
    try {
      return new TemporalRun(await startPinned(() => this.client.workflow.start(type, options)));
    } catch (error) {
      if (error instanceof WorkflowExecutionAlreadyStartedError) return undefined;
      throw error;
    }
  }

  run(id: string): RunWay {
    return new TemporalRun(this.client.workflow.getHandle(id));
  }

  session(id: string, input: SessionInput, options: StartOptions): RunWay {
    return new TemporalRun(this.client.workflow.getHandle(id), () => this.#startOptions('session', id, input, options));
  }

  async waiting(): Promise<RunWay[]> {
    return (await waitingRuns(this.client)).map(({ id }) => this.run(id));
  }

  async inbox(onSilent: (workflowId: string, reason: Error) => void): Promise<InboxQuestion[]> {
    return questionsOf(this.client, onSilent);
  }

  async list(options: ListOptions): Promise<ListedRun[]> {
    return listRuns(this.client, options);
  }

  async stats(options: StatsOptions): Promise<Stats> {
    return statsOf(this.client, options);
  }

  async close(): Promise<void> {
    await this.#connection.close();
  }

  async #startOptions(
    workflowType: InputName,
    workflowId: string,
    input: RunInput,
    { memo, priority = this.#settings.priority, sign = true }: StartOptions,
  ) {
    const { idea, problem, task, text } = input as Partial<Record<string, unknown>>;
    const said = task ?? idea ?? problem ?? text;
    // The summary in the list of the Web UI. What is wrong with an input is told by the run.
    const staticSummary = typeof said === 'string' ? firstLine(said) : '';
    const { buildId, environment, home, taskQueue } = this.#settings;
    const { namespace } = this.client.options;
    // With all schemas of inputs, which what only reads runs has no use for.
    const { signedIn } = await import('../../trust/signature.ts');
    return {
      taskQueue,
      workflowId,
      // By which a run that is to be started once is known again.
      memo: { ...memo, request: hashOf(canonicalJson([workflowType, input])) },
      args: [sign ? await signedIn(input, { namespace, workflowType, workflowId }, { environment, home }) : input],
      ...(priority !== undefined && { priority }),
      ...(staticSummary !== '' && { staticSummary }),
      ...(buildId !== undefined && { versioningOverride: { pinnedTo: { deploymentName, buildId } } }),
    };
  }
}

type Interceptor = NonNullable<ConnectionOptions['interceptors']>[number];

/**
 * Makes requests again as Temporal's client does by itself, and none once the connection is to be closed: one that is made again on
 * a closed connection throws where nobody can catch it, and ends the process.
 */
export class Retries {
  readonly #usual = defaultGrpcRetryOptions();
  #isOver = false;
  /** How many requests wait to be made again. They are counted, since timers come in another order on a machine that stalls. */
  #waiting = 0;
  #none = Promise.withResolvers<void>();

  readonly #again = makeGrpcRetryInterceptor({
    retryableDecider: (attempt, status) => !this.#isOver && this.#usual.retryableDecider(attempt, status),
    delayFunction: (attempt, status) => {
      this.#waiting += 1;
      return this.#usual.delayFunction(attempt, status);
    },
  });

  readonly interceptor: Interceptor = (options, nextCall) => {
    let attempt = 0;
    return this.#again(options, (made) => {
      if (attempt > 0) this.#waiting -= 1;
      attempt += 1;
      if (this.#isOver && this.#waiting === 0) this.#none.resolve();
      return nextCall(made);
    });
  };

  /** Waits until those that wait have been made again; no others are from now on. */
  async end(): Promise<void> {
    this.#isOver = true;
    if (this.#waiting > 0) await this.#none.promise;
  }
}
