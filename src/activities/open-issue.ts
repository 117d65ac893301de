import { Octokit } from '@octokit/rest';
import type { Environment } from '../config/environment.ts';
import type { OpenedIssue, OpenIssueInput, StoredReport } from '../protocol/research.ts';
import type { Store } from '../store/store.ts';
import { cancellable } from './cancellable.ts';
import { issueFailed, issueRefused, toIssueFailure } from './issue-failures.ts';
import { bodyOf, markerOf, titleOf } from './issue-text.ts';

/** How much older than its report an issue may seem, by the clocks of two machines. In milliseconds. */
const clocksApart = 3_600_000;

/** How long one answer may take, in milliseconds. */
const timeout = 30_000;

const quiet = { debug() {}, info() {}, warn() {}, error() {} };

export interface IssueDependencies {
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
