import type { OrchestrationRun, Run, RunResult, RunSnapshot, WatchOptions } from '../client.ts';
import { revive } from './connection.ts';
import { reasonOf } from './failures.ts';
import { openView, type View } from './live/view.ts';
import { isAsking, promptsFor } from './questions/prompter.ts';
import type { State } from '../protocol/state.ts';
import { answerOf } from '../client/show/record-parts.ts';
import { Interruption } from './exit.ts';
import { countText, spentText } from '../client/show/spent.ts';
import { homeFolder, type FollowOptions } from './options.ts';
import { writeFiles } from './out.ts';
import { cancelCommand, watchCommand } from './questions/box.ts';
import { columnsOf, wrapped } from './show/layout.ts';
import { shellWord } from '../util/text/shell-word.ts';
import type { Shell } from './shell.ts';
import { paused } from '../util/run-status.ts';
import { durationText } from '../workflows/runtime/duration.ts';

/** Time between two attempts to start again what a run needs, in milliseconds. */
const reviveEveryMs = 10_000;

// A run need not be of the type as which it was opened.
const hasRestarts = (run: Run, workflow?: State['workflow']): run is Run & Pick<OrchestrationRun, 'requestRestart'> =>
  'requestRestart' in run && (workflow === 'orchestration' || workflow === 'research');

interface Showing extends WatchOptions {
  /** Is said at Ctrl-C, when the terminal has been restored. */
  goodbye: string;
  /** Whether a person types what is said. */
  isChat?: boolean;
  /** Says why Ctrl-C does not leave this time; undefined where it does. */
  stay?: () => string | undefined;
}

/**
 * Shows a run until its end, and puts its questions to the person. @throws `Interruption` where the person leaves
 *
 * @returns the milliseconds between its first and its last event
 */
export async function show(
  shell: Shell,
  run: Run,
  options: FollowOptions,
  { goodbye, isChat = false, stay, ...watch }: Showing,
): Promise<number> {
  const left = Promise.withResolvers<never>();
  const leave = (): void => {
    const why = stay?.();
    if (why !== undefined) return view.say(why);
    close();
    shell.say(goodbye);
    left.reject(new Interruption());
  };
  let workflow: State['workflow'] | undefined;
  const restart = (): void => {
    if (hasRestarts(run, workflow)) void questions.restart((reason, how) => run.requestRestart(reason, how));
    else view.say('This run has nothing to restart');
  };
  const actions = { leave, answer: () => questions.again(), restart };
  // In a chat what is typed while a turn goes on is the beginning of the next one.
  const hasKeys = shell.canPrompt && !options.json && !isChat;
  const view = openView(shell, {
    plain: options.plain ?? false,
    isChat,
    cancel: cancelCommand(run.id, options),
    ...(hasKeys && { keys: { terminal: shell, actions } }),
  });
  const questions = promptsFor(shell, run, options, view, leave);
  const ignoreSignals = shell.onSignal(['SIGINT'], leave);

  let isClosed = false;
  /** What is new while the person is prompted. */
  let held: RunSnapshot | undefined;
  /** Ends prompts and the redrawing, so that the terminal is as it should stay. */
  const close = (): void => {
    isClosed = true;
    ignoreSignals();
    questions.close();
    if (held !== undefined) view.show(held);
    held = undefined;
    view.close();
  };
  const mend = mending(shell, run, options, view);
  const showAll = async (): Promise<number> => {
    let since = 0;
    let until = 0;
    for await (const look of run.watch({ ...watch, home: homeFolder(shell), variables: shell.env })) {
      if (isClosed) break;
      const { events = [], texts = [] } = held ?? {};
      const all = { ...look, events: [...events, ...look.events], texts: [...texts, ...look.texts] };
      held = questions.isPrompting() ? all : undefined;
      if (held === undefined) view.show(all);
      workflow = look.state?.workflow;
      // One that was terminated has left its questions open.
      const isOpen = !look.events.some(isAsking) || (await run.isOpen().catch(() => true));
      questions.see(look.events, isOpen);
      since ||= Date.parse(look.events.at(0)?.at ?? '') || 0;
      until = Date.parse(look.events.at(-1)?.at ?? '') || until;
      if (look.trouble === undefined || !questions.isPrompting()) await mend(look);
    }
    return until - since;
  };
  try {
    return await Promise.race([left.promise, showAll()]);
  } finally {
    close();
  }
}

/** Makes a function that says once what keeps a run from going on, and starts again what it needs. */
function mending(shell: Shell, run: Run, options: FollowOptions, view: View): (look: RunSnapshot) => Promise<void> {
  let isTroubled = false;
  let revivedAt = 0;
  const whatIsWrong = async (trouble: Error): Promise<string> => {
    if (trouble.message === paused) return 'The run is paused; it goes on when somebody unpauses it';
    return (await run.isOpen().catch(() => true))
      ? `No worker answers; the run goes on as soon as one does (${reasonOf(trouble)})`
      : `No worker of the run's version is left to tell what it has done; its history does: reprise show ${shellWord(run.id)}`;
  };
  return async ({ trouble }) => {
    if (trouble !== undefined && !isTroubled) view.say(await whatIsWrong(trouble));
    isTroubled = trouble !== undefined;
    if (trouble === undefined || trouble.message === paused || Date.now() - revivedAt < reviveEveryMs) return;
    revivedAt = Date.now();
    await revive(shell, options);
  };
}

/** Shows a run until its end, and prints what comes of it. @throws where the run failed; `Interruption` */
export async function follow(shell: Shell, run: Run, options: FollowOptions): Promise<void> {
  const [watch, cancel] = [watchCommand(run.id, options), cancelCommand(run.id, options)];
  const goodbye = `The run goes on. Come back to it with: ${watch}; end it with: ${cancel}`;
  const elapsed = await show(shell, run, options, { goodbye });
  const result = await run.result();
  shell.say(wrapped(summaryOf(result, elapsed), columnsOf(shell.stderr)).join('\n'));
  await (options.json ? shell.printJson(result) : shell.printText(answerOf(result)));
  if (options.out !== undefined)
    await writeFiles(shell, run.id, 'workspace' in result ? result.workspace : undefined, options.out);
}

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
