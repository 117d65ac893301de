import { ApplicationFailure } from '@temporalio/common';
import type { Environment } from '../config/environment.ts';
import type { OpenIssueInput } from '../protocol/research.ts';
import { redact } from '../models/redact.ts';
import { retryDelay } from '../models/retry-after.ts';

/** Types of the failures of `openIssue`: only the first is retried. */
export const ISSUE_FAILED = 'IssueFailed';
export const ISSUE_REFUSED = 'IssueRefused';

/** What Octokit throws. Without a response the request did not get through, whatever its status says. */
interface HttpError extends Error {
  status: number;
  response?: { headers: Record<string, string> };
}

const isHttpError = (error: unknown): error is HttpError =>
  error instanceof Error && error.name === 'HttpError';

const maxMessage = 500;

export function issueRefused(message: string): ApplicationFailure {
  return ApplicationFailure.nonRetryable(message, ISSUE_REFUSED);
}

/** @param nextRetryDelay what GitHub asks for, in milliseconds */
export function issueFailed(message: string, nextRetryDelay?: number): ApplicationFailure {
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
export function toIssueFailure(
  error: unknown,
  { repo }: OpenIssueInput,
  { GITHUB_TOKEN: token }: Environment,
): ApplicationFailure {
  const told = (text: string): string =>
    redact(text, token === undefined ? [] : [token]).slice(0, maxMessage);
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
    return issueFailed(
      told(`GitHub could not take an issue in ${repo} (status ${status}: ${message})`),
      delay,
    );
  }
  const check = whatToCheck(status, repo, token !== undefined);
  return issueRefused(told(`GitHub refused an issue in ${repo}: ${check} (status ${status}: ${message})`));
}

/** GitHub says 403 for its rate limits too. */
function isTransient(status: number, headers: Record<string, string>, message: string): boolean {
  if (status === 403) {
    return (
      headers['retry-after'] !== undefined ||
      headers['x-ratelimit-remaining'] === '0' ||
      /rate limit/i.test(message)
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
