import type { Client } from '@temporalio/client';
import { literalSecrets } from '../config/literal-secrets.ts';
import { problemText, under } from '../config/problems.ts';
import { commandOf } from '../protocol/definitions.ts';
import type { InputName } from '../trust/schemas.ts';
import { inputProblem } from '../workflows/runtime/size.ts';
import type { Stats } from './aggregate.ts';
import { InputTooLargeError, SecretInConfigError } from './errors.ts';
import type { InboxQuestion } from './inbox.ts';
import type { ListedRun, ListOptions } from './list.ts';
import { newRunId } from './names.ts';
import { OrchestrationRun, ResearchRun, Run, SessionRun, SolveRun } from './run.ts';
import type { StatsOptions } from './stats.ts';
import type { Runs } from './temporal/runs.ts';
import type { RunWay } from './temporal/run.ts';
import type { OrchestrationInput, ResearchInput, RunInput, SessionInput, SolveInput, StartOptions } from './way.ts';

/** A connection on which runs are started and found. Starting one may throw `InputTooLargeError`, and `RunExistsError`. */
export class Reprise {
  readonly #runs: Runs;

  constructor(runs: Runs) {
    this.#runs = runs;
  }

  /** Temporal's own client, for everything that this class does not offer. @throws `Error` where there is none, over HTTP */
  get client(): Client {
    return this.#runs.client;
  }

  /** Starts a team on a task. */
  async startOrchestration(input: OrchestrationInput, options: StartOptions = {}): Promise<OrchestrationRun> {
    return new OrchestrationRun(await this.#start('orchestration', input, options));
  }

  /** A run of the workflow `orchestration` that was started before, from anywhere. */
  getOrchestration(id: string): OrchestrationRun {
    return new OrchestrationRun(this.#runs.run(id));
  }

  /** Starts research on an idea. */
  async startResearch(input: ResearchInput, options: StartOptions = {}): Promise<ResearchRun> {
    return new ResearchRun(await this.#start('research', input, options));
  }

  /** A run of the workflow `research` that was started before, from anywhere. */
  getResearch(id: string): ResearchRun {
    return new ResearchRun(this.#runs.run(id));
  }

  /** Starts solving a problem by a plan. */
  async startSolve(input: SolveInput, options: StartOptions = {}): Promise<SolveRun> {
    return new SolveRun(await this.#start('planAndExecute', input, options));
  }

  /** A run of the workflow `planAndExecute` that was started before, from anywhere. */
  getSolve(id: string): SolveRun {
    return new SolveRun(this.#runs.run(id));
  }

  /**
   * Starts a conversation. With `text` in its input it takes this one turn and completes; without, it waits for turns until
   * it is closed.
   */
  async startSession(input: SessionInput, options: StartOptions = {}): Promise<SessionRun> {
    return new SessionRun(await this.#start('session', input, options));
  }

  /**
   * A conversation that is open, or that begins with its first turn.
   *
   * @param input is used where the conversation begins, as is the priority; one that is open keeps its own
   */
  getSession(id: string, input: SessionInput = {}, options: Omit<StartOptions, 'id'> = {}): SessionRun {
    assertFit(input);
    return new SessionRun(this.#runs.session(id, input, options));
  }

  /**
   * Starts a run of any kind unless there is one of this id already, open or ended, with the same input; then it is that one,
   * so that a request may be made again as often as its reply is lost.
   *
   * @throws `RunExistsError` where the run of this id has another input
   */
  async startOnce(
    type: InputName,
    id: string,
    input: RunInput,
    options: Omit<StartOptions, 'id'> = {},
  ): Promise<{ run: Run; isNew: boolean }> {
    assertFit(input);
    const { isNew, way } = await this.#runs.startOnce(type, id, input, options);
    return { run: new Run(way), isNew };
  }

  /** A run of any kind that was started before, from anywhere. */
  getRun(id: string): Run {
    return new Run(this.#runs.run(id));
  }

  /** All runs that wait for a person. */
  async waiting(): Promise<Run[]> {
    return (await this.#runs.waiting()).map((way) => new Run(way));
  }

  /**
   * All that waits for a person, over all runs, the oldest first: questions, approvals of research, missing keys.
   *
   * @param onSilent is told of each run that did not answer in time, which is left out
   */
  async inbox(onSilent: (workflowId: string, reason: Error) => void = () => {}): Promise<InboxQuestion[]> {
    return this.#runs.inbox(onSilent);
  }

  /** The newest runs of all kinds: open ones first, then those that have ended, the last one first. */
  async list(options: ListOptions = {}): Promise<ListedRun[]> {
    return this.#runs.list(options);
  }

  /** How often runs have restarted, what that gained and what it cost: over all runs that have completed. */
  async stats(options: StatsOptions = {}): Promise<Stats> {
    return this.#runs.stats(options);
  }

  async #start(type: InputName, input: RunInput, options: StartOptions): Promise<RunWay> {
    assertFit(input);
    return this.#runs.start(type, options.id ?? newRunId(commandOf[type]), input, options);
  }

  async close(): Promise<void> {
    await this.#runs.close();
  }

  /** `await using`: closes the connection; runs go on. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }
}

/** @throws `InputTooLargeError`, `SecretInConfigError` */
function assertFit(input: object): void {
  const problem = inputProblem(input);
  if (problem !== undefined) throw new InputTooLargeError(problem);
  const secrets = under(['config'], literalSecrets((input as { config?: unknown }).config));
  if (secrets.length > 0) throw new SecretInConfigError(secrets.map((each) => problemText(each)).join('\n'));
}
