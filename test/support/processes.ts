import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { inject, type TestContext } from 'vitest';
import { startServer } from '../../src/local/server.ts';
import { killed } from './killed.ts';
import { firstWords } from './first-words.ts';
import type { ModelServer } from './model-server.ts';
import { ownPort } from './own-port.ts';

const workerMain = fileURLToPath(new URL('./worker-main.ts', import.meta.url));

/**
 * A machine whose worker reaches a scripted model, with both running. It ends with its test.
 *
 * @param prepare its home, before its worker starts
 */
export async function runningMachine(
  { onTestFinished }: Pick<TestContext, 'onTestFinished'>,
  model: ModelServer,
  prepare: (home: string) => void = () => {},
): Promise<Machine> {
  const machine = new Machine({ OPENAI_API_KEY: 'test-key', OPENAI_BASE_URL: model.openai });
  onTestFinished(async () => {
    await Promise.all([machine.killWorker(), machine.killServer(), model.close()]);
    rmSync(machine.home, { recursive: true, force: true });
  });
  prepare(machine.home);
  await machine.startServer();
  await machine.startWorker();
  return machine;
}

/** A Temporal server and a worker, each a process of its own that can be killed and started again on the same data. */
export class Machine {
  readonly home = mkdtempSync(join(tmpdir(), 'reprise-machine-'));
  /** The worker's environment besides this process's. */
  readonly variables: Record<string, string>;
  /** Path of its workflows. */
  readonly bundle: string;
  #port = 0;
  #server: ChildProcess | undefined;
  #worker: ChildProcess | undefined;

  /**
   * @param variables the worker's environment besides this process's
   * @param bundle path of its workflows; default: those of the test run
   */
  constructor(variables: Record<string, string>, bundle = inject('temporal').bundle) {
    this.variables = variables;
    this.bundle = bundle;
  }

  get address(): string {
    return `127.0.0.1:${this.#port}`;
  }

  async startServer(): Promise<void> {
    this.#port ||= await ownPort();
    const server = await startServer({
      cli: inject('temporal').cli,
      port: this.#port,
      database: join(this.home, 'temporal.db'),
      log: join(this.home, 'temporal.log'),
    });
    this.#server = server.process;
  }

  /** Starts the worker and waits until it polls. */
  async startWorker(): Promise<void> {
    this.#worker = (await this.startOther(this.home, {})).child;
  }

  /**
   * Starts another worker, which is the caller's to end, and waits until it polls.
   *
   * @param variables besides the worker's own
   * @returns `said` gives what it has printed as an error so far
   */
  async startOther(
    home: string,
    variables: Record<string, string>,
  ): Promise<{ child: ChildProcess; said: () => string }> {
    const worker = spawn(process.execPath, [workerMain, this.address, home, this.bundle], {
      env: { ...process.env, ...this.variables, ...variables },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let said = '';
    worker.stderr.on('data', (chunk: Buffer) => {
      said += chunk.toString();
      process.stderr.write(chunk);
    });
    await firstWords(worker);
    return { child: worker, said: () => said };
  }

  async killServer(): Promise<void> {
    await killed(this.#server);
  }

  pauseServer(): void {
    this.#server?.kill('SIGSTOP');
  }

  resumeServer(): void {
    this.#server?.kill('SIGCONT');
  }

  async killWorker(): Promise<void> {
    await killed(this.#worker);
  }
}
