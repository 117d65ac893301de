import type { Octokit } from '@octokit/rest';
import { ApplicationFailure } from '@temporalio/common';
import type { Environment } from '../util/environment.ts';
import type { Iteration, OpenedIssue, OpenIssueInput, StoredReport } from '../protocol/research.ts';
import type { Store } from '../store/store.ts';
import { cancellable } from './cancellable.ts';
import { markdownOf } from '../workflows/research/rules/report.ts';
import { bounded } from '../tools/web/search/normalize.ts';
import { redact } from '../util/text/redact.ts';
import { retryDelay } from '../util/retry-delay.ts';
import { beginningOf } from '../workflows/runtime/size.ts';

/** In milliseconds, of two machines' clocks. */
const clocksApart = 3_600_000;

/** In milliseconds. */
const timeout = 30_000;

const quiet = { debug() {}, info() {}, warn() {}, error() {} };

/**
 * Opens an issue for a stored report only once: a retry finds it by a hidden marker.
 * @throws `ApplicationFailure` of type `IssueFailed`, or `IssueRefused`, which is not retryable; `CancelledFailure`
 */
export function createOpenIssue({ store, environment }: { store: Store; environment: Environment }) {
  return async function openIssue(input: OpenIssueInput): Promise<OpenedIssue> {
    const stored = await store.report(input.reportId);
    if (stored === undefined) throw issueRefused(`The store has no report ${input.reportId}`);
    return cancellable(async (signal) => {
      try {
        const octokit = await clientOf(environment, signal);
        const made = await findIssue(octokit, input.repo, stored);
        return made ?? (await createIssue(octokit, input, stored));
      } catch (error) {
        throw toIssueFailure(error, input, environment);
      }
    });
  };
}

async function clientOf(environment: Environment, cancelled: AbortSignal): Promise<Octokit> {
  const { Octokit } = await import('@octokit/rest');
  const { GITHUB_API_URL: baseUrl, GITHUB_TOKEN: auth } = environment;
  const octokit = new Octokit({
    ...(baseUrl !== undefined && { baseUrl: baseUrl.replace(/\/+$/, '') }),
    ...(auth !== undefined && { auth }),
    log: quiet,
    request: {
      log: quiet,
      // The signal is set here, since `paginate` passes none on to the pages after the first.
      fetch: (url: string, init: RequestInit) =>
        fetch(url, { ...init, signal: AbortSignal.any([cancelled, AbortSignal.timeout(timeout)]) }),
    },
  });
  octokit.hook.after('request', ({ data }) => {
    // A response that broke off looks empty: taken for a page of the list, it would say that there are no issues.
    if (!data) throw issueFailed('The answer of GitHub broke off');
  });
  return octokit;
}

const partsOf = (repository: string): { owner: string; repo: string } => {
  const [owner = '', repo = ''] = repository.split('/');
  return { owner, repo };
};

/** GitHub's search finds a new issue only after seconds or minutes. */
async function findIssue(octokit: Octokit, repository: string, { id, createdAt }: StoredReport) {
  const marker = markerOf(id);
  const pages = octokit.paginate.iterator(octokit.rest.issues.listForRepo, {
    ...partsOf(repository),
    state: 'all',
    since: new Date(Date.parse(createdAt) - clocksApart).toISOString(),
    // The newest come first: an issue that is opened meanwhile then moves others to a later page, and skips none.
    sort: 'created',
    direction: 'desc',
    per_page: 100,
  });
  for await (const { data } of pages) {
    const made = data.find(({ body, pull_request }) => pull_request === undefined && body?.includes(marker));
    if (made !== undefined) return { url: made.html_url, created: false };
  }
  return undefined;
}

async function createIssue(octokit: Octokit, { repo, labels }: OpenIssueInput, stored: StoredReport) {
  const { data } = await octokit.rest.issues.create({
    ...partsOf(repo),
    title: bounded(stored.report.title.replace(/\s+/g, ' ').trim(), maxChars.title),
    body: bodyOf(stored),
    labels,
  });
  return { url: data.html_url, created: true };
}

