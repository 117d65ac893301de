import type { OrchestrationResult } from '../protocol/orchestration.ts';
import type { SolveResult } from '../protocol/plan-and-execute.ts';
import { restartKinds, type Iteration, type ResearchResult, type RestartKind } from '../protocol/research.ts';
import { noFigures, type Figures, type Usage } from '../protocol/usage.ts';

/** What calls have used: a sum or a mean. */
export type Spent = Iteration['spent'];

/** How often the runs of a type restart. Shares and means are 0 where there is nothing to count. */
export interface RestartCounts {
  runs: number;
  /** Runs with at least one restart. */
  restarted: number;
  /** Their share of all runs, from 0 to 1. */
  share: number;
  restarts: number;
  /** How many of the runs that restarted ended with which outcome. */
  outcomes: Record<string, number>;
  /** What restarts have cost in total, and one restart on the average. */
  cost: { total: Spent; perRestart: Spent };
}

export interface OrchestrationStats extends RestartCounts {
  /** What a run uses on the average, without a restart and with at least one. */
  meanRun: { without: Spent; restarted: Spent };
}

/** How restarts have changed the score of the runs that have one. */
export interface Gain {
  /** Restarts with a score before them and one after. */
  measured: number;
  rose: number;
  fell: number;
  /** The average change from the score before to the one after, in points. */
  mean: number;
}

export interface ResearchStats extends RestartCounts {
  gain: Gain;
  byKind: Record<RestartKind, { restarts: number; gain: Gain }>;
}

/** How often plans are retried, and what it saves that a retry executes only what has failed. Shares are 0 where there is nothing. */
export interface SolveStats {
  runs: number;
  /** Runs with at least one retry, which is a round after the first. */
  retried: number;
  /** Their share of all runs, from 0 to 1. */
  share: number;
  retries: number;
  /** How many of the runs that were retried ended with which outcome. */
  outcomes: Record<string, number>;
  /** Executions of subtasks in the runs that were retried. */
  executions: {
    done: number;
    /** Those of a subtask that had been executed before. */
    again: number;
    /** What there would have been if each retry had executed again what was completed before it. */
    whole: number;
    /** The share of `whole` that was saved, from 0 to 1. */
    savedShare: number;
  };
  /** What the executions that were saved would have cost, each as much as its subtask has cost on the average. */
  saved: Spent;
}

export interface Stats {
  orchestration: OrchestrationStats;
  research: ResearchStats;
  planAndExecute: SolveStats;
  /** Runs that have completed but could not be read, and are in none of the figures. */
  unread: number;
}

export interface Results {
  orchestrations: Array<Pick<OrchestrationResult, 'attempts' | 'restarts' | 'outcome' | 'usage'>>;
  researchRuns: Array<Pick<ResearchResult, 'iterations' | 'outcome'>>;
  plans: Array<Pick<SolveResult, 'executions' | 'outcome' | 'retries' | 'subtasks' | 'usage'>>;
  unread: number;
}

/** The result of one run, as what is summed up. @throws where it is none: somebody else's workflows may have the same names */
export function resultsOf(type: string, result: unknown): Results {
  const { restarts, iterations, subtasks, usage } = (result ?? {}) as Record<string, unknown> & {
    usage?: Partial<Usage>;
  };
  const counted = { orchestration: restarts, research: iterations, planAndExecute: subtasks }[type];
  if (!Array.isArray(counted) || typeof usage?.calls !== 'number') throw new Error(`its result is not one of ${type}`);
  const alone: Results = { orchestrations: [], plans: [], researchRuns: [], unread: 0 };
  if (type === 'research') alone.researchRuns.push(result as ResearchResult);
  else if (type === 'planAndExecute') alone.plans.push(result as SolveResult);
  else alone.orchestrations.push(result as OrchestrationResult);
  if (!isCounted(sumUp(alone))) throw new Error('its result holds figures that are no numbers');
  return alone;
}

const isCounted = (figures: object): boolean =>
  Object.values(figures).every((each) =>
    typeof each === 'object' && each !== null ? isCounted(each as object) : Number.isFinite(each),
  );

export const sumUp = ({ orchestrations, plans, researchRuns, unread }: Results): Stats => ({
  orchestration: sumUpOrchestrations(orchestrations),
  research: sumUpResearchRuns(researchRuns),
  planAndExecute: sumUpPlans(plans),
  unread,
});

function sumUpOrchestrations(all: Results['orchestrations']): OrchestrationStats {
  const runs = all.map(({ attempts, restarts, outcome, usage }) => {
    const spent = spentIn(usage);
    // Usage is known for the whole run only, and all attempts are assumed to have used the same.
    const spentAgain = scaled(spent, (attempts - 1) / attempts);
    return { restarts: restarts.length, outcome, spent, spentAgain };
  });
  const meanOf = (some: typeof runs): Spent => scaled(sumSpent(some.map(({ spent }) => spent)), ratio(1, some.length));
  return {
    ...countsOf(runs),
    meanRun: {
      without: meanOf(runs.filter(({ restarts }) => restarts === 0)),
      restarted: meanOf(runs.filter(({ restarts }) => restarts > 0)),
    },
  };
}

