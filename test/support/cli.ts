import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import type { Readable } from 'node:stream';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { inject } from 'vitest';
import { connect } from '../../src/client.ts';
import { stopUp } from '../../src/embedded/background.ts';
import { readHolder, type Holder } from '../../src/embedded/lock.ts';
import { liveWorkers, type WorkerRecord } from '../../src/embedded/workers.ts';
import { freePort } from '../../src/embedded/ports.ts';
import { keptBundle } from '../../src/worker/workflow-bundle.ts';

const main = fileURLToPath(new URL('../../src/cli/main.ts', import.meta.url));

/** All commands of tests share what is kept compiled; each home of its own would begin with none. */
const cache = fileURLToPath(new URL('../../node_modules/.cache', import.meta.url));

const terminal = fileURLToPath(new URL('./terminal.py', import.meta.url));

/** Whether commands can be given a terminal here. */
export const hasTerminals = spawnSync('python3', ['-c', 'import pty']).status === 0;

export interface Finished {
  status: number | null;
  stdout: string;
  stderr: string;
}

/** A command of the command line that is under way. */
export interface Running {
  process: ChildProcess;
  /** All that it has said on standard error so far. */
  readonly stderr: string;
  /** Waits until standard error has this, or a terminal shows it. */
  says(pattern: RegExp): Promise<void>;
  /** Waits until standard output has this. */
  prints(pattern: RegExp): Promise<void>;
  /** Gives it this on standard input, or types it on its terminal. */
  type(text: string): void;
  endInput(): void;
  finished: Promise<Finished>;
}

/** A home folder, with a free port for its server, as somebody who uses the command line has it. */
export class Home {
  readonly folder = mkdtempSync(join(tmpdir(), 'reprise-cli-'));
  address = '';
  readonly #variables: Record<string, string>;

  /** @param variables environment of all its commands, besides what every process needs */
  static async make(variables: Record<string, string> = {}): Promise<Home> {
    const home = new Home(variables);
    home.address = `127.0.0.1:${await freePort()}`;
    const bundle = keptBundle(home.path);
    // Of a home that is open to others, commands say so.
    mkdirSync(dirname(bundle), { recursive: true, mode: 0o700 });
    copyFileSync(inject('temporal').bundle, bundle);
    return home;
  }

  private constructor(variables: Record<string, string>) {
    this.#variables = variables;
  }

  /** `REPRISE_HOME` */
  get path(): string {
    return join(this.folder, 'home');
  }

  get holder(): Holder | undefined {
    return readHolder(this.path);
  }

  /** The workers that run for this home. */
  get workers(): WorkerRecord[] {
    return liveWorkers(this.path);
  }

  /** A file of the home folder. */
  read(name: string): string {
    return readFileSync(join(this.path, name), 'utf8');
  }

  /** Starts a command with pipes as its standard input and output. The address is in its environment. */
  start(words: string[], variables: Record<string, string> = {}): Running {
    return this.#spawn([process.execPath, main, ...words], variables);
  }

  /** Starts a command on a terminal, which has all but its standard output; see `hasTerminals`. */
  startOnTerminal(words: string[], variables: Record<string, string> = {}): Running {
    const command = ['python3', terminal, process.execPath, main, ...words];
    return this.#spawn(command, { TERM: 'xterm', ...variables });
  }

  #spawn([program = '', ...words]: string[], variables: Record<string, string>): Running {
    const child = spawn(program, words, {
      cwd: this.folder,
      env: {
        PATH: process.env['PATH'] ?? '',
        HOME: this.folder,
        XDG_CACHE_HOME: cache,
        REPRISE_HOME: this.path,
        TEMPORAL_CLI_PATH: inject('temporal').cli,
        NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'] ?? '',
        // Whoever runs the tests may run such servers, which would be offered.
        OLLAMA_HOST: '127.0.0.1:1',
        LMSTUDIO_BASE_URL: 'http://127.0.0.1:1/v1',
        ...(this.address !== '' && { TEMPORAL_ADDRESS: this.address }),
        ...this.#variables,
        ...variables,
      },
      stdio: 'pipe',
    });
    let stdout = '';
    let stderr = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
    child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
    const finished = once(child, 'close').then(([status]): Finished => ({
      status: status as number | null,
      stdout,
      stderr,
    }));
    const until = async (stream: Readable, pattern: RegExp, text: () => string): Promise<void> => {
      while (!pattern.test(text())) {
        const ended = await Promise.race([once(stream, 'data').then(() => false), finished]);
        if (ended && !pattern.test(text())) throw new Error(`It ended without ${pattern}:\n${text()}\n${stderr}`);
      }
    };
    return {
      process: child,
      finished,
      get stderr() {
        return stderr;
      },
      type: (text) => void child.stdin.write(text),
      endInput: () => void child.stdin.end(),
      says: (pattern) => until(child.stderr, pattern, () => stderr),
      prints: (pattern) => until(child.stdout, pattern, () => stdout),
    };
  }

  /** Runs a command to its end. */
  run(words: string[], variables: Record<string, string> = {}): Promise<Finished> {
    return this.start(words, variables).finished;
  }

  /** The library, connected to this home's server. */
  client() {
    return connect({ address: this.holder?.address ?? this.address });
  }

  async remove(): Promise<void> {
    await stopUp(this.path);
    rmSync(this.folder, { recursive: true, force: true });
  }
}
