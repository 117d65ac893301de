import type { OrchestrationRun, Run, RunResult, RunSnapshot, WatchOptions } from '../client.ts';
import { reasonOf } from './failures.ts';
import { openView, type View } from './live/view.ts';
import { isAsking, QuestionPrompter } from './questions/prompter.ts';
import type { State } from '../protocol/state.ts';
import type { RunFiles } from '../protocol/workspace.ts';
import { answerOf } from '../client/show/record-parts.ts';
import { Interruption } from './exit.ts';
import { countText, spentText } from '../client/show/spent.ts';
import { homeFolder, type FollowOptions } from './options.ts';
import { writeFiles } from './out.ts';
import { temporalOption } from './questions/box.ts';
import { shellWord } from '../util/text/shell-word.ts';
import type { Shell } from './shell.ts';
import { paused } from '../util/run-status.ts';
import { durationText } from '../workflows/runtime/duration.ts';

/** Time between two attempts to start again what a run needs, in milliseconds. */
const reviveEveryMs = 10_000;

// A run need not be of the type as which it was opened.
const hasRestarts = (run: Run, workflow?: State['workflow']): run is Run & Pick<OrchestrationRun, 'requestRestart'> =>
  'requestRestart' in run && (workflow === 'orchestration' || workflow === 'research');

/** Shows a run, and puts its questions to the person. Each object serves one call of `show`. */
export class Following {
  readonly #shell: Shell;
  readonly #view: View;
  readonly #run: Run;
  readonly #questions: QuestionPrompter;
  readonly #revive: () => Promise<void>;
  readonly #leave: () => void;
  readonly #left = Promise.withResolvers<never>();
  readonly #ignoreSignals: () => void;
  #workflow: State['workflow'] | undefined;
  #isClosed = false;
  #held: RunSnapshot | undefined;
  #revivedAt = 0;
  #troubled = false;