function sumUpResearchRuns(all: Results['researchRuns']): ResearchStats {
  const restarts = all.flatMap(({ iterations }) => restartsIn(iterations));
  const runs = all.map(({ iterations, outcome }) => ({
    restarts: restartsIn(iterations).length,
    outcome,
    spentAgain: sumSpent(iterations.slice(1).map(({ spent }) => spent)),
  }));
  const byKind = restartKinds.map((kind) => {
    const some = restarts.filter((each) => each.kind === kind);
    return [kind, { restarts: some.length, gain: gainOf(some) }];
  });
  return {
    ...countsOf(runs),
    gain: gainOf(restarts),
    byKind: Object.fromEntries(byKind) as ResearchStats['byKind'],
  };
}

function sumUpPlans(all: Results['plans']): SolveStats {
  const retried = all.filter(({ retries }) => retries > 0);
  const savings = retried.flatMap(savingsOf);
  const done = sum(retried.map(({ executions }) => executions));
  const saved = sum(savings.map(({ executions }) => executions));
  const again = sum(retried.flatMap(({ subtasks }) => subtasks.map(({ executions }) => Math.max(0, executions - 1))));
  return {
    runs: all.length,
    retried: retried.length,
    share: ratio(retried.length, all.length),
    retries: sum(retried.map(({ retries }) => retries)),
    outcomes: countedBy(retried.map(({ outcome }) => outcome)),
    executions: { done, again, whole: done + saved, savedShare: ratio(saved, done + saved) },
    saved: sumSpent(savings.map(({ spent }) => spent)),
  };
}

/** For each completed subtask, how often it was not executed again: once in each round after the one that completed it. */
function savingsOf({ retries, subtasks, usage }: Results['plans'][number]) {
  const rounds = retries + 1;
  return subtasks.flatMap(({ completedIn, executions, id }) => {
    if (completedIn === undefined) return [];
    const left = Math.max(0, rounds - completedIn);
    return [{ executions: left, spent: scaled(spentIn(usage.byAgent[id]), ratio(left, executions)) }];
  });
}

function spentIn({ calls, costUsd, inputTokens, outputTokens }: Figures = noFigures()): Spent {
  return { calls, tokens: inputTokens + outputTokens, costUsd };
}

/** A restart, with the score of the iteration that it ended and the next score of the run; null where there is none. */
interface Restart {
  kind: RestartKind;
  before: number | null;
  after: number | null;
}

const restartsIn = (iterations: Iteration[]): Restart[] =>
  iterations.flatMap(({ restartKind, score }, index) => {
    if (restartKind === null) return [];
    const next = iterations.slice(index + 1).find((each) => each.score !== null);
    return [{ kind: restartKind, before: score, after: next?.score ?? null }];
  });

function gainOf(restarts: Restart[]): Gain {
  const gains = restarts.flatMap(({ before, after }) => (before === null || after === null ? [] : [after - before]));
  return {
    measured: gains.length,
    rose: gains.filter((gain) => gain > 0).length,
    fell: gains.filter((gain) => gain < 0).length,
    mean: ratio(sum(gains), gains.length),
  };
}

function countsOf(runs: Array<{ restarts: number; outcome: string; spentAgain: Spent }>): RestartCounts {
  const restarted = runs.filter((run) => run.restarts > 0);
  const restarts = sum(restarted.map((run) => run.restarts));
  const total = sumSpent(runs.map(({ spentAgain }) => spentAgain));
  return {
    runs: runs.length,
    restarted: restarted.length,
    share: ratio(restarted.length, runs.length),
    restarts,
    outcomes: countedBy(restarted.map(({ outcome }) => outcome)),
    cost: { total, perRestart: scaled(total, ratio(1, restarts)) },
  };
}

function countedBy(outcomes: string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const outcome of outcomes) counts[outcome] = (counts[outcome] ?? 0) + 1;
  return counts;
}

const sumSpent = (all: Spent[]): Spent => ({
  calls: sum(all.map(({ calls }) => calls)),
  tokens: sum(all.map(({ tokens }) => tokens)),
  costUsd: sum(all.map(({ costUsd }) => costUsd)),
});

const scaled = ({ calls, tokens, costUsd }: Spent, factor: number): Spent => ({
  calls: calls * factor,
  tokens: tokens * factor,
  costUsd: costUsd * factor,
});

const sum = (numbers: number[]): number => numbers.reduce((total, each) => total + each, 0);

const ratio = (part: number, whole: number): number => (whole === 0 ? 0 : part / whole);
