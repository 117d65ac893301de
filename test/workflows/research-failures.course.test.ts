import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ResearchResult } from '../../src/protocol/research.ts';
import { ownDocs } from '../../src/config/search-services.ts';
import { startGitHubServer, type GitHubServer } from '../support/github-server.ts';
import { criticism, plan, report, researchScript } from '../support/research-script.ts';
import { sharedRunning } from '../support/running.ts';
import { startSearchServer, type SearchAnswer, type SearchServer } from '../support/search-server.ts';

const running = sharedRunning();

// A folder that is named, even if it is Reprise's own documentation, is searched without a warning.
const openai = { backend: { type: 'openai' }, search: { folder: ownDocs } };
const input = (more: object = {}, rest: object = {}) => ({
  idea: 'An idea.',
  config: { research: { ...openai, ...more }, ...rest },
});
const refused = { status: 401 };

describe('a model that fails for good', () => {
  test('as planner of the first plan: the run fails with its reason', async () => {
    const run = running(researchScript({ plan: () => refused }));
    await expect(run.research(input())).rejects.toMatchObject({
      cause: { type: 'NoPlan', message: expect.stringMatching(/planner: .*401.*OPENAI_API_KEY/) },
    });
  });

  test('as planner of a later plan: the best iteration so far goes on', async () => {
    const run = running(
      researchScript({
        plan: ({ iteration }) => (iteration === 1 ? plan('idea 1') : refused),
        criticise: () => criticism(40),
      }),
    );
    expect(await run.research(input())).toMatchObject({
      outcome: 'iteration_limit',
      iterations: [{ idea: 'idea 1', score: 40 }],
      report: { title: 'On idea 1' },
    });
  });

  test('as critic: there is no score, and the policy decides', async () => {
    const run = running(researchScript({ criticise: () => refused }));
    expect(await run.research(input())).toMatchObject({
      outcome: 'degraded',
      iterations: [{ score: null, verdict: 'no score' }],
      warnings: [expect.stringMatching(/^There is no criticism: .*401/), expect.stringContaining('on_missing_score')],
    });
  });

  test.each([
    ['as writer', () => refused],
    ['a writer that says nothing', () => ({ text: '' })],
  ])('%s: the report is of what there is', async (_, synthesise) => {
    const run = running(researchScript({ synthesise }));
    const { outcome, report, warnings } = await run.research(input());
    expect(outcome).toBe('degraded');
    expect(warnings).toEqual([expect.stringMatching(/^No report could be written: /)]);
    expect(report).toMatchObject({
      title: 'idea 1',
      summary: expect.stringMatching(/^No report was written: /),
      sections: [
        { heading: 'Plan' },
        { heading: 'Criticism', text: 'It deserves 72.' },
        { heading: 'Found by the searches', text: expect.stringMatching(/^- .+ \[1\]$/m) },
        { heading: 'Iterations' },
      ],
    });
  });
});

test.each([
  ['a planner that names no idea', { plan: () => plan(' "" ') }, /planner: The plan has no idea in words/],
  ['a planner that says nothing', { plan: () => ({ text: '' }) }, /planner: That was no plan/],
])('%s: the run fails with its reason', async (_, acts, message) => {
  const run = running(researchScript(acts));
  await expect(run.research(input())).rejects.toMatchObject({
    cause: { type: 'NoPlan', message: expect.stringMatching(message) },
  });
  expect(run.model.requests).toHaveLength(3);
});

test('a writer that gives a worse report each time: an earlier one that says something is taken', async () => {
  const replies = [report(' ', 'Something is known [9.9].'), report('T', '[9.9]'), report('T', ' ')];
  const run = running(researchScript({ synthesise: () => replies.shift() ?? { text: '' } }));
  expect(await run.research(input())).toMatchObject({
    report: { title: 'idea 1', summary: 'Something is known.', sections: [{ text: 'Something is known.' }] },
  });
});