  /**
   * @param revive starts the server and the worker of a run at a local address again, if they have died
   * @param leave says goodbye at Ctrl-C, when the terminal has been restored; then `show` throws an `Interruption`
   * @param isChat whether a person types what is said
   * @param stay says why Ctrl-C does not leave this time; undefined where it does
   */
  constructor(
    shell: Shell,
    run: Run,
    options: FollowOptions,
    revive: () => Promise<void>,
    leave: () => void,
    isChat = false,
    stay: () => string | undefined = () => undefined,
  ) {
    this.#shell = shell;
    this.#run = run;
    this.#leave = () => {
      const why = stay();
      if (why !== undefined) return this.#view.say(why);
      this.close();
      leave();
      this.#left.reject(new Interruption());
    };
    const actions = { leave: this.#leave, answer: () => this.#questions.again(), restart: () => this.#restart() };
    // In a chat what is typed while a turn goes on is the beginning of the next one.
    const hasKeys = shell.canPrompt && !options.json && !isChat;
    this.#view = openView(shell, {
      plain: options.plain ?? false,
      isChat,
      cancel: cancelCommand(run.id, options),
      ...(hasKeys && { keys: { terminal: shell, actions } }),
    });
    this.#revive = revive;
    // Nobody may be there to hear of it.
    this.#left.promise.catch(() => {});
    this.#questions = new QuestionPrompter(shell, run, options, this.#view, this.#leave);
    this.#ignoreSignals = shell.onSignal(['SIGINT'], this.#leave);
  }

  /**
   * Shows the run until its end.
   *
   * @returns the milliseconds between its first and its last event
   * @throws `Interruption` where the person leaves
   */
  show(watch: WatchOptions): Promise<number> {
    return Promise.race([this.#left.promise, this.#showAll(watch)]);
  }

  async #showAll(watch: WatchOptions): Promise<number> {
    let since = 0;
    let until = 0;
    const store = { home: homeFolder(this.#shell), variables: this.#shell.env };
    for await (const look of this.#run.watch({ ...watch, ...store })) {
      if (this.#isClosed) break;
      this.#show(look);
      this.#workflow = look.state?.workflow;
      // One that was terminated has left its questions open.
      const isOpen = !look.events.some(isAsking) || (await this.#run.isOpen().catch(() => true));
      this.#questions.see(look.events, isOpen);
      since ||= Date.parse(look.events.at(0)?.at ?? '') || 0;
      until = Date.parse(look.events.at(-1)?.at ?? '') || until;
      await this.#mend(look);
    }
    this.close();
    return until - since;
  }

  /** Ends prompts and the redrawing, so that the terminal is as it should stay. */
  close(): void {
    this.#isClosed = true;
    this.#ignoreSignals();
    this.#questions.close();
    if (this.#held !== undefined) this.#view.show(this.#held);
    this.#held = undefined;
    this.#view.close();
  }

  /** Shows what is new; while the person is prompted, it is kept for later. */
  #show(look: RunSnapshot): void {
    const { events = [], texts = [] } = this.#held ?? {};
    const all = { ...look, events: [...events, ...look.events], texts: [...texts, ...look.texts] };
    this.#held = this.#questions.isPrompting ? all : undefined;
    if (this.#held === undefined) this.#view.show(all);
  }

  #restart(): void {
    const run = this.#run;
    if (hasRestarts(run, this.#workflow))
      void this.#questions.restart((reason, instructions) => run.requestRestart(reason, instructions));
    else this.#view.say('This run has nothing to restart');
  }

  async #mend({ trouble }: RunSnapshot): Promise<void> {
    if (trouble === undefined) {
      this.#troubled = false;
      return;
    }
    if (this.#questions.isPrompting) return;
    const isPaused = trouble.message === paused;
    if (!this.#troubled)
      this.#view.say(
        isPaused
          ? 'The run is paused; it goes on when somebody unpauses it'
          : (await this.#run.isOpen().catch(() => true))
            ? `No worker answers; the run goes on as soon as one does (${reasonOf(trouble)})`
            : `No worker of the run's version is left to tell what it has done; its history does: reprise show ${shellWord(this.#run.id)}`,
      );
    this.#troubled = true;
    if (isPaused) return;
    if (Date.now() - this.#revivedAt < reviveEveryMs) return;
    this.#revivedAt = Date.now();
    await this.#revive();
  }
}

/**
 * Shows a run until its end, puts its questions to the person, and prints its answer, its report or its result. Ctrl-C
 * ends the command, but not the run.
 *
 * @param revive starts the server and the worker of a run at a local address again, if they have died
 * @throws where the run failed; `Interruption` where the person leaves
 */
export async function follow(
  shell: Shell,
  run: Run,
  options: FollowOptions,
  revive: () => Promise<void>,
): Promise<void> {
  const following = new Following(shell, run, options, revive, () => {
    shell.say(
      `The run goes on. Come back to it with: ${watchCommand(run.id, options)}; end it with: ${cancelCommand(run.id, options)}`,
    );
  });
  try {
    const elapsed = await following.show({});
    const result = await run.result();
    shell.say(summaryOf(result, elapsed));
    await (options.json ? shell.printJson(result) : shell.printText(answerOf(result)));
    if (options.out !== undefined) await writeFiles(shell, run.id, filesOf(result), options.out);
  } finally {
    following.close();
  }
}

/** The command that shows a run. */
export const watchCommand = (id: string, { temporal }: FollowOptions): string =>
  `reprise watch ${shellWord(id)}${temporalOption(temporal)}`;

const cancelCommand = (id: string, { temporal }: FollowOptions): string =>
  `reprise cancel ${shellWord(id)}${temporalOption(temporal)}`;

const filesOf = (result: RunResult): RunFiles | undefined => ('workspace' in result ? result.workspace : undefined);

function summaryOf(result: RunResult, elapsed: number): string {
  const { usage, warnings } = result;
  const warned = warnings.length === 0 ? [] : [countText(warnings.length, 'warning')];
  return [...countedIn(result), ...warned, durationText(elapsed), spentText(usage)].join(', ');
}

function countedIn(result: RunResult): string[] {
  switch (result.workflow) {
    case 'orchestration':
      return [countText(result.attempts, 'attempt'), ...(result.outcome === 'submitted' ? [] : [result.outcome])];
    case 'session':
      return [countText(result.turns, 'turn')];
    case 'research':
      return [countText(result.iterations.length, 'iteration'), result.outcome];
    case 'planAndExecute': {
      const completed = result.subtasks.filter(({ status }) => status === 'completed').length;
      return [
        `${completed} of ${countText(result.subtasks.length, 'subtask')} completed`,
        countText(result.executions, 'execution'),
        ...(result.retries === 0 ? [] : [countText(result.retries, 'retry', 'retries')]),
        result.outcome,
      ];
    }
  }
}