const maxChars = { title: 256, body: 65_536 };

const cutNote = '\n\n… (cut: the whole report is in the store)';

/** An HTML comment is not shown. */
const markerOf = (id: string): string => `<!-- reprise-report: ${id} -->`;

/** The marker comes first. Behind a long text it would be cut off, or shown if the cut leaves a block of code open. */
function bodyOf(stored: StoredReport): string {
  const { id, report, outcome, iterations } = stored;
  const scores = iterations.map(scoreText).join(', ');
  const body = [markerOf(id), `Outcome: ${outcome}. Scores: ${scores || 'none'}.`, markdownOf(report)];
  const whole = body.join('\n\n');
  if (whole.length <= maxChars.body) return whole;
  return beginningOf(whole, maxChars.body - cutNote.length) + cutNote;
}

const scoreText = ({ iteration, score, verdict }: Iteration): string =>
  `${score ?? 'no score'} in iteration ${iteration}${verdict === null || score === null ? '' : ` (${verdict})`}`;

/** Without a response the request did not get through, whatever the status says. */
interface HttpError extends Error {
  status: number;
  response?: { headers: Record<string, string> };
}

const isHttpError = (error: unknown): error is HttpError => error instanceof Error && error.name === 'HttpError';

const maxMessage = 500;

const issueRefused = (message: string): ApplicationFailure => ApplicationFailure.nonRetryable(message, 'IssueRefused');

const issueFailed = (message: string, nextRetryDelay?: number): ApplicationFailure =>
  ApplicationFailure.create({ type: 'IssueFailed', message, ...(nextRetryDelay !== undefined && { nextRetryDelay }) });

/** Quotes GitHub's message. Rate limits, 408, 429, 5xx, timeouts and connection errors are retryable. */
function toIssueFailure(error: unknown, { repo }: OpenIssueInput, { GITHUB_TOKEN: token }: Environment) {
  const safe = (text: string): string => redact(text, token === undefined ? [] : [token]).slice(0, maxMessage);
  if (error instanceof ApplicationFailure) return error;
  if (!isHttpError(error)) return issueRefused('What answered does not speak as GitHub does: check GITHUB_API_URL');
  const { status, response, message } = error;
  if (response === undefined) return issueFailed(safe(`GitHub was not reached for an issue in ${repo}: ${message}`));
  if (isTransient(status, response.headers, message)) {
    const delay = retryDelay(new Headers(response.headers), Date.now());
    return issueFailed(safe(`GitHub could not take an issue in ${repo} (status ${status}: ${message})`), delay);
  }
  const check = whatToCheck(status, repo, token !== undefined);
  return issueRefused(safe(`GitHub refused an issue in ${repo}: ${check} (status ${status}: ${message})`));
}

function isTransient(status: number, headers: Record<string, string>, message: string): boolean {
  if (status !== 403) return status === 408 || status === 429 || status >= 500;
  // GitHub answers with 403 to what exceeds its rate limits, too.
  return (
    headers['retry-after'] !== undefined || headers['x-ratelimit-remaining'] === '0' || /rate limit/i.test(message)
  );
}

function whatToCheck(status: number, repo: string, hasToken: boolean): string {
  if (!hasToken && [401, 403, 404].includes(status)) return 'GITHUB_TOKEN is not set';
  const checks: Record<number, string> = {
    401: 'check GITHUB_TOKEN, which it does not know',
    403: 'GITHUB_TOKEN must be allowed to write issues there',
    404: `check that there is a repository ${repo}, that GITHUB_TOKEN may see it, and GITHUB_API_URL`,
    410: 'issues are switched off in that repository',
    422: 'check the labels',
  };
  return checks[status] ?? 'check GITHUB_API_URL';
}
