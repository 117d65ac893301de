import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream, type WriteStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { killed } from '../../test/support/killed.ts';
import type { Books } from './verdict.ts';

const repriseMain = fileURLToPath(new URL('../../src/cli/main.ts', import.meta.url));
const providerMain = fileURLToPath(new URL('./provider.ts', import.meta.url));

/** The provider and the service, a process of its own. */
export interface Provider {
  /** Base URL for OpenAI's SDK, and the URL of the service that tools take effect at. */
  model: string;
  service: string;
  books(): Promise<Books>;
  close(): Promise<void>;
}

export async function startProvider(seed: number): Promise<Provider> {
  const child = spawn(process.execPath, [providerMain, String(seed)], { stdio: ['pipe', 'pipe', 'inherit'] });
  const [line] = (await once(createInterface(child.stdout), 'line')) as [string];
  const addresses = JSON.parse(line) as { model: string; service: string };
  return {
    ...addresses,
    books: async () => (await fetch(`${addresses.service}/books`)).json() as Promise<Books>,
    close: () => killed(child),
  };
}

export interface WorkerSettings {
  /** Its environment besides this process's. */
  variables: Record<string, string>;
  /** The folder of configurations. */
  extensions: string;
  /** File that its output is appended to. */
  log: string;
  /** Path of the command line's program, where it is not the one of these sources. */
  main?: string;
  /** Words for Node before the program. */
  nodeWords?: string[];
}

/** A `reprise worker`, which is started again when it ends, as by a container's restart policy. */
export class WorkerProcess {
  settings: WorkerSettings;
  /** How often it has ended although nobody killed it, and how. */
  readonly ownEnds: string[] = [];
  readonly #log: WriteStream;
  #child: ChildProcess | undefined;
  #isWanted = false;

  constructor(settings: WorkerSettings) {
    this.settings = settings;
    this.#log = createWriteStream(settings.log, { flags: 'a' });
  }

  get #isRunning(): boolean {
    return this.#child !== undefined && this.#child.exitCode === null && this.#child.signalCode === null;
  }

  get pid(): number | undefined {
    return this.#child?.pid;
  }

  /** Starts it where it does not run, and waits until it serves its queue or ends. */
  async start(): Promise<void> {
    this.#isWanted = true;
    if (this.#isRunning) return;
    const { extensions, main = repriseMain, nodeWords = [], variables } = this.settings;
    const words = [...nodeWords, '--disable-warning=ExperimentalWarning', main, 'worker', '--extensions', extensions];
    const child = spawn(process.execPath, words, {
      env: { ...process.env, ...variables },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    this.#child = child;
    child.stderr.pipe(this.#log, { end: false });
    const ready = new Promise<void>((resolve) => {
      child.stderr.on('data', (text: Buffer) => {
        if (text.toString().includes('Worker on')) resolve();
      });
    });
    const gone = once(child, 'exit');
    void gone.then(() => this.#restart(child));
    await Promise.race([ready, gone]);
  }

  /** `kill -9`. */
  async kill(): Promise<void> {
    this.#isWanted = false;
    await killed(this.#child);
  }

  /** Asks it to end, and waits until it has: it finishes its calls in flight. */
  async end(): Promise<void> {
    this.#isWanted = false;
    if (this.#child === undefined || !this.#isRunning) return;
    const gone = once(this.#child, 'exit');
    this.#child.kill('SIGTERM');
    await gone;
  }

  signal(name: 'SIGSTOP' | 'SIGCONT'): void {
    this.#child?.kill(name);
  }

  async #restart(child: ChildProcess): Promise<void> {
    if (!this.#isWanted || this.#child !== child) return;
    this.ownEnds.push(`status ${child.exitCode ?? child.signalCode}`);
    await pause(1000);
    if (this.#isWanted && this.#child === child) await this.start();
  }
}
