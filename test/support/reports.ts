import type { Iteration, StoredReport } from '../../src/protocol/research.ts';

/** A stored report; what is not given is filled in. */
export function reportOf({ report, ...given }: Partial<StoredReport> = {}): StoredReport {
  return {
    id: 'a-report',
    workflowId: 'research-1',
    idea: 'A momentum strategy for small companies',
    outcome: 'viable',
    iterations: [iterationOf()],
    report: report ?? { title: 'Momentum', summary: 'It holds.', sections: [], sources: [] },
    similar: [],
    createdAt: '2020-01-01T00:00:00.000Z',
    ...given,
  };
}

/** A planning iteration; what is not given is filled in. */
export function iterationOf(given: Partial<Iteration> = {}): Iteration {
  return {
    iteration: 1,
    idea: 'A momentum strategy for small companies',
    score: 72,
    verdict: 'good',
    restartReason: null,
    restartKind: null,
    similar: 0,
    spent: { calls: 2, tokens: 100, costUsd: 0 },
    ...given,
  };
}
