import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { RunEvent } from '../../src/protocol/events.ts';
import type { ResearchResult } from '../../src/protocol/research.ts';
import { Home, type Finished } from '../support/cli.ts';
import { startGitHubServer, type GitHubServer } from '../support/github-server.ts';
import { startModelServer, type ModelServer, type Script, type Scripted } from '../support/model-server.ts';
import { criticism, plan, researchScript, type Asked } from '../support/research-script.ts';
import { startSearchServer, type SearchAnswer, type SearchServer } from '../support/search-server.ts';

/** What a command has printed with `--json`. */
function resultIn({ status, stdout, stderr }: Finished): ResearchResult {
  if (status !== 0) throw new Error(stderr);
  return JSON.parse(stdout) as ResearchResult;
}

describe('without a key, over the sample notes', () => {
  const notes = ['--config', fileURLToPath(new URL('../../examples/research.yaml', import.meta.url))];
  let home: Home;
  let first: Finished;

  // The tests follow one upon another: what a research run finds depends on those before it.
  beforeAll(async () => {
    home = await Home.make();
    await home.upHere();
    first = await home.run(['research', 'momentum trading strategy', '--id', 'first', ...notes]);
  });
  afterAll(() => home.remove());

  test('the report alone goes to standard output, and what the run says to standard error and to the log', () => {
    const { status, stdout, stderr } = first;
    expect(status).toBe(0);
    expect(stdout).toMatch(/^# Momentum trading strategy/);
    const [text = '', list = ''] = stdout.split('\n## Sources\n\n');
    const sources = list.trimEnd().split('\n');
    expect(sources.length).toBeGreaterThan(3);
    sources.forEach((line, index) => {
      expect(line).toMatch(new RegExp(`^${index + 1}\\. .*: [\\w/-]+\\.md:\\d+$`));
      expect(text).toContain(`[${index + 1}]`);
    });
    expect(list).toContain(': momentum-basics.md:');
    const log = home.read('logs/log.txt');
    for (const said of [
      'Task: momentum trading strategy',
      'Iteration 1: "momentum trading strategy"',
      '🔎 momentum trading strategy: 5 found',
      '→ Finds 4 similar implementations',
      '→ Restart with guidance: "Focus on novel approaches, unique data sources"',
      '🔄 Planning restart (iteration 1 -> 2): 4 similar implementations were found: ',
      'Iteration 2: "momentum trading strategy, and also: ',
      '→ Fewer similar implementations found',
      '→ Proceed to criticism',
      '→ Proceed to synthesis',
      '🏁 Done: viable',
    ]) {
      expect(stderr).toContain(said);
      expect(log).toContain(said);
    }
    expect(stderr).toContain('→ Criticism score: 60/100 (moderate concerns)');
    expect(stdout).toContain('Scripted by the offline model, which quotes and judges nothing.');
    expect(stderr).toMatch(/2 iterations, viable, \d+ s, 5 calls, (?:about )?[\d,]+ tokens, \$0\.0000/);
  });

  test("the report of an earlier run is a lesson, and never prior art; --json prints the workflow's result", async () => {
    const words = ['research', 'momentum strategy for trading', '--json', '--id', 'second', ...notes];
    const second = await home.run(words);
    const result = resultIn(second);
    const reprise = await home.client();
    expect(result).toEqual(await reprise.getResearch('second').result());
    const stored = (await reprise.getResearch('first').result()).reportId;
    await reprise.close();
    expect(result.iterations[0]).toMatchObject({ similar: 4 });
    const { works, searched } = await foundIn('second');
    expect(searched).toBeGreaterThan(0);
    expect(works).not.toContain(`report:${stored}`);
  });

  test('watch shows it again from its beginning, --plain without emoji', async () => {
    const { status, stdout, stderr } = await home.run(['watch', 'first', '--plain']);
    expect({ status, stdout }).toEqual({ status: 0, stdout: first.stdout });
    expect(stderr).toContain('Iteration 1: "momentum trading strategy"');
    expect(stderr).not.toMatch(/\p{Extended_Pictographic}/u);
  });

  /** How many queries a run has made, and the addresses of the similar works that its critic has named. */
  async function foundIn(id: string): Promise<{ works: string[]; searched: number }> {
    const reprise = await home.client();
    const seen: RunEvent[] = [];
    for await (const { events } of reprise.getResearch(id).watch()) seen.push(...events);
    await reprise.close();
    const works = seen.flatMap((event) => (event.type === 'prior_art' ? event.works : []));
    return { works, searched: seen.filter(({ type }) => type === 'searched').length };
  }
});

test('without a folder or a service only Reprise’s own documentation is searched: the run says so loudly, and finds nothing', async ({
  onTestFinished,
}) => {
  const home = await Home.make();
  onTestFinished(() => home.remove());
  await home.upHere();
  const { status, stdout, stderr } = await home.run(['research', 'What is the capital of France?']);
  expect(status).toBe(0);
  expect(stderr).toContain("ONLY REPRISE'S OWN DOCUMENTATION IS SEARCHED: name a folder (search.folder)");
  expect(stderr).toContain("Only Reprise's own documentation was searched: on any other subject");
  expect(stderr).toContain('No API key is set: the offline model answers, which is not a language model');
  expect(stdout).toMatch(/^# What is the capital of France\n\nNothing found on "What is the capital of France"/);
});

describe('wrong configuration: status 2 with what is wrong, nothing is started', () => {
  let home: Home;
  beforeAll(async () => {
    home = await Home.make();
  });
  afterAll(() => home.remove());

  const team = 'agents:\n  - id: a\n';
  const wrong: Array<[what: string, command: string, content: string, said: RegExp]> = [
    [
      'weights that sum to 0',
      'research',
      'research:\n  weights:\n    feasibility: 0\n    risk: 0\n',
      /^wrong\.yaml:2: research\.weights: the weights sum to 0/m,
    ],
    [
      'an unknown domain',
      'research',
      'research:\n  domain: art\n  domains: {trading: {}, science: {}}\n',
      /^wrong\.yaml:2: research\.domain: "art" .*the domains are: trading, science$/m,
    ],
    [
      'an unknown key',
      'research',
      'research:\n  approval: true\n  min_viabilty_score: 60\n',
      /^wrong\.yaml:3: .*min_viabilty_score: unknown key; did you mean min_viability_score\? valid keys: backend,/m,
    ],
    [
      'an unknown provider',
      'research',
      'research:\n  search:\n    provider: google\n',
      /^wrong\.yaml:3: research\.search\.provider: "google" is not one of folder \| searxng \| tavily \| brave \| openai \| claude \| gemini$/m,
    ],
    [
      'a repository of another form',
      'research',
      'research:\n  github_issue:\n    repo: reprise\n',
      /^wrong\.yaml:3: research\.github_issue\.repo: a repository is written owner\/name$/m,
    ],
    [
      'a folder that is not there',
      'research',
      'research: {search: {folder: nowhere}}\n',
      /^search\.folder: there is no folder \/.*\/nowhere$/m,
    ],
    [
      'searxng without its address',
      'research',
      'research: {search: {provider: searxng}}\n',
      /^search\.provider: searxng needs SEARXNG_URL, which is not set$/m,
    ],
    [
      'tavily without its key',
      'research',
      'research: {search: {provider: tavily}}\n',
      /^search\.provider: tavily needs TAVILY_API_KEY, which is not set$/m,
    ],
    [
      'a model, and nothing that it can search',
      'research',
      'research: {backend: {type: chatcompletion, model: m, base_url: "http://127.0.0.1:9/v1"}}\n',
      /^search: there is nothing to search: name a folder \(search\.folder\), or set SEARXNG_URL, .* docker run /m,
    ],
    [
      'an issue without a token',
      'research',
      'research: {github_issue: {repo: owner/name}}\n',
      /^github_issue needs GITHUB_TOKEN, which is not set$/m,
    ],
    [
      'a critic without its key',
      'research',
      'research: {criticism: {backend: {type: claude}}}\n',
      /criticism.*ANTHROPIC_API_KEY/m,
    ],
    ['a team for research', 'research', team, /^wrong\.yaml:1: .*under the key research.* of a team$/m],
    [
      'a research run for ask',
      'ask',
      'research: {}\n',
      /^wrong\.yaml:1: research: a research run takes an idea.* reprise research/m,
    ],
    [
      'a research run for chat',
      'chat',
      'research: {}\n',
      /^wrong\.yaml:1: research: a research run takes an idea.* reprise research/m,
    ],
  ];
  test.for(wrong)('%s', async ([, command, content, said]) => {
    writeFileSync(join(home.folder, 'wrong.yaml'), content);
    const { status, stdout, stderr } = await home.run([command, '--config', 'wrong.yaml', 'An idea.']);
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
    expect(stderr).toMatch(said);
    expect(home.holder).toBeUndefined();
  });
});

describe('with a scripted model', () => {
  /** What the model and the search service say in the present test. */
  let script: Script;
  let found: SearchAnswer;
  let model: ModelServer;
  let searches: SearchServer;
  let github: GitHubServer;
  let home: Home;

  beforeAll(async () => {
    script = researchScript();
    model = await startModelServer((seen) => script(seen));
    searches = await startSearchServer(() => found);
    github = await startGitHubServer();
    home = await Home.make({
      OPENAI_API_KEY: 'test-key-openai',
      OPENAI_BASE_URL: model.openai,
      SEARXNG_URL: searches.url,
      GITHUB_API_URL: github.url,
      GITHUB_TOKEN: 'test-token-github',
    });
    mkdirSync(join(home.folder, 'notes'));
    writeFileSync(join(home.folder, 'notes', 'bonds.md'), '# Bonds\n\nAn old idea.\n');
    const folder = { search: { folder: 'notes' } };
    const files = {
      plain: folder,
      approval: { ...folder, approval: true },
      issue: { ...folder, github_issue: { repo: 'owner/name', labels: ['research'] } },
      web: { search: { provider: 'searxng' } },
    };
    for (const [name, research] of Object.entries(files))
      writeFileSync(join(home.folder, `${name}.json`), JSON.stringify({ research }));
    writeFileSync(
      join(home.folder, 'asking.json'),
      JSON.stringify({ research: folder, coordination: { broadcast: 'human' } }),
    );
    await home.upHere();
  });
  afterAll(async () => {
    await home.remove();
    await Promise.all([model.close(), searches.close(), github.close()]);
  });
  beforeEach(() => {
    script = researchScript();
    found = {};
  });

  const research = (config: string, ...words: string[]): string[] => [
    'research',
    'An idea.',
    '--config',
    `${config}.json`,
    ...words,
  ];

  /** The model keeps its replies to one kind of request back, until it is let go. */
  function heldAt(asked: Asked, reply: () => Scripted) {
    const reached = Promise.withResolvers<void>();
    const held = Promise.withResolvers<void>();
    script = researchScript({
      [asked]: async () => {
        reached.resolve();
        await held.promise;
        return reply();
      },
    });
    return { reached: reached.promise, release: held.resolve };
  }

  describe('a person steps in', () => {
    const waits = 'Waits for a person to decide';

    test('a detached run waits for approval; restart sends it back to planning, decide --accept lets it go on', async () => {
      const detached = await home.run(research('approval', '--detach', '--id', 'approved'));
      expect(detached).toMatchObject({ status: 0, stdout: 'approved\n' });
      expect(detached.stderr).toContain('reprise watch approved');
      const watching = home.start(['watch', 'approved', '--json']);
      await watching.says(new RegExp(waits));
      const again = ['restart', 'approved', '--reason', 'Too broad.', '--instructions', 'Only bonds.'];
      expect(await home.run(again)).toMatchObject({ status: 0, stdout: '' });
      await watching.says(new RegExp(`Iteration 2: "idea 2"[^]*${waits}`));
      const planned = model.requests.findLast(({ tools }) => tools.includes('submit_plan'));
      expect(planned?.prompt).toContain('Only bonds.');
      expect(await home.run(['decide', 'approved', '--accept', '--note', 'Go.'])).toMatchObject({
        status: 0,
      });
      const watched = await watching.finished;
      expect(watched.stderr).toContain('🔄 Planning restart (iteration 1 -> 2): Too broad.');
      expect(watched.stderr).toContain('📢 A person decides: accept (Go.)');
      expect(resultIn(watched)).toMatchObject({
        outcome: 'viable',
        report: { title: 'On idea 2' },
        iterations: [
          { iteration: 1, restartKind: 'person', restartReason: 'Too broad.' },
          { iteration: 2, restartKind: null, score: 72 },
        ],
      });
    });

    test('decide --stop ends it at once: no further model call, and a report of what there is', async () => {
      const { reached, release } = heldAt('criticise', () => criticism(72));
      const asked = model.requests.length;
      const running = home.start(research('plain', '--id', 'stopped'));
      await reached;
      await home.run(['decide', 'stopped', '--stop', '--note', 'No data.']);
      const { status, stdout, stderr } = await running.finished;
      release();
      expect(status).toBe(0);
      expect(stdout).toMatch(/^# idea 1\n\nNo report was written: a person has stopped the research \(No data\.\)/);
      expect(stderr).toContain('📢 A person decides: stop (No data.)');
      expect(stderr).toMatch(/1 iteration, stopped,/);
      expect(model.requests.length - asked).toBe(2);
    });

    test('Ctrl-C leaves with status 130 and the way back; the run goes on to its report', async () => {
      const { reached, release } = heldAt('criticise', () => criticism(72));
      const running = home.start(research('plain', '--id', 'left'));
      await running.says(/🔎 idea 1/);
      await reached;
      running.signal('SIGINT');
      const { status, stdout, stderr } = await running.finished;
      expect({ status, stdout }).toEqual({ status: 130, stdout: '' });
      expect(stderr).toContain('reprise watch left');
      release();
      const watched = await home.run(['watch', 'left']);
      expect(watched).toMatchObject({ status: 0, stdout: expect.stringMatching(/^# On idea 1\n/) });
      expect(watched.stderr).toContain('→ Criticism score: 72/100 (good concept)');
    });

    test('the planner asks, and what a person answers from another terminal reaches it', async () => {
      script = researchScript({
        plan: ({ prompt }) =>
          prompt.includes('Bonds, please.')
            ? plan('bond idea')
            : { calls: [{ name: 'ask_others', arguments: { question: 'Stocks or bonds?' } }] },
      });
      const running = home.start(research('asking', '--id', 'asking'));
      await running.says(/Stocks or bonds\?/);
      await expect.poll(async () => (await home.run(['inbox'])).stdout).toMatch(/asking \(An idea\.\): planner asks/);
      expect(await home.run(['answer', 'asking', 'Bonds, please.'])).toMatchObject({ status: 0 });
      expect((await running.finished).stdout).toMatch(/^# On bond idea\n/);
    });
  });

  describe('an issue', () => {
    test('is opened once with the report, and its address is told', async () => {
      const before = github.issues.length;
      const finished = await home.run(research('issue', '--json'));
      const { gaps, issueUrl, report } = resultIn(finished);
      expect(gaps).toEqual([]);
      const opened = github.issues.slice(before);
      expect(opened).toMatchObject([{ html_url: issueUrl, title: report.title, labels: ['research'] }]);
      expect(opened[0]?.body).toContain(report.summary);
      expect(finished.stderr).toContain(`🐙 Issue created: ${issueUrl}`);
      expect(github.requests.at(-1)).toMatchObject({
        path: '/repos/owner/name/issues',
        authorization: 'token test-token-github',
      });
    });

    const refusals: Array<[status: number, method: 'GET' | 'POST', check: RegExp]> = [
      [401, 'GET', /check GITHUB_TOKEN/],
      [404, 'GET', /check that there is a repository owner\/name/],
      [422, 'POST', /check the labels/],
    ];
    test.for(refusals)(
      'refused with %i: the report is printed, the gap is told with what to check',
      async ([status, method, check]) => {
        const before = github.issues.length;
        github.answer(method, { status });
        const finished = await home.run(research('issue', '--id', `refused-${status}`));
        expect(finished).toMatchObject({ status: 0, stdout: expect.stringMatching(/^# On idea 1\n/) });
        expect(finished.stderr).toMatch(/⚠️ There is no issue: GitHub refused an issue in owner\/name: /);
        expect(finished.stderr).toMatch(check);
        expect(finished.stderr).not.toContain('test-token-github');
        expect(github.issues).toHaveLength(before);
        const result = resultIn(await home.run(['watch', `refused-${status}`, '--json']));
        expect(result).toMatchObject({
          outcome: 'viable',
          report: { title: 'On idea 1' },
          reportId: expect.stringMatching(/./),
          gaps: [expect.stringMatching(check)],
        });
        expect(result.gaps[0]).toContain(`(status ${status}: `);
        expect(result).not.toHaveProperty('issueUrl');
      },
    );
  });

  describe('a search service', () => {
    test('whose results are cited', async () => {
      found = { results: [{ title: 'Good', url: 'https://good.example', content: 'A good one.' }] };
      const { stdout } = await home.run(research('web'));
      expect(stdout).toMatch(/So it is said \[1\]\.[^]*\n## Sources\n\n1\. Good: https:\/\/good\.example\n$/);
    });

    const failures: Array<[what: string, answer: SearchAnswer, check: RegExp]> = [
      ['500', { status: 500 }, /searxng answered with status 500; the fault is on its side/],
      ['nonsense', { raw: '<html>' }, /searxng answered with what is no JSON; check SEARXNG_URL/],
      ['another shape', { raw: '{"hits": 3}' }, /searxng answered without a list of results/],
    ];
    test.for(failures)(
      'that answers %s: nothing is made up, the report says what could not be searched, and the status is 0',
      async ([, answer, check]) => {
        found = answer;
        const finished = await home.run(research('web', '--json'));
        expect(finished.stderr).toMatch(/⚠️ Not searched: "idea 1": searxng answered/);
        const { gaps, outcome, report, warnings } = resultIn(finished);
        expect(gaps).toEqual([expect.stringMatching(check)]);
        expect(gaps[0]).toMatch(/^Not searched \(iteration 1\): "idea 1": /);
        expect({ outcome, warnings }).toEqual({ outcome: 'no_material', warnings: ['No search has worked'] });
        expect(report).toMatchObject({
          title: 'An idea.',
          summary: 'No search has worked, so this report has no findings.',
          sections: [{ heading: 'What could not be searched' }, { heading: 'Plan' }, { heading: 'Iterations' }],
          sources: [],
        });
        expect(report.sections[0]?.text).toMatch(check);
      },
    );
  });

  test('a run that fails: status 1 with the reason', async () => {
    script = () => ({ status: 401 });
    const { status, stdout, stderr } = await home.run(research('plain'));
    expect({ status, stdout }).toEqual({ status: 1, stdout: '' });
    expect(stderr).toMatch(/^planner: .*401.*check OPENAI_API_KEY/m);
    expect(stderr).not.toContain('test-key-openai');
  });
});
