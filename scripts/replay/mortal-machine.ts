import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client, Connection } from '@temporalio/client';
import { freePort } from '../../src/local/ports.ts';
import { startServer, type ServerSettings } from '../../src/local/server.ts';
import { writeCourseKit } from '../../test/support/courses/kit.ts';
import { killed } from '../../test/support/killed.ts';
import { startModelServer, type ModelServer, type Script } from '../../test/support/model-server.ts';
import type { Place } from './place.ts';
import { firstWords } from '../../test/support/first-words.ts';

const workerMain = fileURLToPath(new URL('../../test/support/worker-main.ts', import.meta.url));

/** A Temporal server on a file and a worker, both processes that can be killed, and a model that outlives them. */
export class MortalMachine implements AsyncDisposable {
  readonly client: Client;
  readonly #home: string;
  readonly #bundle: string;
  readonly #model: ModelServer;
  readonly #settings: ServerSettings;
  readonly #connection: Connection;
  #processes: ChildProcess[] = [];

  /** @param place whose server serves others */
  static async open({ bundle, cli }: Place, script: Script): Promise<MortalMachine> {
    const home = mkdtempSync(join(tmpdir(), 'reprise-killed-'));
    writeCourseKit(home);
    const files = { database: join(home, 'temporal.db'), log: join(home, 'temporal.log') };
    const machine = new MortalMachine(home, bundle, await startModelServer(script), {
      cli,
      port: await freePort(),
      ...files,
    });
    await machine.start();
    return machine;
  }

  private constructor(home: string, bundle: string, model: ModelServer, settings: ServerSettings) {
    this.#home = home;
    this.#bundle = bundle;
    this.#model = model;
    this.#settings = settings;
    this.#connection = Connection.lazy({ address: this.#address });
    this.client = new Client({ connection: this.#connection });
  }

  get #address(): string {
    return `127.0.0.1:${this.#settings.port}`;
  }

  async start(): Promise<void> {
    const server = await startServer(this.#settings);
    this.#processes = [server.process];
    const worker = spawn(process.execPath, [workerMain, this.#address, this.#home, this.#bundle], {
      env: { ...process.env, OPENAI_API_KEY: 'test-key', OPENAI_BASE_URL: this.#model.openai },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    this.#processes.push(worker);
    await firstWords(worker);
  }

  /** `kill -9` of both. */
  async kill(): Promise<void> {
    await Promise.all(this.#processes.map(killed));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.kill();
    await Promise.all([this.#connection.close(), this.#model.close()]);
    rmSync(this.#home, { recursive: true, force: true });
  }
}
