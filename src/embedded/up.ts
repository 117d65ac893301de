import { loadClientConnectConfig } from '@temporalio/envconfig';
import { NativeConnection, type Worker } from '@temporalio/worker';
import { msToTs } from '@temporalio/common/lib/time.js';
import { createWorker } from '../worker.ts';
import { quietRuntime } from '../worker/quiet-runtime.ts';
import { readEnvironment } from '../config/environment.ts';
import { fingerprintOf } from './fingerprint.ts';
import { endServer, isServing, openServer, reopenServer, type Say } from './home-server.ts';
import type { Holder, Lock } from './lock.ts';

interface UpSettings {
  home: string;
  /** The address that is asked for, such as `127.0.0.1:7233`. */
  address: string;
  namespace: string;
  extensions: string;
  background: boolean;
  say: Say;
}

/** How an `up` ends: `hand over` leaves the server to the next one. */
export type Ending = 'stop' | 'hand over';

/** How long `stop` waits for calls in flight, in milliseconds; `hand over` waits for all of them. */
const graceMs = 5000;

const watchServerEveryMs = 2000;

/** The server of a home folder, which has a process of its own, and the folder's worker in this process. */
export class Up {
  readonly #settings: UpSettings;
  readonly #lock: Lock;
  #holder: Holder;
  #worker: Worker | undefined;
  #ending: Ending | undefined;

  /** Finds or starts the folder's server. @throws where it cannot be started */
  static async start(settings: UpSettings, lock: Lock): Promise<Up> {
    const { home, address, namespace, extensions, background, say } = settings;
    const place = await openServer(home, address, say);
    const up = new Up(settings, lock, {
      pid: process.pid,
      background,
      asked: address,
      namespace,
      extensions,
      fingerprint: fingerprintOf(readEnvironment(process.env), extensions),
      ready: false,
      ...place,
    });
    lock.describe(up.#holder);
    return up;
  }

  private constructor(settings: UpSettings, lock: Lock, holder: Holder) {
    this.#settings = settings;
    this.#lock = lock;
    this.#holder = holder;
  }

  get holder(): Holder {
    return this.#holder;
  }

  /** Runs the worker until `end` is called. @param onReady is called when the worker polls */
  async run(onReady: () => void): Promise<void> {
    const { home, namespace, extensions, say } = this.#settings;
    const { address, serverPid } = this.#holder;
    if (serverPid !== undefined) void this.#keepServer();
    quietRuntime();
    // The TLS settings and the API key of the environment are not meant for the embedded server.
    const connectionOptions = serverPid === undefined ? loadClientConnectConfig().connectionOptions : {};
    const connection = await NativeConnection.connect({ ...connectionOptions, address });
    if (serverPid !== undefined) await ensureNamespace(connection, namespace);
    this.#worker = await createWorker({
      connection,
      namespace,
      home,
      configFolder: extensions,
      variables: process.env,
      onBundling: () => say('Bundling the workflows (once) …'),
    });
    if (this.#ending !== undefined) return;
    this.#holder = { ...this.#holder, ready: true };
    this.#lock.describe(this.#holder);
    onReady();
    await this.#worker.run();
  }

  /** Lets calls in flight finish, ends the server unless it is handed over, and gives the folder back. */
  async end(ending: Ending): Promise<void> {
    if (this.#ending !== undefined) return;
    this.#ending = ending;
    if (this.#worker?.getState() === 'RUNNING') {
      this.#worker.shutdown();
      await Promise.race([
        this.#drained(),
        ...(ending === 'stop' ? [new Promise((resolve) => setTimeout(resolve, graceMs))] : []),
      ]);
    }
    if (ending === 'stop' && this.#holder.serverPid !== undefined) await endServer(this.#settings.home);
    this.#lock.release(ending === 'stop');
  }

  async #drained(): Promise<void> {
    while (this.#worker?.getState() !== 'STOPPED') await new Promise((resolve) => setTimeout(resolve, 50));
  }

  /** Starts the server again, on the same data and address, whenever it has died. */
  async #keepServer(): Promise<void> {
    const { home, say } = this.#settings;
    while (this.#ending === undefined) {
      await new Promise((resolve) => setTimeout(resolve, watchServerEveryMs));
      if (this.#ending !== undefined || isServing(home)) continue;
      say(`The Temporal server is gone; starting it again at ${this.#holder.address}`);
      try {
        this.#holder = { ...this.#holder, ...(await reopenServer(home, this.#holder, say)) };
      } catch (error) {
        say(error instanceof Error ? error.message : String(error));
        continue;
      }
      // oxlint-disable-next-line typescript/no-unnecessary-condition
      if (this.#ending === 'stop') await endServer(home);
      else this.#lock.describe(this.#holder);
    }
  }
}

/** How long closed runs are kept: as long as Temporal's development server keeps them in its default namespace. */
const retention = msToTs('1 day');

/** gRPC's ALREADY_EXISTS. */
const alreadyExists = 6;

/** Makes a namespace on the embedded server, where nobody else would make it. */
async function ensureNamespace(connection: NativeConnection, namespace: string): Promise<void> {
  try {
    await connection.workflowService.registerNamespace({
      namespace,
      workflowExecutionRetentionPeriod: retention,
    });
  } catch (error) {
    if ((error as { code?: number }).code !== alreadyExists) throw error;
  }
}
