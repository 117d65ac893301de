import { Octokit } from '@octokit/rest';
import { ApplicationFailure } from '@temporalio/common';
import type { Environment } from '../config/environment.ts';
import type { Iteration, OpenedIssue, OpenIssueInput, StoredReport } from '../protocol/research.ts';
import type { Store } from '../store/store.ts';
import { cancellable } from './cancellable.ts';
import { markdownOf } from '../workflows/research/rules/report.ts';
import { bounded } from '../search/tidy.ts';
import { retryDelay } from '../models/failures.ts';
import { redact } from '../models/redact.ts';

/** How much older than its report an issue may seem, by the clocks of two machines. In milliseconds. */
const clocksApart = 3_600_000;

/** How long one answer may take, in milliseconds. */
const timeout = 30_000;

const quiet = { debug() {}, info() {}, warn() {}, error() {} };

interface IssueDependencies {
  store: Store;
  environment: Environment;
}

/**
 * The activity `openIssue`: one GitHub issue for a stored report. It is known again by a hidden marker, so that a retry
 * finds what an earlier try has made.
 *
 * @throws `ApplicationFailure` of the types in `issue-failures.ts`; `CancelledFailure`
 */
export function createOpenIssue({ store, environment }: IssueDependencies) {
  return async function openIssue(input: OpenIssueInput): Promise<OpenedIssue> {
    const stored = await store.report(input.reportId);
    if (stored === undefined) throw issueRefused(`The store has no report ${input.reportId}`);
    return cancellable(async (signal) => {
      try {
        const octokit = clientOf(environment, signal);
        const made = await findIssue(octokit, input.repo, stored);
        return made ?? (await createIssue(octokit, input, stored));
      } catch (error) {
        throw toIssueFailure(error, input, environment);
      }
    });
  };
}

function clientOf(environment: Environment, cancelled: AbortSignal): Octokit {
  const { GITHUB_API_URL: baseUrl, GITHUB_TOKEN: auth } = environment;
  const octokit = new Octokit({
    ...(baseUrl !== undefined && { baseUrl: baseUrl.replace(/\/+$/, '') }),
    ...(auth !== undefined && { auth }),
    log: quiet,
    request: {
      log: quiet,
      // Here, since `paginate` passes no signal on to the pages after the first.
      fetch: (url: string, init: RequestInit) =>
        fetch(url, { ...init, signal: AbortSignal.any([cancelled, AbortSignal.timeout(timeout)]) }),
    },
  });
  octokit.hook.after('request', ({ data }) => {
    // An answer that broke off comes as an empty one: as a page of the list it would say that there are no issues.
    if (!data) throw issueFailed('The answer of GitHub broke off');
  });
  return octokit;
}

const partsOf = (repository: string): { owner: string; repo: string } => {
  const [owner = '', repo = ''] = repository.split('/');
  return { owner, repo };
};

