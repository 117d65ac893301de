import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { PassThrough, Writable } from 'node:stream';
import { basename, delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Connection } from '@temporalio/client';
import { inject } from 'vitest';
import { run } from '../../src/cli/run.ts';
import { connect } from '../../src/client.ts';
import { stopUp } from '../../src/local/background.ts';
import { readLease, type ServerLease } from '../../src/local/lock.ts';
import { liveWorkers, type WorkerRecord } from '../../src/local/workers.ts';
import { keptBundle } from '../../src/worker/workflow-bundle.ts';
import { startModelServer, type ModelServer, type Script } from './model-server.ts';
import { ownPort } from './own-port.ts';

const main = fileURLToPath(new URL('../../src/cli/main.ts', import.meta.url));

/** All commands of tests share what is kept compiled; each home of its own would begin with none. */
const cache = fileURLToPath(new URL('../../node_modules/.cache', import.meta.url));

/** A folder of the PATH with the program in it, as if it were installed globally. */
const installed = join(cache, 'bin');
mkdirSync(installed, { recursive: true });
try {
  symlinkSync(join('..', '..', '..', 'bin', 'reprise.mjs'), join(installed, 'reprise'));
} catch (error) {
  if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
}

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
  /** All that it has said on standard error so far. */
  readonly stderr: string;
  /** Waits until standard error has this, or a terminal shows it. */
  says(pattern: RegExp): Promise<void>;
  /** Waits until standard output has this. */
  prints(pattern: RegExp): Promise<void>;
  /** Gives it this on standard input, or types it on its terminal. */
  type(text: string): void;
  endInput(): void;
  signal(name: 'SIGINT' | 'SIGTERM'): void;
  finished: Promise<Finished>;
}

/** A command in a process of its own. */
export interface RunningProcess extends Running {
  process: ChildProcess;
}

/** Keeps what is written to it. */
export class Sink extends Writable {
  text = '';

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.text += String(chunk);
    this.emit('text');
    done();
  }
}

/** @param ended resolves with the command's status once all that it has written is in the sinks */
function running(
  stdin: Writable,
  stdout: Sink,
  stderr: Sink,
  ended: Promise<number | null>,
  signal: Running['signal'],
): Running {
  const finished = ended.then((status): Finished => ({ status, stdout: stdout.text, stderr: stderr.text }));
  const until = async (sink: Sink, pattern: RegExp): Promise<void> => {
    while (!pattern.test(sink.text)) {
      const hasEnded = await Promise.race([once(sink, 'text').then(() => false), finished]);
      if (hasEnded && !pattern.test(sink.text))
        throw new Error(`It ended without ${pattern}:\n${sink.text}\n${stderr.text}`);
    }
  };
  return {
    finished,
    get stderr() {
      return stderr.text;
    },
    type: (text) => void stdin.write(text),
    endInput: () => void stdin.end(),
    signal,
    says: (pattern) => until(stderr, pattern),
    prints: (pattern) => until(stdout, pattern),
  };
}

/** Starts a command in this process. Standard output and standard error may be one sink, as a terminal is. */
export function startHere(
  words: string[],
  { cwd, env }: { cwd: string; env: Record<string, string> },
  stdout = new Sink(),
  stderr = new Sink(),
): Running {
  const [stdin, signals] = [new PassThrough(), new EventEmitter()];
  const status = run(words, { stdin, stdout, stderr, env, cwd, signals });
  return running(stdin, stdout, stderr, status, (name) => void signals.emit(name));
}

/** A home folder, with a free port for its server, as somebody who uses the command line has it. */
export class Home {
  readonly folder = mkdtempSync(join(tmpdir(), 'reprise-cli-'));
  address = '';
  model?: ModelServer;
  readonly #variables: Record<string, string>;
  /** The `up` of this process. */
  #up?: Running;

  /** @param variables environment of all its commands, besides what every process needs */
  static async make(variables: Record<string, string> = {}): Promise<Home> {
    const home = new Home(variables);
    home.address = `127.0.0.1:${await ownPort()}`;
    const bundle = keptBundle(home.path);
    // Of a home that is open to others, commands say so.
    mkdirSync(dirname(bundle), { recursive: true, mode: 0o700 });
    copyFileSync(inject('temporal').bundle, bundle);
    return home;
  }

  /** The same with a scripted model of its own, which stands for OpenAI's, and which `remove` ends. */
  static async withModel(script: Script): Promise<Home> {
    const model = await startModelServer(script);
    const home = await Home.make({ OPENAI_API_KEY: 'test-key-openai', OPENAI_BASE_URL: model.openai });
    home.model = model;
    return home;
  }

  private constructor(variables: Record<string, string>) {
    this.#variables = variables;
  }

