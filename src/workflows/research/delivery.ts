import { proxyActivities } from '@temporalio/workflow';
import type { Activities } from '../../protocol/activities.ts';
import type { Report, ResearchOutcome, ResearchResult, ResearchRole } from '../../protocol/research.ts';
import { failureReason } from '../agent/failures.ts';
import type { LoopResult } from '../runtime/iterate.ts';
import { warningsOf } from '../runtime/run-context.ts';
import type { Draft, PlanningRestart, ResearchContext } from './context.ts';
import { endLastDraft } from './drafts.ts';
import { truncateReport } from './rules/report.ts';
import { withoutWriter } from './synthesis.ts';

const retry = { initialInterval: '500 ms', backoffCoefficient: 2, maximumAttempts: 6 } as const;

const { persistReport } = proxyActivities<Activities>({ summary: 'persist', startToCloseTimeout: '30 seconds', retry });

const { openIssue } = proxyActivities<Activities>({
  summary: 'github_issue',
  startToCloseTimeout: '2 minutes',
  heartbeatTimeout: '15 seconds',
  retry,
});

/**
 * Stores the report and opens a GitHub issue if one is wanted (the nodes persist → github_issue). If either fails, that
 * becomes a gap and a warning in the result.
 */
export async function deliver(
  context: ResearchContext,
  { best, last, outcome, why }: LoopResult<Draft, ResearchOutcome, PlanningRestart>,
): Promise<{ agent: ResearchRole; answer: string }> {
  const { drafts, events, idea, iterations, settings } = context;
  if (drafts.at(-1) === last) endLastDraft(context);
  const written = context.report ?? withoutWriter(context, best ?? last, why ?? '');
  const report = truncateReport(written);
  if (report !== written) context.warn('The report was too long, and is cut');
  context.report = report;
  context.phase = 'persisting';
  const works = drafts.flatMap(({ similar: named = [] }) => named);
  const similar = [...new Map(works.map((work) => [work.url, work])).values()];
  await orGap(context, 'The report is not stored', async () => {
    const { reportId } = await persistReport({ idea, outcome, iterations, report, similar });
    events.emit({ type: 'stored', reportId });
    context.reportId = reportId;
  });
  const { github_issue } = settings;
  const { reportId } = context;
  if (github_issue !== undefined && !['stopped', 'no_material', 'cancelled'].includes(outcome) && reportId !== '') {
    context.phase = 'opening_issue';
    await orGap(context, 'There is no issue', async () => {
      const { created, url } = await openIssue({ reportId, ...github_issue });
      events.emit({ type: 'issue', url, created });
      context.issueUrl = url;
    });
  }
  context.phase = 'done';
  return { agent: 'writer', answer: report.title };
}

export function resultOf(context: ResearchContext, outcome: ResearchOutcome): ResearchResult {
  const { events, gaps, issueUrl, iterations, report, reportId, usage } = context;
  return {
    workflow: 'research',
    report: report as Report,
    iterations,
    outcome,
    warnings: warningsOf(context),
    reportId,
    ...(issueUrl !== undefined && { issueUrl }),
    gaps,
    usage: usage.total,
    events: events.count,
  };
}

async function orGap(context: ResearchContext, what: string, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    const gap = `${what}: ${failureReason(error)}`;
    context.warn(gap);
    context.gaps.push(gap);
  }
}