/** By the list of issues: GitHub's search knows of a new one only seconds to minutes later. */
async function findIssue(
  octokit: Octokit,
  repository: string,
  { id, createdAt }: StoredReport,
): Promise<OpenedIssue | undefined> {
  const marker = markerOf(id);
  const pages = octokit.paginate.iterator(octokit.rest.issues.listForRepo, {
    ...partsOf(repository),
    state: 'all',
    since: new Date(Date.parse(createdAt) - clocksApart).toISOString(),
    // The newest first: an issue that is opened meanwhile pushes others to the next page, and none past it.
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

async function createIssue(
  octokit: Octokit,
  { repo, labels }: OpenIssueInput,
  stored: StoredReport,
): Promise<OpenedIssue> {
  const { data } = await octokit.rest.issues.create({
    ...partsOf(repo),
    title: titleOf(stored),
    body: bodyOf(stored),
    labels,
  });
  return { url: data.html_url, created: true };
}

/** What GitHub takes, in characters. */
const longest = { title: 256, body: 65_536 };

const cutNote = '\n\n… (cut: the whole report is in the store)';

/** By this an issue is known to be that of a report; hidden where it is read. */
const markerOf = (id: string): string => `<!-- reprise-report: ${id} -->`;

const titleOf = ({ report: { title } }: StoredReport): string =>
  bounded(title.replace(/\s+/g, ' ').trim(), longest.title);

/** The marker comes first: behind a text that is cut within a block of code it would be shown, or cut off. */
function bodyOf(stored: StoredReport): string {
  const { id, report, outcome, iterations } = stored;
  const scores = iterations.map(scoreText).join(', ');
  const body = [markerOf(id), `Outcome: ${outcome}. Scores: ${scores || 'none'}.`, markdownOf(report)];
  const whole = body.join('\n\n');
  if (whole.length <= longest.body) return whole;
  return whole.slice(0, longest.body - cutNote.length).replace(/[\uD800-\uDBFF]$/, '') + cutNote;
}

const scoreText = ({ iteration, score, verdict }: Iteration): string =>
  `${score ?? 'no score'} in iteration ${iteration}${verdict === null || score === null ? '' : ` (${verdict})`}`;

/** Types of the failures of `openIssue`: only the first is retried. */
const ISSUE_FAILED = 'IssueFailed';
const ISSUE_REFUSED = 'IssueRefused';

/** What Octokit throws. Without a response the request did not get through, whatever its status says. */
interface HttpError extends Error {
  status: number;
  response?: { headers: Record<string, string> };
}

const isHttpError = (error: unknown): error is HttpError => error instanceof Error && error.name === 'HttpError';

const maxMessage = 500;

function issueRefused(message: string): ApplicationFailure {
  return ApplicationFailure.nonRetryable(message, ISSUE_REFUSED);
}

/** @param nextRetryDelay what GitHub asks for, in milliseconds */
function issueFailed(message: string, nextRetryDelay?: number): ApplicationFailure {
  return ApplicationFailure.create({
    type: ISSUE_FAILED,
    message,
    ...(nextRetryDelay !== undefined && { nextRetryDelay }),
  });
}

/**
 * Turns what went wrong with an issue into a failure that says what to check, in GitHub's own words too.
 * Rate limits, 408, 5xx, timeouts and connection errors are retryable, every other status is not.
 */
function toIssueFailure(
  error: unknown,
  { repo }: OpenIssueInput,
  { GITHUB_TOKEN: token }: Environment,
): ApplicationFailure {
  const told = (text: string): string => redact(text, token === undefined ? [] : [token]).slice(0, maxMessage);
  if (error instanceof ApplicationFailure) return error;
  if (!isHttpError(error)) {
    return issueRefused('What answered does not speak as GitHub does: check GITHUB_API_URL');
  }
  const { status, response, message } = error;
  if (response === undefined) {
    return issueFailed(told(`GitHub was not reached for an issue in ${repo}: ${message}`));
  }
  if (isTransient(status, response.headers, message)) {
    const delay = retryDelay(new Headers(response.headers), Date.now());
    return issueFailed(told(`GitHub could not take an issue in ${repo} (status ${status}: ${message})`), delay);
  }
  const check = whatToCheck(status, repo, token !== undefined);
  return issueRefused(told(`GitHub refused an issue in ${repo}: ${check} (status ${status}: ${message})`));
}

/** GitHub says 403 for its rate limits too. */
function isTransient(status: number, headers: Record<string, string>, message: string): boolean {
  if (status === 403) {
    return (
      headers['retry-after'] !== undefined || headers['x-ratelimit-remaining'] === '0' || /rate limit/i.test(message)
    );
  }
  return status === 408 || status === 429 || status >= 500;
}

function whatToCheck(status: number, repo: string, hasToken: boolean): string {
  if (!hasToken && [401, 403, 404].includes(status)) return 'GITHUB_TOKEN is not set';
  switch (status) {
    case 401:
      return 'check GITHUB_TOKEN, which it does not know';
    case 403:
      return 'GITHUB_TOKEN must be allowed to write issues there';
    case 404:
      return `check that there is a repository ${repo}, that GITHUB_TOKEN may see it, and GITHUB_API_URL`;
    case 410:
      return 'issues are switched off in that repository';
    case 422:
      return 'check the labels';
    default:
      return 'check GITHUB_API_URL';
  }
}
