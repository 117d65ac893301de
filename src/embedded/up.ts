import { join } from 'node:path';
import { NativeConnection, type Worker } from '@temporalio/worker';
import { createWorker } from '../worker.ts';
import { quietRuntime } from '../worker/quiet-runtime.ts';
import { readEnvironment } from '../config/environment.ts';
import { fingerprintOf } from './fingerprint.ts';
import { lastUse } from './last-use.ts';
import type { Holder, Lock } from './lock.ts';
import { freePort } from './ports.ts';
import { endProcess, isServerOf } from './processes.ts';
import { answers, startServer } from './server.ts';
import { findTemporalCli } from './temporal-cli.ts';

export interface UpSettings {
  home: string;
  /** Wanted address of the server, `127.0.0.1:7233`. */
  address: string;
  namespace: string;
  extensions: string;
  background: boolean;
  /** Told what takes long, and what went wrong. */
  say: (text: string) => void;
}

/** Why an `up` ends: `hand over` leaves the server to its successor. */
export type Ending = 'stop' | 'hand over';

/** How long `stop` lets calls in flight finish; `hand over` waits for all of them. */
const graceMs = 5000;

/** Server and worker of one home folder, in this process. */
export class Up {
  readonly #settings: UpSettings;
  readonly #lock: Lock;
  #holder: Holder;
  #worker: Worker | undefined;
  #ending: Ending | undefined;

  /** @param previous what the last holder said of itself */
  static async start(settings: UpSettings, lock: Lock, previous: Holder | undefined): Promise<Up> {
    const fingerprint = fingerprintOf(readEnvironment(process.env), settings.extensions);
    const { background, extensions } = settings;
    const place = await placeOf(settings, previous);
    const up = new Up(settings, lock, {
      pid: process.pid,
      background,
      extensions,
      fingerprint,
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

  /** Works until `end` is called. */
  async run(): Promise<void> {
    const { home, namespace, extensions } = this.#settings;
    const watching = setInterval(() => void this.#watchServer(), 2000);
    quietRuntime();
    const connection = await NativeConnection.connect({ address: this.#holder.address });
    this.#worker = await createWorker({
      connection,
      namespace,
      home,
      configFolder: extensions,
      variables: process.env,
      onBundling: () => this.#settings.say('Bundling the workflows (once) …'),
    });
    this.#holder = { ...this.#holder, ready: true };
    this.#lock.describe(this.#holder);
    try {
      if (this.#ending === undefined) await this.#worker.run();
    } finally {
      clearInterval(watching);
    }
  }

  /** Drains the worker, ends the server unless it is handed over, and gives the folder back. */
  async end(ending: Ending): Promise<void> {
    if (this.#ending !== undefined) return;
    this.#ending = ending;
    const { serverPid } = this.#holder;
    if (this.#worker?.getState() === 'RUNNING') {
      this.#worker.shutdown();
      const drained = async (): Promise<void> => {
        while (this.#worker?.getState() !== 'STOPPED')
          await new Promise((resolve) => setTimeout(resolve, 50));
      };
      await Promise.race([
        drained(),
        ...(ending === 'stop' ? [new Promise((resolve) => setTimeout(resolve, graceMs))] : []),
      ]);
    }
    if (ending === 'stop' && serverPid !== undefined) await endProcess(serverPid);
    this.#lock.release(ending === 'stop');
  }

  /** Whether nothing has used this folder for that long: no run is open, and no command has come. */
  async isIdle(countOpen: () => Promise<number>, milliseconds: number): Promise<boolean> {
    if (Date.now() - lastUse(this.#settings.home) < milliseconds) return false;
    return (await countOpen()) === 0;
  }

  /** A server that dies is started again on the same data and address. */
  async #watchServer(): Promise<void> {
    const { serverPid, address } = this.#holder;
    if (this.#ending !== undefined || serverPid === undefined) return;
    if (isServerOf(serverPid, databaseOf(this.#settings.home))) return;
    this.#holder = { ...this.#holder, serverPid: -1 };
    this.#settings.say(`The Temporal server is gone; starting it again at ${address}`);
    this.#holder = { ...this.#holder, ...(await startHere(this.#settings, address)) };
    this.#lock.describe(this.#holder);
  }
}

const databaseOf = (home: string): string => join(home, 'temporal.db');

type Place = Pick<Holder, 'address' | 'uiAddress' | 'serverPid'>;

/** The server to use: a dead holder's that still answers, one that is at the wanted address already, else a new one. */
async function placeOf(settings: UpSettings, previous: Holder | undefined): Promise<Place> {
  const { home, address, say } = settings;
  const database = databaseOf(home);
  if (previous?.serverPid !== undefined && isServerOf(previous.serverPid, database)) {
    if (await answers(previous.address)) {
      const { address: found, uiAddress, serverPid } = previous;
      return { address: found, serverPid, ...(uiAddress !== undefined && { uiAddress }) };
    }
    say('The last Temporal server of this folder does not answer; ending it');
    await endProcess(previous.serverPid);
  }
  if (await answers(address)) return { address };
  return startHere(settings, address);
}

async function startHere({ home, say }: UpSettings, address: string): Promise<Place> {
  const cli = await findTemporalCli(say);
  const wanted = Number(address.split(':').at(-1));
  const port = await freePort(wanted);
  if (port !== wanted) say(`Port ${wanted} is taken; Temporal gets ${port}`);
  const uiPort = await freePort(port + 1000);
  const server = await startServer({
    cli,
    port,
    uiPort,
    database: databaseOf(home),
    log: join(home, 'logs', 'temporal.log'),
    // It outlives a worker that is killed, and the next one adopts it.
    detached: true,
  });
  const { pid } = server.process;
  return {
    address: server.address,
    uiAddress: `http://127.0.0.1:${uiPort}`,
    ...(pid !== undefined && { serverPid: pid }),
  };
}
