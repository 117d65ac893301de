import { setTimeout as pause } from 'node:timers/promises';
import { WorkflowExecutionAlreadyStartedError, WorkflowNotFoundError } from '@temporalio/client';
import { UnservedError, RunNotOpenError, type Reprise, type Run, type SessionRun } from '../../src/client.ts';
import { isLost } from '../../src/client/snapshot.ts';
import { configFile } from './configs.ts';
import { plannedRun, type PlannedRun } from './plan.ts';
import { taskText, turnText } from './replies.ts';
import type { RunEnd } from './verdict.ts';

export interface LoadSettings {
  reprise: Reprise;
  seed: number;
  runsAtOnce: number;
  /** Is told of each run that has ended. */
  onEnd: (end: RunEnd) => void;
}

/** Runs of all kinds, with somebody who answers their questions, takes the turns of conversations, and cancels a few. */
export class Load {
  readonly ends: RunEnd[] = [];
  /** Runs under way, by their ids. */
  readonly open = new Map<string, RunEnd>();
  readonly #settings: LoadSettings;
  #isOver = false;
  #next = 0;
  #workers: Array<Promise<void>> = [];

  constructor(settings: LoadSettings) {
    this.#settings = settings;
  }

  /** Starts runs, so many at once, one after the other. */
  begin(): void {
    this.#workers = Array.from({ length: this.#settings.runsAtOnce }, async () => {
      while (!this.#isOver) await this.#one(plannedRun(this.#settings.seed, this.#next++));
    });
  }

  /**
   * Starts no more runs, and waits for the open ones, so many milliseconds at most. Those that are open even then are
   * terminated.
   *
   * @returns how each run has ended before that
   */
  async end(patience: number): Promise<RunEnd[]> {
    this.#isOver = true;
    await Promise.race([Promise.all(this.#workers), pause(patience, undefined, { ref: false })]);
    const ends = [...this.ends, ...[...this.open.values()].map((end) => ({ ...end }))];
    for (const id of this.open.keys()) await this.#settings.reprise.getRun(id).terminate('The time is over');
    await Promise.all(this.#workers);
    return ends;
  }

  async #one(planned: PlannedRun): Promise<void> {
    const { id, kind, cancelAfter } = planned;
    const end: RunEnd = { id, kind, cancelled: false, answers: [], said: [] };
    this.open.set(id, end);
    const over = new AbortController();
    try {
      const run = await started(this.#settings.reprise, planned);
      const company = [
        ...(asks(planned) ? [answerQuestions(run, planned, end, over.signal)] : []),
        ...(cancelAfter === undefined ? [] : [cancelRun(run, cancelAfter, end, over.signal)]),
        ...(isSession(planned) ? [converse(run as SessionRun, planned, end)] : []),
      ];
      const result = await untilAnswered(() => run.result());
      over.abort();
      await Promise.all(company);
      end.outcome = result.outcome;
      end.result = JSON.stringify(result);
      if (end.turns !== undefined && 'turns' in result) end.turns.counted = result.turns;
    } catch (error) {
      over.abort();
      end.problem = wordsOf(error);
    }
    this.open.delete(id);
    this.ends.push(end);
    this.#settings.onEnd(end);
  }
}

/** An error with its causes. */
const wordsOf = (error: unknown): string =>
  error instanceof Error && error.cause !== undefined ? `${String(error)}: ${wordsOf(error.cause)}` : String(error);

const isSession = ({ kind }: PlannedRun): boolean => kind === 'chat' || kind === 'react';

/** Whether a run asks a person. */
const asks = (run: PlannedRun): boolean =>
  (run.kind === 'team' && run.tasks[0] === 'ask') || (isSession(run) && run.tasks.includes('ask'));

async function started(reprise: Reprise, { id, kind }: PlannedRun): Promise<Run> {
  const config = configFile(kind);
  const text = taskText(id);
  const start: Record<PlannedRun['kind'], () => Promise<Run>> = {
    team: () => reprise.startOrchestration({ task: text, config }, { id }),
    peers: () => reprise.startOrchestration({ task: text, config }, { id }),
    solve: () => reprise.startSolve({ problem: text, config }, { id }),
    study: () => reprise.startResearch({ idea: text, config }, { id }),
    chat: () => reprise.startSession({ config }, { id }),
    react: () => reprise.startSession({ config }, { id }),
  };
  return untilAnswered(async () => {
    try {
      return await start[kind]();
    } catch (error) {
      // The request before had been heard, although its answer was not.
      if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
      return isSession({ kind } as PlannedRun) ? reprise.getSession(id) : reprise.getRun(id);
    }
  });
}

/** Makes a request again for as long as the server is away, or no worker is back yet, which is told after five seconds. */
async function untilAnswered<T>(request: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await request();
    } catch (error) {
      if (!isLost(error) && !(error instanceof UnservedError)) throw error;
    }
    await pause(500);
  }
}

/** Takes all turns of a conversation, and closes it. */
async function converse(run: SessionRun, { id, tasks }: PlannedRun, end: RunEnd): Promise<void> {
  const turns = { sent: 0, answered: 0 };
  end.turns = turns;
  try {
    for (let turn = 1; turn <= tasks.length; turn++) {
      turns.sent += 1;
      const { answer } = await run.send(turnText(id, turn));
      if (answer !== '') turns.answered += 1;
      // A turn that is cancelled delivers what its agent said last, which may belong to the turn before.
      if (!end.cancelled) end.said.push({ about: `${id} turn ${turn}`, text: answer });
    }
  } catch (error) {
    if (!end.cancelled) end.problem = `turn ${turns.sent} failed: ${wordsOf(error)}`;
  }
  await ifOpen(() => run.close());
}

async function cancelRun(run: Run, after: number, end: RunEnd, over: AbortSignal): Promise<void> {
  await sleep(after * 1000, over);
  if (over.aborted) return;
  // What it may have ended with is no longer sure from here on.
  end.cancelled = true;
  await ifOpen(() => run.cancel());
}

/** A person who looks for questions all the time, and answers each in the run's manner. */
async function answerQuestions(run: Run, { id, manner }: PlannedRun, end: RunEnd, over: AbortSignal): Promise<void> {
  const seen = new Set<string>();
  const answer = async (questionId?: string): Promise<void> => {
    const mark = `[person ${id} ${end.answers.length + 1}]`;
    const reply = { answer: `Yes ${mark}`, ...(questionId !== undefined && { questionId }) };
    if (await ifOpen(() => run.answer(reply))) end.answers.push(mark);
    if (manner === 'twice') await ifOpen(() => run.answer(reply));
  };
  if (manner === 'before') await answer();
  while (!over.aborted) {
    const questions = await run.pendingQuestions().catch(() => []);
    for (const { expiresAt, questionId } of questions) {
      if (seen.has(questionId)) continue;
      seen.add(questionId);
      if (manner === 'late') await sleep(Date.parse(expiresAt ?? '') + 1000 - Date.now(), over);
      await answer(questionId);
    }
    await sleep(500, over);
  }
}

/** Does something to a run. @returns false where it has ended already */
async function ifOpen(act: () => Promise<void>): Promise<boolean> {
  try {
    await untilAnswered(act);
    return true;
  } catch (error) {
    if (error instanceof RunNotOpenError || error instanceof WorkflowNotFoundError) return false;
    throw error;
  }
}

const sleep = (ms: number, signal: AbortSignal): Promise<void> =>
  pause(Math.max(0, ms), undefined, { signal }).catch(() => {});
