import { ActivityFailure, proxyActivities, proxyLocalActivities } from '@temporalio/workflow';
import type { Activities } from '../../activities/activities.ts';
import type { ResearchResult } from '../../protocol/research.ts';
import type { Work } from '../../protocol/search.ts';
import type { Ending } from './iteration.ts';
import type { Study } from './context.ts';

const { settle } = proxyLocalActivities<Activities>({ startToCloseTimeout: '30 seconds' });

const retry = { initialInterval: '500 ms', backoffCoefficient: 2, maximumAttempts: 6 } as const;

const { persistReport } = proxyActivities<Activities>({
  summary: 'persist',
  startToCloseTimeout: '30 seconds',
  retry,
});

const { openIssue } = proxyActivities<Activities>({
  summary: 'github_issue',
  startToCloseTimeout: '2 minutes',
  heartbeatTimeout: '15 seconds',
  retry,
});

/** persist → github_issue: keeps the report, and opens an issue where one is wanted. Neither is worth losing it. */
export async function deliver(study: Study, { outcome, report }: Ending): Promise<ResearchResult> {
  const { events, gaps, idea, iterations, ledger, settings } = study;
  study.phase = 'persisting';
  const similar = distinct(study.drafts.flatMap(({ found }) => found?.similar ?? []));
  const reportId =
    (await orGap(study, 'The report is not stored', async () => {
      const stored = await persistReport({ idea, outcome, iterations, report, similar });
      events.emit({ type: 'stored', reportId: stored.reportId });
      return stored.reportId;
    })) ?? '';
  const { github_issue } = settings;
  let issueUrl: string | undefined;
  if (github_issue !== undefined && outcome !== 'stopped' && reportId !== '') {
    study.phase = 'opening an issue';
    issueUrl = await orGap(study, 'There is no issue', async () => {
      const { created, url } = await openIssue({ reportId, ...github_issue });
      events.emit({ type: 'issue', url, created });
      return url;
    });
  }
  if (ledger.unsettled.length > 0) ledger.settle(await settle(ledger.unsettled));
  study.phase = 'done';
  events.emit({ type: 'final', outcome, agent: 'writer', answer: report.title });
  return {
    report,
    iterations,
    outcome,
    reportId,
    ...(issueUrl !== undefined && { issueUrl }),
    gaps,
    usage: ledger.usage,
    events: events.count,
  };
}

async function orGap<T>(
  { events, gaps }: Study,
  what: string,
  work: () => Promise<T>,
): Promise<T | undefined> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof ActivityFailure)) throw error;
    const gap = `${what}: ${error.cause?.message ?? error.message}`;
    events.emit({ type: 'gap', text: gap });
    gaps.push(gap);
    return undefined;
  }
}

const distinct = (works: Work[]): Work[] => [...new Map(works.map((work) => [work.url, work])).values()];
