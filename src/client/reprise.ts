import {
  WorkflowExecutionAlreadyStartedError,
  type Client,
  type Connection,
  type WorkflowHandle,
} from '@temporalio/client';
import type { Priority } from '@temporalio/common';
import type { OrchestrationInput, ResearchInput, SessionInput, SolveInput } from './inputs.ts';
import { inputProblem } from '../workflows/runtime/size.ts';
import { literalSecrets } from '../config/literal-secrets.ts';
import { problemText, under } from '../config/problems.ts';
import { InputTooLargeError, RunExistsError, SecretInConfigError } from './errors.ts';
import { questionsOf, waitingRuns, type InboxQuestion } from './inbox.ts';
import { listRuns, type ListedRun, type ListOptions } from './list.ts';
import { deploymentName, firstLine, newRunId } from './names.ts';
import { startPinned, SessionRun } from './session-run.ts';
import { OrchestrationRun, ResearchRun, Run, SolveRun } from './run.ts';
import { statsOf, type StatsOptions } from './stats.ts';
import type { Stats } from './sum-up.ts';
import { canonicalJson } from '../trust/mac.ts';
import { signed } from '../trust/signature.ts';
import type { InputName } from '../trust/schemas.ts';
import { hashOf } from '../util/ids.ts';

/** The input of a run of any kind. */
export type RunInput = OrchestrationInput | ResearchInput | SolveInput | SessionInput;

/** Where and how runs are started. */
interface Settings {
  taskQueue: string;
  /** The folder with whose secret inputs are signed. */
  home: string;
  /** The version of the workers to which runs are pinned. */
  buildId?: string | undefined;
  priority?: Priority | undefined;
}

export interface StartOptions {
  /** The workflow's id; a readable one is made when absent. */
  id?: string;
  /**
   * Temporal's: `fairnessKey` names who shares the workers with others, such as a user, `fairnessWeight` how large their share is
   * (1), `priorityKey` from 1 to 5 (3) what goes before all others. When absent, that of the connection.
   */
  priority?: Priority;
}

/** A connection to a Temporal server, on which runs are started and found. Starting one may throw `InputTooLargeError`. */
export class Reprise {
  /** Temporal's own client, for everything that this class does not offer. */
  readonly client: Client;
  readonly #connection: Connection;
  readonly #settings: Settings;

  constructor(client: Client, connection: Connection, settings: Settings) {
    this.client = client;
    this.#connection = connection;
    this.#settings = settings;
  }