  /** `REPRISE_HOME` */
  get path(): string {
    return join(this.folder, 'home');
  }

  get holder(): ServerLease | undefined {
    return readLease(this.path);
  }

  /** The workers that run for this home. */
  get workers(): WorkerRecord[] {
    return liveWorkers(this.path);
  }

  /** A file of the home folder. */
  read(name: string): string {
    return readFileSync(join(this.path, name), 'utf8');
  }

  /** Has its commands work on the run's Temporal server in a namespace of its own: a server of the home's own takes a second more. */
  async inNamespace(): Promise<void> {
    const { address } = inject('temporal');
    const namespace = basename(this.folder);
    Object.assign(this.#variables, { TEMPORAL_ADDRESS: address, TEMPORAL_NAMESPACE: namespace });
    this.address = address;
    const connection = await Connection.connect({ address });
    await connection.workflowService.registerNamespace({
      namespace,
      workflowExecutionRetentionPeriod: { seconds: 86_400 as never },
    });
    await connection.close();
  }

  /**
   * Starts an `up` in this process, which commands find as one of the background. A worker of the home's own, where it is not what
   * is tested, takes a second of the processor more. There is no daemon, and so no pages.
   */
  async upHere(): Promise<void> {
    await this.inNamespace();
    this.#up = this.start(['up']);
    await this.#up.says(/Ready\./);
  }

  /** Starts a command in this process. The address is in its variables. `worker`, and `up` but for `upHere`, need one of their own. */
  start(words: string[], variables: Record<string, string> = {}): Running {
    return startHere(words, { cwd: this.folder, env: this.#environment(variables) });
  }

  /** Runs a command in this process to its end. */
  run(words: string[], variables: Record<string, string> = {}): Promise<Finished> {
    return this.start(words, variables).finished;
  }

  /** Starts a command as a process, with pipes as its standard input and output. */
  startProcess(words: string[], variables: Record<string, string> = {}): RunningProcess {
    return this.#spawn([process.execPath, main, ...words], variables);
  }

  runProcess(words: string[], variables: Record<string, string> = {}): Promise<Finished> {
    return this.startProcess(words, variables).finished;
  }

  /** Starts a command as a process on a terminal, which has all but its standard output; see `hasTerminals`. */
  startOnTerminal(words: string[], variables: Record<string, string> = {}): RunningProcess {
    const command = ['python3', terminal, process.execPath, main, ...words];
    return this.#spawn(command, { TERM: 'xterm', ...variables });
  }

  #environment(variables: Record<string, string>): Record<string, string> {
    return {
      PATH: `${installed}${delimiter}${process.env['PATH'] ?? ''}`,
      HOME: this.folder,
      XDG_CACHE_HOME: cache,
      REPRISE_HOME: this.path,
      TEMPORAL_CLI_PATH: inject('temporal').cli,
      NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'] ?? '',
      GOMAXPROCS: process.env['GOMAXPROCS'] ?? '',
      // Whoever runs the tests may run such servers, which would be offered.
      OLLAMA_HOST: '127.0.0.1:1',
      LMSTUDIO_BASE_URL: 'http://127.0.0.1:1/v1',
      ...(this.address !== '' && { TEMPORAL_ADDRESS: this.address }),
      ...this.#variables,
      ...variables,
    };
  }

  #spawn([program = '', ...words]: string[], variables: Record<string, string>): RunningProcess {
    const child = spawn(program, words, { cwd: this.folder, env: this.#environment(variables), stdio: 'pipe' });
    const [stdout, stderr] = [new Sink(), new Sink()];
    child.stdout.setEncoding('utf8').pipe(stdout);
    child.stderr.setEncoding('utf8').pipe(stderr);
    const ended = once(child, 'close').then(([status]) => status as number | null);
    const signal = (name: 'SIGINT' | 'SIGTERM'): void => void child.kill(name);
    return Object.assign(running(child.stdin, stdout, stderr, ended, signal), { process: child });
  }

  /** What names its server and namespace to a program. */
  get temporal() {
    const { TEMPORAL_NAMESPACE = 'default' } = this.#variables;
    return { TEMPORAL_ADDRESS: this.holder?.address ?? this.address, TEMPORAL_NAMESPACE };
  }

  /** The library, connected to this home's server. */
  client() {
    const { TEMPORAL_ADDRESS: address, TEMPORAL_NAMESPACE: namespace } = this.temporal;
    return connect({ address, namespace });
  }

  async remove(): Promise<void> {
    this.#up?.signal('SIGTERM');
    await this.#up?.finished;
    await stopUp(this.path);
    await this.model?.close();
    rmSync(this.folder, { recursive: true, force: true });
  }
}
