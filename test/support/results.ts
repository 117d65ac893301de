import type { OrchestrationResult } from '../../src/protocol/orchestration.ts';
import type { SolveOutcome, SolveResult, SubtaskReport } from '../../src/protocol/plan-and-execute.ts';
import type { Iteration, ResearchResult, RestartKind } from '../../src/protocol/research.ts';

const usage = (calls: number) => ({
  calls,
  inputTokens: 80 * calls,
  cachedInputTokens: 0,
  outputTokens: 20 * calls,
  costUsd: 0.25 * calls,
  byAgent: {},
});

/** The result of an orchestration; a call takes 100 tokens and costs a quarter of a dollar. */
export function orchestrationResult(
  change: Partial<Pick<OrchestrationResult, 'outcome' | 'attempts'>> & { calls?: number } = {},
): OrchestrationResult {
  const { outcome = 'submitted', attempts = 1, calls = 10 } = change;
  const restarts = Array.from({ length: attempts - 1 }, (_, index) => ({
    attempt: index + 1,
    reason: 'Only a plan.',
    instructions: 'Do it.',
  }));
  return {
    workflow: 'orchestration',
    answer: 'Done.',
    finalAgent: 'agent_a',
    attempts,
    restarts,
    votes: [],
    outcome,
    warnings: [],
    humanQa: [],
    usage: usage(calls),
    events: 1,
  };
}

/** The result of a research run by its scores, and by why it was planned anew after each; an iteration takes 4 calls. */
export function researchResult(
  steps: Array<[score: number | null, restart?: RestartKind]>,
  outcome: ResearchResult['outcome'] = 'viable',
): ResearchResult {
  const iterations = steps.map(([score, restartKind = null], index): Iteration => ({
    iteration: index + 1,
    idea: 'An idea.',
    score,
    verdict: null,
    restartReason: restartKind === null ? null : 'Not good enough.',
    restartKind,
    similar: 0,
    spent: { calls: 4, tokens: 400, costUsd: 1 },
  }));
  return {
    workflow: 'research',
    report: { title: 'A report', summary: 'In short.', sections: [], sources: [] },
    iterations,
    outcome,
    warnings: [],
    reportId: 'r1',
    gaps: [],
    usage: usage(4 * steps.length + 1),
    events: 1,
  };
}

/**
 * The result of a plan by how often its subtasks were executed, and in which round each was completed; one without a round
 * has failed. Each execution takes 2 calls.
 */
export function solveResult(change: {
  outcome?: SolveOutcome;
  retries?: number;
  subtasks?: Array<Pick<SubtaskReport, 'executions' | 'completedIn'>>;
}): SolveResult {
  const { outcome = 'complete', retries = 0, subtasks = [{ executions: 1, completedIn: 1 }] } = change;
  const reports = subtasks.map((each, index): SubtaskReport => ({
    id: `step_${index + 1}`,
    description: `Do step_${index + 1}`,
    dependsOn: [],
    ...each,
    ...(each.completedIn === undefined ? { status: 'failed', error: 'No.' } : { status: 'completed', result: 'Done.' }),
  }));
  const executions = reports.reduce((sum, each) => sum + each.executions, 0);
  const failed = reports.filter(({ status }) => status === 'failed').length;
  return {
    workflow: 'planAndExecute',
    answer: 'Done.',
    outcome,
    warnings: [],
    subtasks: reports,
    executions,
    retries,
    stateSummary: {
      subtasks_total: reports.length,
      subtasks_completed: reports.length - failed,
      subtasks_failed: failed,
      subtasks_pending: 0,
      dead_ends: 0,
    },
    validation: null,
    usage: {
      ...usage(2 * executions),
      byAgent: Object.fromEntries(reports.map((each) => [each.id, usage(2 * each.executions)])),
    },
    events: 1,
  };
}
