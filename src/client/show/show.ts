import type { WorkflowHandle } from '@temporalio/client';
import { decodeAll } from '../../encryption/codec.ts';
import { pendingQuestionsQuery, stateQuery } from '../../protocol/definitions.ts';
import type { Prepared, PreparedTeam } from '../../protocol/orchestration.ts';
import type { PendingQuestion } from '../../protocol/questions.ts';
import type { TurnResult } from '../../protocol/session.ts';
import type { RunResult, State } from '../../protocol/state.ts';
import { addUsage, noFigures, type Figures, type PriceTable, type Usage } from '../../protocol/usage.ts';
import type { RunFiles } from '../../protocol/workspace.ts';
import { readEnvironment } from '../../util/environment.ts';
import { isOpenStatus } from '../../util/run-status.ts';
import { costOf } from '../../workflows/agent/budget.ts';
import { ifFound, temporalReason } from '../errors.ts';
import { whyUnserved } from '../pollers.ts';
import { callsOf, type ShownCall } from './calls.ts';
import { readHistory, type HistoryRecord, type RunHistory } from './history.ts';
import type { RunStep } from './step.ts';
import { modelCallsIn, stepsOf, summaryOf } from './steps.ts';
import { Texts } from './texts.ts';

export interface ShowOptions {
  /** The home folder of the run's worker, whose store has the texts that are too long for a history; absent: none. */
  home?: string;
  /** Variables by name in place of `process.env`: they say where that store is, and how it is encrypted. */
  variables?: NodeJS.ProcessEnv;
  /** Whether to tell what each model was sent and has replied. */
  prompts?: boolean;
}

/** The state of a run in Temporal. */
export type RunStatus =
  | 'running'
  | 'completed'
  | 'failed'
  | 'cancelled'
  | 'terminated'
  | 'timed_out'
  | 'continued_as_new'
  | 'paused';

/** Everything that has happened in a run, with its texts. */
export interface RunRecord {
  id: string;
  /** The workflow type. */
  workflow: string;
  status: RunStatus;
  /** The result's outcome; null if there is no result. */
  outcome: string | null;
  /** Why the run failed; null if it did not. */
  failure: string | null;
  /** The task, idea or problem, or a session's first text. */
  question: string;
  /** ISO 8601 times; `endedAt` is null while the run is open. */
  startedAt: string;
  endedAt: string | null;
  /** The workflow's own result, with answer, votes, iterations or subtasks; null if there is none. */
  result: RunResult | null;
  /** The files that it has come to, or a session after its last turn; null if there are none. */
  workspace: RunFiles | null;
  /** The state of an open run; null if the run has ended, or no worker has told it in time. */
  state: State | null;
  /** What waits for a person. */
  waiting: PendingQuestion[];
  steps: RunStep[];
  /** What did not go as planned. */
  warnings: string[];
  /** What the run has cost; without a result, as far as its calls have told. */
  usage: Usage;
  /** What is missing in this record, in words. */
  notes: string[];
  /** With `prompts`: each call of a model. */
  calls?: ShownCall[];
}

/** Reads a run from its history, as `Run.show` returns it. @throws `WorkflowNotFoundError` */
export async function showRun(
  handle: WorkflowHandle,
  { home, prompts, variables = process.env }: ShowOptions,
): Promise<RunRecord> {
  const { status } = await handle.describe();
  const isOpen = isOpenStatus(status.name);
  const { histories, isWhole } = await chainOf(handle);
  let live: LiveState | undefined;
  let trouble: string | undefined;
  try {
    if (isOpen) live = await askLiveState(handle, 3000);
  } catch (error) {
    const why = temporalReason((await whyUnserved(handle)) ?? error);
    const isPaused = status.name === 'PAUSED';
    trouble = isPaused ? 'The run is paused' : `No worker has told what the run is doing (${why})`;
  }
  const { missing, ...shown } = await recordWithTexts(histories, prompts ?? false, home, variables);
  return {
    id: handle.workflowId,
    status: status.name.toLowerCase() as RunStatus,
    state: live?.state ?? null,
    waiting: live?.waiting ?? [],
    ...shown,
    usage: shown.result?.usage ?? live?.state.usage ?? usageOf(histories),
    notes: [
      ...(isWhole ? [] : ['The beginning of this session is not in Temporal any more.']),
      ...(trouble === undefined ? [] : [`${trouble}; this is what it has done so far.`]),
      ...(missing === 0
        ? []
        : ['Some long texts are cut or missing: they are in the store of its worker (REPRISE_HOME, or DATABASE_URL).']),
    ],
  };
}

/** What the histories of a run say, with the texts of the store in `home`; `missing` counts those that it does not have. */
async function recordWithTexts(
  histories: RunHistory[],
  prompts: boolean,
  home: string | undefined,
  variables: NodeJS.ProcessEnv,
) {
  const found = new Map<string, string | undefined>();
  const take = (): { record: ReturnType<typeof recordOf>; missing: number; wanted: string[] } => {
    const wanted = new Set<string>();
    const texts = new Texts(recordsIn(histories), (id) => {
      if (!found.has(id)) wanted.add(id);
      return found.get(id);
    });
    return { record: recordOf(histories, texts, prompts), missing: texts.missing, wanted: [...wanted] };
  };
  let taken = take();
  if (home === undefined || taken.wanted.length === 0) return { ...taken.record, missing: taken.missing };
  const { Blobs } = await import('../../store/open-store.ts');
  const blobs = new Blobs(home, readEnvironment(variables));
  try {
    // Which texts a record names shows when it is made, and a text may name another one.
    for (; taken.wanted.length > 0; taken = take()) {
      for (const id of taken.wanted) found.set(id, await blobs.read(id));
    }
    return { ...taken.record, missing: taken.missing };
  } finally {
    await blobs.close();
  }
}

