import { CancelledFailure } from '@temporalio/common';
import { MockActivityEnvironment } from '@temporalio/testing';
import { afterAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { createOpenIssue } from '../../src/activities/issues.ts';
import type { Environment } from '../../src/util/environment.ts';
import { freePort } from '../../src/local/ports.ts';
import { activityBench } from '../support/activity-bench.ts';
import { startGitHubServer, type GitHubServer } from '../support/github-server.ts';
import { iterationOf, reportOf } from '../support/reports.ts';

const bench = activityBench();
let github: GitHubServer;
beforeEach(async () => {
  github = await startGitHubServer();
  return () => github.close();
});
afterAll(() => bench.close());

const token = 'ghs-secret-token';
const report = reportOf({
  id: 'abc123',
  outcome: 'iteration_limit',
  iterations: [
    iterationOf({ score: 45, verdict: 'moderate' }),
    iterationOf({ iteration: 2, score: null, verdict: 'no score' }),
  ],
  report: {
    title: 'Momentum\nin small companies',
    summary: 'It holds [1].',
    sections: [{ heading: 'Evidence', text: 'Much.' }],
    sources: [{ title: 'A page', url: 'https://a.example' }],
  },
  createdAt: '2020-01-01T12:00:00.000Z',
});
await bench.store.putReport(report);
const marker = '<!-- reprise-report: abc123 -->';
const later = '2020-01-01T12:00:01.000Z';

const input = { reportId: 'abc123', repo: 'o/n', labels: ['research'] };
const activity = (environment: Environment = { GITHUB_API_URL: github.url, GITHUB_TOKEN: token }) =>
  createOpenIssue({ store: bench.store, environment });
const openIssue = (environment?: Environment, given = input) => bench.run(activity(environment), given);
const posts = () => github.requests.filter(({ method }) => method === 'POST');

test('the issue has the report as Markdown, its outcome and scores, labels, and a hidden marker', async () => {
  expect(await openIssue()).toEqual({ url: 'https://github.example/issues/1', created: true });
  expect(posts()).toEqual([
    {
      method: 'POST',
      path: '/repos/o/n/issues',
      query: {},
      authorization: `token ${token}`,
      body: {
        title: 'Momentum in small companies',
        labels: ['research'],
        body: [
          marker,
          'Outcome: iteration_limit. Scores: 45 in iteration 1 (moderate), no score in iteration 2.',
          '# Momentum\nin small companies',
          'It holds [1].',
          '## Evidence',
          'Much.',
          '## Sources',
          '1. A page: https://a.example',
        ].join('\n\n'),
      },
    },
  ]);
});

test('without a token GitHub is asked without one', async () => {
  await openIssue({ GITHUB_API_URL: `${github.url}/` });
  expect(github.requests.map(({ path }) => path)).toEqual(['/repos/o/n/issues', '/repos/o/n/issues']);
  expect(github.requests.map(({ authorization }) => authorization)).toEqual([undefined, undefined]);
});

test('a long report is cut to what GitHub takes, and keeps its marker', async () => {
  const summary = '🙂'.repeat(50_000);
  const title = 'long '.repeat(100);
  await bench.store.putReport(reportOf({ id: 'long', report: { title, summary, sections: [], sources: [] } }));
  await openIssue(undefined, { ...input, reportId: 'long' });
  const [created] = github.issues;
  expect(created?.title.length).toBeLessThanOrEqual(256);
  expect(created?.body?.length).toBeLessThanOrEqual(65_536);
  expect(created?.body).toContain('<!-- reprise-report: long -->');
  expect(created?.body?.isWellFormed()).toBe(true);
  expect(created?.body).toMatch(/\(cut: the whole report is in the store\)$/);
});

describe('one report has one issue', () => {
  test('one that was made before its answer was lost is found again', async () => {
    const held = github.hold('POST');
    const place = new MockActivityEnvironment();
    const first = place.run(activity(), input);
    await held.reached;
    place.cancel();
    await expect(first).rejects.toBeInstanceOf(CancelledFailure);
    held.release();
    expect(await openIssue()).toEqual({ url: 'https://github.example/issues/1', created: false });
    expect(github.issues).toHaveLength(1);
  });

  test('also where it was closed, and many came after it', async () => {
    github.add({ body: `Before.\n${marker}`, state: 'closed', updated_at: later });
    for (let count = 0; count < 230; count++) github.add({ updated_at: later });
    expect(await openIssue()).toEqual({ url: 'https://github.example/issues/1', created: false });
    expect(github.requests.map(({ query }) => query['page'])).toEqual([undefined, '2', '3']);
    expect(new Set(github.requests.map(({ authorization }) => authorization)).size).toBe(1);
  });

  test('those that have not changed since shortly before the report are not looked through', async () => {
    github.add({ updated_at: '2020-01-01T10:00:00.000Z' });
    await openIssue();
    expect(github.requests[0]?.query).toMatchObject({ state: 'all', since: '2020-01-01T11:00:00.000Z' });
  });

  test.each([
    ['a pull request', { body: marker, pull_request: {} }],
    ['the issue of another report', { body: '<!-- reprise-report: abc1234 -->' }],
    ['an issue without a text', { body: null }],
  ])('%s is none of its own', async (_, issue) => {
    github.add({ ...issue, updated_at: later });
    expect(await openIssue()).toMatchObject({ created: true });
  });

  test('a list that broke off is no list without it: it is asked for again', async () => {
    github.add({ body: marker, updated_at: later });
    github.answer('GET', { status: 200, raw: '[]', cut: true });
    await expect(openIssue()).rejects.toMatchObject({ type: 'IssueFailed', nonRetryable: false });
    expect(await openIssue()).toMatchObject({ created: false });
    expect(posts()).toEqual([]);
  });
});

describe('what GitHub refuses', () => {
  const limit = { 'x-ratelimit-remaining': '0' };
  test.each([
    [401, {}, 'IssueRefused', /check GITHUB_TOKEN, which it does not know/],
    [403, {}, 'IssueRefused', /GITHUB_TOKEN must be allowed to write issues there/],
    [404, {}, 'IssueRefused', /check that there is a repository o\/n/],
    [410, {}, 'IssueRefused', /issues are switched off/],
    [422, {}, 'IssueRefused', /check the labels/],
    [451, {}, 'IssueRefused', /check GITHUB_API_URL/],
    [403, { headers: limit }, 'IssueFailed', /could not take an issue in o\/n/],
    [403, { headers: { 'retry-after': '9' } }, 'IssueFailed', /status 403/],
    [403, { message: 'You have exceeded a secondary rate limit.' }, 'IssueFailed', /secondary rate limit/],
    [408, {}, 'IssueFailed', /status 408/],
    [429, { headers: { 'retry-after': '9' } }, 'IssueFailed', /status 429/],
    [500, {}, 'IssueFailed', /status 500/],
    [503, {}, 'IssueFailed', /status 503/],
  ] as const)('%i %j is %s, in words that say what to check', async (status, rest, type, message) => {
    for (const method of ['GET', 'POST'] as const) {
      github.answer(method, { status, message: `scripted for ${token}`, ...rest });
      const failure = await openIssue().catch((error: unknown) => error);
      expect(failure).toMatchObject({
        type,
        nonRetryable: type === 'IssueRefused',
        message: expect.stringMatching(message),
      });
      if ('headers' in rest && 'retry-after' in rest.headers) {
        expect(failure).toMatchObject({ nextRetryDelay: 9000 });
      }
      expect((failure as Error).message).toMatch(/scripted for|secondary/);
      expect(JSON.stringify(failure) + String((failure as Error).stack)).not.toContain(token);
    }
    expect(github.issues).toEqual([]);
  });

  test.each([401, 403, 404])('%i without a token says that it is not set', async (status) => {
    github.answer('GET', { status });
    await expect(openIssue({ GITHUB_API_URL: github.url })).rejects.toThrow('GITHUB_TOKEN is not set');
  });

  test.each(['<html>Welcome</html>', '{"issues":[]}'])('%s is not what GitHub says', async (raw) => {
    github.answer('GET', { status: 200, raw, headers: { 'content-type': 'application/json' } });
    await expect(openIssue()).rejects.toMatchObject({
      type: 'IssueRefused',
      nonRetryable: true,
      message: expect.stringContaining('check GITHUB_API_URL'),
    });
  });

  test('a GitHub that is not reached is tried again', async () => {
    const url = `http://127.0.0.1:${await freePort()}`;
    await expect(openIssue({ GITHUB_API_URL: url })).rejects.toMatchObject({
      type: 'IssueFailed',
      nonRetryable: false,
      message: expect.stringContaining('was not reached'),
    });
  });

  test('a token that no request can carry is named by nobody', async () => {
    const failure = await openIssue({ GITHUB_API_URL: github.url, GITHUB_TOKEN: `${token}\nX` }).catch(
      (error: unknown) => error,
    );
    expect(failure).toMatchObject({ type: expect.stringMatching(/^Issue/) });
    expect(JSON.stringify(failure) + String((failure as Error).stack)).not.toContain(token);
  });

  test('a report that is not there is not tried again', async () => {
    await expect(openIssue(undefined, { ...input, reportId: 'gone' })).rejects.toMatchObject({
      type: 'IssueRefused',
      nonRetryable: true,
      message: 'The store has no report gone',
    });
    expect(github.requests).toEqual([]);
  });
});

test('nothing is written to the console', async () => {
  const spies = (['debug', 'info', 'log', 'warn', 'error'] as const).map((name) =>
    vi.spyOn(console, name).mockImplementation(() => {}),
  );
  const deprecation = '<https://docs.example>; rel="deprecation"';
  github.answer('GET', { status: 200, raw: '[]', headers: { deprecation: 'true', link: deprecation } });
  github.answer('POST', { status: 422 });
  await expect(openIssue()).rejects.toThrow('check the labels');
  for (const spy of spies) {
    expect(spy).not.toHaveBeenCalled();
    spy.mockRestore();
  }
});