describe('a budget that is spent', () => {
  test.each([0, 1, 2, 3])('after %i calls: what there is makes the report', async (calls) => {
    const run = running(researchScript({ criticise: () => criticism(10) }));
    const budget = calls === 0 ? { tokens: 1 } : { calls };
    const { outcome, report } = await run.research(input({}, { budget }));
    expect(outcome).toBe('budget');
    expect(report.summary).toContain('The budget of');
    expect(report.sections.length).toBeGreaterThan(0);
    expect(run.model.requests).toHaveLength(Math.max(1, calls));
  });
});

describe('a search that fails is a gap in the material', () => {
  const odd: Array<[what: string, answer: SearchAnswer]> = [
    ['answers 500', { status: 500 }],
    ['answers 404', { status: 404 }],
    ['answers no JSON', { raw: '<html>' }],
    ['answers another shape', { raw: '{"hits": 3}' }],
  ];
  let bad: SearchAnswer;
  let service: SearchServer;
  beforeAll(async () => {
    service = await startSearchServer(({ query }) =>
      query === 'bad' ? bad : { results: [{ title: 'Good', url: 'https://good.example', content: 'Good.' }] },
    );
  });
  afterAll(() => service.close());
  const searching = sharedRunning(() => ({ SEARXNG_URL: service.url }));

  test.each(odd)('a service that %s', async (_, answer) => {
    bad = answer;
    const run = searching(researchScript({ plan: () => plan('idea 1', ['good', 'bad']) }));
    const { gaps, report, outcome } = await run.research(input({ search: { provider: 'searxng' } }));
    expect(gaps).toEqual([expect.stringMatching(/^Not searched \(iteration 1\): "bad": .*SearXNG/i)]);
    expect(outcome).toBe('viable');
    expect(report.sources).toEqual([{ title: 'Good', url: 'https://good.example' }]);
    const critic = run.model.requests.find(({ tools }) => tools.includes('submit_criticism'));
    expect(critic?.prompt).toMatch(/Of 2 searches 1 failed: searxng 1\.\s+Not searched: "bad"/);
  });
});

describe('an issue that is refused', () => {
  let github: GitHubServer;
  beforeAll(async () => {
    github = await startGitHubServer();
  });
  afterAll(() => github.close());
  const reporting = sharedRunning(() => ({ GITHUB_API_URL: github.url, GITHUB_TOKEN: 'test-token-github' }));

  test('is a gap, and a warning', async () => {
    github.answer('GET', { status: 404 });
    const { gaps, warnings } = await reporting(researchScript()).research(input({ github_issue: { repo: 'a/b' } }));
    expect(gaps).toEqual([expect.stringMatching(/^There is no issue: /)]);
    expect(warnings).toEqual(gaps);
  });
});

describe('a wrong input: nothing is spent', () => {
  test.each<[what: string, input: unknown, said: RegExp]>([
    ['no idea', {}, /idea: is missing/],
    ['an empty idea', { idea: ' ' }, /idea: must not be empty/],
    ['weights that sum to 0', input({ weights: { a: 0, b: 0 } }), /research\.weights: the weights sum to 0/],
    ['an unknown domain', input({ domain: 'art', domains: { trading: {} } }), /domain: "art".*trading/],
    ['a folder that is not there', input({ search: { folder: '/nowhere' } }), /search\.folder.*\/nowhere/],
    ['a search without its address', input({ search: { provider: 'searxng' } }), /searxng needs SEARXNG_URL/],
    ['an issue without a token', input({ github_issue: { repo: 'a/b' } }), /GITHUB_TOKEN/],
    ['a repository of another form', input({ github_issue: { repo: 'b' } }), /repo: .*owner\/name/],
    ['a configuration of a team', { idea: 'x', config: { agents: [] } }, /a configuration of a team/],
  ])('%s', async (_, wrong, said) => {
    const run = running(researchScript());
    const started = run.startResearch(wrong as { idea: string });
    await expect((await started).result() as Promise<ResearchResult>).rejects.toMatchObject({
      cause: { type: 'InvalidInput', message: expect.stringMatching(said) },
    });
    expect(run.model.requests).toHaveLength(0);
  });
});