  /** Starts a team on a task. */
  async startOrchestration(input: OrchestrationInput, options: StartOptions = {}): Promise<OrchestrationRun> {
    return new OrchestrationRun(await this.#start('orchestration', 'ask', options, input, input.task));
  }

  /** A run of the workflow `orchestration` that was started before, from anywhere. */
  getOrchestration(id: string): OrchestrationRun {
    return new OrchestrationRun(this.client.workflow.getHandle(id));
  }

  /** Starts research on an idea. */
  async startResearch(input: ResearchInput, options: StartOptions = {}): Promise<ResearchRun> {
    return new ResearchRun(await this.#start('research', 'research', options, input, input.idea));
  }

  /** A run of the workflow `research` that was started before, from anywhere. */
  getResearch(id: string): ResearchRun {
    return new ResearchRun(this.client.workflow.getHandle(id));
  }

  /** Starts solving a problem by a plan. */
  async startSolve(input: SolveInput, options: StartOptions = {}): Promise<SolveRun> {
    return new SolveRun(await this.#start('planAndExecute', 'solve', options, input, input.problem));
  }

  /** A run of the workflow `planAndExecute` that was started before, from anywhere. */
  getSolve(id: string): SolveRun {
    return new SolveRun(this.client.workflow.getHandle(id));
  }

  /**
   * Starts a conversation. With `text` in its input it takes this one turn and completes; without, it waits for turns until
   * it is closed.
   */
  async startSession(input: SessionInput, options: StartOptions = {}): Promise<SessionRun> {
    return new SessionRun(await this.#start('session', 'chat', options, input, input.text));
  }

  /**
   * A conversation that is open, or that begins with its first turn.
   *
   * @param input is used where the conversation begins, as is the priority; one that is open keeps its own
   */
  getSession(id: string, input: SessionInput = {}, { priority }: Omit<StartOptions, 'id'> = {}): SessionRun {
    const options = this.#startOptions('session', id, input, input.text, priority);
    return new SessionRun(this.client.workflow.getHandle(id), options);
  }

  /**
   * Starts a run of any kind unless there is one of this id already, open or ended, with the same input; then it is that one,
   * so that a request may be made again as often as its reply is lost.
   *
   * @param memo what the memo of a new run holds besides
   * @throws `RunExistsError` where the run of this id has another input
   */
  async startOnce(
    type: InputName,
    id: string,
    input: RunInput,
    memo: Record<string, unknown> = {},
  ): Promise<{ run: Run; isNew: boolean }> {
    const { idea, problem, task, text } = input as Partial<Record<string, string>>;
    const options = this.#startOptions(type, id, input, task ?? idea ?? problem ?? text);
    const request = hashOf(canonicalJson([type, input]));
    const once = { ...options, memo: { ...memo, request }, workflowIdReusePolicy: 'REJECT_DUPLICATE' as const };
    try {
      return { run: new Run(await startPinned(() => this.client.workflow.start(type, once))), isNew: true };
    } catch (error) {
      if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
    }
    const found = await this.client.workflow.getHandle(id).describe();
    if (found.memo?.['request'] !== request) throw new RunExistsError(id);
    return { run: this.getRun(id), isNew: false };
  }

  /** A run of any kind that was started before, from anywhere. */
  getRun(id: string): Run {
    return new Run(this.client.workflow.getHandle(id));
  }

  /** All runs that wait for a person. */
  async waiting(): Promise<Run[]> {
    return waitingRuns(this.client);
  }

  /**
   * All that waits for a person, over all runs, the oldest first: questions, approvals of research, missing keys.
   *
   * @param onSilent is told of each run that did not answer in time, which is left out
   */
  async inbox(onSilent: (workflowId: string, reason: Error) => void = () => {}): Promise<InboxQuestion[]> {
    return questionsOf(this.client, onSilent);
  }

  /** The newest runs of all kinds: open ones first, then those that have ended, the last one first. */
  async list(options: ListOptions = {}): Promise<ListedRun[]> {
    return listRuns(this.client, options);
  }

  /** How often runs have restarted, what that gained and what it cost: over all runs that have completed. */
  async stats(options: StatsOptions = {}): Promise<Stats> {
    return statsOf(this.client, options);
  }

  async #start(
    workflowType: InputName,
    prefix: string,
    { id = newRunId(prefix), priority }: StartOptions,
    input: object,
    text?: string,
  ): Promise<WorkflowHandle> {
    const options = this.#startOptions(workflowType, id, input, text, priority);
    return startPinned(() => this.client.workflow.start(workflowType, options));
  }

  /** @param text is summarised in the list of the Web UI. @throws `InputTooLargeError`, `SecretInConfigError` */
  #startOptions(
    workflowType: InputName,
    workflowId: string,
    input: object,
    text = '',
    priority = this.#settings.priority,
  ) {
    const problem = inputProblem(input);
    if (problem !== undefined) throw new InputTooLargeError(problem);
    const secrets = under(['config'], literalSecrets((input as { config?: unknown }).config));
    if (secrets.length > 0) throw new SecretInConfigError(secrets.map((each) => problemText(each)).join('\n'));
    const staticSummary = firstLine(text);
    const { buildId, home, taskQueue } = this.#settings;
    const { namespace } = this.client.options;
    return {
      taskQueue,
      workflowId,
      args: [signed(input, { namespace, workflowType, workflowId }, home)],
      ...(priority !== undefined && { priority }),
      ...(staticSummary !== '' && { staticSummary }),
      ...(buildId !== undefined && { versioningOverride: { pinnedTo: { deploymentName, buildId } } }),
    };
  }

  async close(): Promise<void> {
    await this.#connection.close();
  }

  /** `await using`: closes the connection; runs go on. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }
}
