import { allowsLocal, notAllowed } from '../../config/tools/commands.ts';
import type { Environment } from '../../util/environment.ts';
import type { Store } from '../../store/store.ts';
import { SourceError, ToolError } from '../tool.ts';
import { dockerSettings, findEngine, runInDocker, type DockerEngine } from './docker.ts';
import { runLocally } from './local.ts';
import type { Output } from '../../util/output.ts';
import type { ProcessEnd } from './process.ts';
import { WorkspacePool } from './workspace-pool.ts';
import type { Workspace } from '../workspace.ts';

export type CommandMode = 'docker' | 'local';

interface CommandCall {
  command: string;
  timeout: number;
  agent: string;
  workspace: Workspace;
  signal: AbortSignal;
  /** Is told the end of what was printed so far, and how many bytes that has. */
  onOutput: (tail: string, bytes: number) => void;
}

interface CommandEnd extends ProcessEnd {
  leftOut: string[];
}

/** How much of the output is passed on while the command runs, in characters. A secret in it is found only if it is whole. */
const maxChars = 8000;

/** For how long an engine that has answered is not asked again, in milliseconds. */
const trustedMs = 60_000;

export class Commands {
  readonly #environment: Environment;
  readonly #pool: WorkspacePool;
  readonly #closing = new AbortController();
  readonly #running = new Set<Promise<unknown>>();
  #engine: { found: ReturnType<typeof findEngine>; at: number } | undefined;

  constructor(store: Store, environment: Environment) {
    this.#environment = environment;
    this.#pool = new WorkspacePool(store);
  }

  get hasNetwork(): boolean {
    return dockerSettings(this.#environment).network !== 'none';
  }

  /** @throws `SourceError` if commands cannot run here in this way */
  async check(mode: CommandMode): Promise<void> {
    if (mode === 'docker') await this.#engineHere();
    else if (!allowsLocal(this.#environment)) throw new SourceError([`run_command: ${notAllowed}`]);
  }

  /**
   * Runs a command over the files of a workspace, which has what became of them afterwards.
   *
   * @throws `ToolError` if its folder holds more than a workspace may; `SourceError`; `Error` if it could not be run
   */
  run(mode: CommandMode, call: CommandCall): Promise<CommandEnd> {
    const signal = AbortSignal.any([call.signal, this.#closing.signal]);
    const running = this.#run(mode, { ...call, signal }).finally(() => this.#running.delete(running));
    this.#running.add(running);
    return running;
  }

  async close(): Promise<void> {
    this.#closing.abort(new Error('the worker ends'));
    await Promise.allSettled(this.#running);
    await this.#pool.close();
  }

  async #run(mode: CommandMode, { agent, signal, workspace, ...call }: CommandCall): Promise<CommandEnd> {
    await this.check(mode);
    const engine = mode === 'docker' ? await this.#engineHere() : undefined;
    const { others, own } = workspace.trees();
    const lease = await this.#pool.take(`${mode}/${agent}`, own, others, engine?.owner, signal);
    const { folder, mounts } = lease.checkout;
    const onOutput = (output: Output): void => call.onOutput(output.tail(maxChars), output.bytes);
    const order = { ...call, folder, scratch: lease.scratch, signal, onOutput };
    try {
      const end = await (engine === undefined ? runLocally(order) : runInDocker(engine, order, mounts));
      const { checkout, leftOut } = await this.#pool.snapshot(lease, signal).catch((error: Error) => {
        signal.throwIfAborted();
        throw new ToolError(`${textOf(end)}\n[nothing was kept, since of the folder afterwards: ${error.message}]`);
      });
      workspace.replace(checkout.own);
      return { ...end, leftOut };
    } finally {
      await this.#pool.giveBack(lease);
    }
  }

  async #engineHere(): Promise<DockerEngine> {
    if (this.#engine === undefined || performance.now() - this.#engine.at > trustedMs)
      this.#engine = { found: findEngine(dockerSettings(this.#environment)), at: performance.now() };
    const found = await this.#engine.found;
    if (!('problem' in found)) return found;
    // What was wrong may have been put right meanwhile.
    this.#engine = undefined;
    throw new SourceError([`run_command: ${found.problem}`]);
  }
}

export function textOf({ code, ended, output, signal }: ProcessEnd): string {
  const how =
    ended !== undefined ? `ended, since ${ended}` : code === null ? `ended by ${signal}` : `exit code ${code}`;
  return [...(output.trimEnd() === '' ? [] : [output.trimEnd()]), `[${how}]`].join('\n');
}