export function recordOf(
  histories: RunHistory[],
  texts: Texts,
  prompts: boolean,
): Omit<RunRecord, 'id' | 'status' | 'state' | 'waiting' | 'usage' | 'notes'> {
  const [first] = histories;
  const last = histories.at(-1);
  const records = recordsIn(histories);
  const firstTurn = records.find((each) => each.kind === 'turn');
  const lastTurn = records.findLast((each) => each.kind === 'turn_ended')?.result as Partial<TurnResult> | undefined;
  const result = (last?.result ?? null) as RunResult | null;
  const team = preparedIn(histories)?.team?.agents ?? [];
  const custom = team.filter(({ orchestrator }) => orchestrator.kind === 'custom').map(({ id }) => id);
  const ids = team.map(({ id }) => id);
  return {
    workflow: first?.workflow ?? '',
    outcome: result?.outcome ?? null,
    failure: last?.failure ?? null,
    question: questionIn(first?.input) ?? firstTurn?.text ?? '',
    startedAt: first?.startedAt ?? '',
    endedAt: last?.endedAt ?? null,
    result,
    workspace: (result && 'workspace' in result ? result.workspace : undefined) ?? lastTurn?.workspace ?? null,
    steps: stepsOf(records, texts, ids, custom),
    warnings: result?.warnings ?? [],
    ...(prompts && { calls: callsOf(records, texts) }),
  };
}

export const recordsIn = (histories: RunHistory[]): HistoryRecord[] => histories.flatMap(({ records }) => records);

/** The task, idea, problem or text in a run's input; undefined if there is none. */
export function questionIn(input: unknown): string | undefined {
  const { idea, problem, task, text } = (input ?? {}) as Record<string, unknown>;
  return [task, idea, problem, text].find((each) => typeof each === 'string');
}

async function chainOf(handle: WorkflowHandle): Promise<{ histories: RunHistory[]; isWhole: boolean }> {
  const { client, workflowId } = handle;
  const converter = client.options.loadedDataConverter;
  const fetched = [await decodeAll(await handle.fetchHistory(), converter)];
  for (;;) {
    const continues = fetched[0]?.events?.[0]?.workflowExecutionStartedEventAttributes?.continuedExecutionRunId;
    // The server deletes ended runs after some time.
    const earlier = continues && (await ifFound(client.getHandle(workflowId, continues).fetchHistory()));
    if (!earlier) break;
    fetched.unshift(await decodeAll(earlier, converter));
  }
  let turns = 0;
  const histories = fetched.map((history) => {
    const read = readHistory(history, converter.payloadConverter, turns);
    turns += read.records.filter(({ kind }) => kind === 'turn_ended').length;
    return read;
  });
  return { histories, isWhole: histories[0]?.continues === undefined };
}

/** The input as the worker has completed it; a session passes it on to the runs that it continues as. */
function preparedIn(histories: RunHistory[]): (Prepared & Partial<PreparedTeam>) | undefined {
  const [first] = histories;
  const isPreparation = (each: HistoryRecord): boolean => each.kind === 'activity' && each.type.startsWith('prepare');
  const found = first?.records.find(isPreparation);
  const passedOn = (first?.input as { earlier?: { prepared?: unknown } } | undefined)?.earlier?.prepared;
  const prepared = found?.kind === 'activity' ? found.result : passedOn;
  return (prepared ?? undefined) as (Prepared & Partial<PreparedTeam>) | undefined;
}

function usageOf(histories: RunHistory[]): Usage {
  const prices: PriceTable = preparedIn(histories)?.prices ?? {};
  const byAgent: Record<string, Figures> = {};
  const total = noFigures();
  for (const { input, result, summary } of modelCallsIn(recordsIn(histories))) {
    const own = (byAgent[summaryOf(summary).agent] ??= noFigures());
    for (const figures of [own, total]) {
      figures.calls += 1;
      if (result !== undefined)
        addUsage(figures, result.usage, costOf(result.usage, prices[input.backend.model ?? '']));
    }
  }
  return { ...total, byAgent };
}

interface LiveState {
  state: State;
  /** What waits for a person. */
  waiting: PendingQuestion[];
}

/** Asks an open run. @throws where no worker answers within so many milliseconds */
export function askLiveState(handle: WorkflowHandle, patience: number): Promise<LiveState> {
  return handle.client.connection.withDeadline(Date.now() + patience, async () => {
    const asked = [handle.query(stateQuery), handle.query(pendingQuestionsQuery)] as const;
    // One that is still tried again when the connection is closed would throw where nobody catches it.
    await Promise.allSettled(asked);
    const [state, waiting] = await Promise.all(asked);
    return { state, waiting };
  });
}
