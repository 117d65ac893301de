import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Client, Connection } from '@temporalio/client';
import { NativeConnection } from '@temporalio/worker';
import { noOrchestrators } from '../../../src/config/extensions.ts';
import { createWorker } from '../../../src/worker.ts';
import { quietRuntime } from '../../../src/worker/quiet-runtime.ts';
import type { Dice } from '../dice.ts';
import { everything } from '../guard.ts';
import { killed } from '../killed.ts';
import type { ModelServer } from '../model-server.ts';
import { replayOptionsOf, type ReplayOptions } from '../replaying.ts';
import { writeCourseKit } from './kit.ts';
import type { Pace } from './looks.ts';
import { firstWords } from '../first-words.ts';

/**
 * How the runs of a track are worked on: by a worker that keeps them in memory; by one that keeps nothing, so that each of
 * its tasks is a replay; or by processes that are killed and follow one another.
 */
export const modes = ['cached', 'uncached', 'killed'] as const;

export type Mode = (typeof modes)[number];

export interface TrackSettings {
  address: string;
  /** Path of the bundled workflows. */
  bundle: string;
  model: ModelServer;
  mode: Mode;
  /** Of the moments at which a worker is killed. */
  dice: Dice;
}

/** For how long a worker that is to be killed may work, in milliseconds. Dead ones' calls are made again after 15 s. */
const lifeMs = [3000, 15_000] as const;

const workerMain = fileURLToPath(new URL('./worker-main.ts', import.meta.url));

const often: Pace = { pollIntervalMs: 250, queries: 1, messageAfterMs: [40, 350] };

/**
 * Where nothing is kept, the SDK drops a task or a query that comes while it lets go of the run ("leftover buffered tasks"), and
 * the server waits ten seconds before it gives another one out.
 */
const seldom: Pace = { pollIntervalMs: 3000, queries: 0.15, messageAfterMs: [400, 1600] };

/** A task queue with its worker, its home, and a client. */
export class Track implements AsyncDisposable {
  readonly mode: Mode;
  readonly taskQueue: string;
  readonly client: Client;
  readonly pace: Pace;
  /** How often a worker was killed. */
  kills = 0;
  readonly #settings: TrackSettings;
  readonly #home = mkdtempSync(join(tmpdir(), 'reprise-track-'));
  readonly #connection: Connection;
  readonly #native: NativeConnection;
  #end: () => Promise<void> = async () => {};

  static async open(settings: TrackSettings): Promise<Track> {
    quietRuntime();
    const { address } = settings;
    const track = new Track(
      settings,
      await Connection.connect({ address }),
      await NativeConnection.connect({ address }),
    );
    writeCourseKit(track.#home);
    await track.#start();
    return track;
  }

  private constructor(settings: TrackSettings, connection: Connection, native: NativeConnection) {
    this.#settings = settings;
    this.#connection = connection;
    this.#native = native;
    this.mode = settings.mode;
    this.pace = settings.mode === 'uncached' ? seldom : often;
    this.client = new Client({ connection });
    this.taskQueue = `${settings.mode}-${process.pid}-${settings.dice.whole(1, 1e9)}`;
  }

  /** Ends the worker, if need be by force, and has a new one, which knows nothing of the runs, while something is done. */
  async withFreshWorker<T>(act: (options: ReplayOptions) => Promise<T>): Promise<T> {
    await this.#end();
    const { end, options } = await this.#startHere(undefined);
    this.#end = end;
    return act(options);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#end();
    await Promise.all([this.#connection.close(), this.#native.close()]);
    rmSync(this.#home, { recursive: true, force: true });
  }

  async #start(): Promise<void> {
    if (this.mode === 'killed') this.#end = this.#startMortals();
    else this.#end = (await this.#startHere(this.mode === 'uncached' ? 0 : undefined)).end;
  }

  async #startHere(cachedRuns: number | undefined): Promise<{ end: () => Promise<void>; options: ReplayOptions }> {
    const worker = await createWorker({
      connection: this.#native,
      namespace: 'default',
      home: this.#home,
      configFolder: this.#home,
      allow: everything,
      variables: this.#variables,
      bundle: { codePath: this.#settings.bundle, orchestrators: noOrchestrators },
      taskQueue: this.taskQueue,
      shutdownGraceTime: '1 second',
      ...(cachedRuns !== undefined && { cachedRuns }),
    });
    const ended = worker.run();
    const end = async (): Promise<void> => {
      worker.shutdown();
      // A task or query that the SDK has dropped may hold up its end for ever; the runs are no worse for it.
      await ended.catch((error: unknown) => console.error(`${this.mode}: did not end`, worker.getStatus(), error));
    };
    return { end, options: replayOptionsOf(worker) };
  }

  /** Has one worker after the other, each killed at some moment. @returns what ends the last of them */
  #startMortals(): () => Promise<void> {
    const over = new AbortController();
    const lives = (async () => {
      while (!over.signal.aborted) {
        const worker = await this.#spawnWorker();
        await pause(this.#settings.dice.whole(...lifeMs), undefined, { signal: over.signal }).catch(() => {});
        await killed(worker);
        this.kills += 1;
      }
    })();
    return async () => {
      over.abort();
      await lives;
    };
  }

  async #spawnWorker(): Promise<ChildProcess> {
    const { address, bundle } = this.#settings;
    const worker = spawn(process.execPath, [workerMain, address, this.#home, bundle, this.taskQueue], {
      env: { ...process.env, ...this.#variables },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    await firstWords(worker);
    return worker;
  }

  get #variables(): Record<string, string> {
    const { anthropic, openai } = this.#settings.model;
    // One is told of everything, and one refuses for good.
    const notify = [
      { url: `${openai}/webhooks/204` },
      { url: `${openai}/webhooks/404`, events: ['question', 'approval'] },
    ];
    return {
      ...(this.mode !== 'cached' && { REPRISE_NOTIFY: JSON.stringify(notify) }),
      OPENAI_API_KEY: 'test-key-openai',
      OPENAI_BASE_URL: openai,
      ANTHROPIC_API_KEY: 'test-key-anthropic',
      ANTHROPIC_BASE_URL: anthropic,
    };
  }
}
