import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { ownDocs } from '../../src/config/search-services.ts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Stats } from '../../src/client.ts';
import { adviceOf } from '../../src/cli/commands/stats.ts';
import { sumUp, type Results } from '../../src/client/aggregate.ts';
import type { ResearchResult } from '../../src/protocol/research.ts';
import { Home } from '../support/cli.ts';
import { completeAs } from '../support/completed.ts';
import { criticism, researchScript } from '../support/research-script.ts';
import { orchestrationResult, researchResult, solveResult } from '../support/results.ts';
import { restart, submit, teamScript } from '../support/team-script.ts';

describe('over the runs of a server', () => {
  let home: Home;

  beforeAll(async () => {
    const team = teamScript({
      decide: ({ attempt, prompt }) =>
        attempt === 1 && prompt.includes('Start over.') ? restart('Only a plan.', 'Do it.') : submit(),
    });
    const research = researchScript({ criticise: ({ idea }) => criticism(idea === 'idea 1' ? 40 : 72) });
    const ofResearch = ['submit_plan', 'submit_criticism', 'submit_report'];
    home = await Home.withModel((seen) =>
      (seen.tools.some((tool) => ofResearch.includes(tool)) ? research : team)(seen),
    );
    writeFileSync(join(home.folder, 'research.json'), JSON.stringify({ research: { search: { folder: ownDocs } } }));
    await home.upHere();
  });
  afterAll(() => home.remove());

  /** Visibility lists a run some time after its end. */
  async function statsOf(runs: number) {
    for (;;) {
      const { status, stdout, stderr } = await home.run(['stats', '--json']);
      const stats = JSON.parse(stdout) as Stats & { advice: string[] };
      const { orchestration, planAndExecute, research, unread } = stats;
      if (orchestration.runs + research.runs + planAndExecute.runs + unread >= runs) return { status, stats, stderr };
      await pause(100);
    }
  }

  test('without runs it says so, and --json gives zeros', async () => {
    const { status, stdout, stderr } = await home.run(['stats']);
    expect({ status, stdout }).toEqual({ status: 0, stdout: '' });
    expect(stderr).toContain('No orchestration, no research and no plan has completed yet');
    const { stats } = await statsOf(0);
    expect(stats).toMatchObject({
      ...sumUp({ orchestrations: [], researchRuns: [], plans: [], unread: 0 }),
      advice: [],
    });
  });

  test('runs that restarted and runs that did not are told apart, with what they cost', async () => {
    for (const task of ['Do it.', 'Start over.']) {
      const { status, stderr } = await home.run(['ask', task]);
      if (status !== 0) throw new Error(stderr);
    }
    const { stats } = await statsOf(2);
    expect(stats.orchestration).toMatchObject({
      runs: 2,
      restarted: 1,
      share: 0.5,
      restarts: 1,
      outcomes: { submitted: 1 },
      cost: { perRestart: { calls: 7.5 } },
      meanRun: { without: { calls: 8 }, restarted: { calls: 15 } },
    });
    const { status, stdout, stderr } = await home.run(['stats']);
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expect(stdout).toMatch(
      new RegExp(
        [
          '^Orchestrations: 2 runs',
          '  1 restarted \\(50%\\), with 1 restart',
          '  those ended: 1 submitted',
          '  a run without a restart takes 8 calls, [\\d,]+ tokens, \\$\\d+\\.\\d{4}',
          '  a run with a restart or more takes 15 calls, [\\d,]+ tokens, \\$\\d+\\.\\d{4}',
          '  a restart costs about 7\\.5 calls, [\\d,]+ tokens, \\$\\d+\\.\\d{4}',
          '',
          'Research: 0 runs',
          '',
          'Plans: 0 runs',
          '',
          'Too few orchestrations have restarted to tell .*: 1, of 5 at least\\.\n$',
        ].join('\n'),
      ),
    );
  });

  test('research is summed up beside, and a run that cannot be read is counted and named', async () => {
    const reprise = await home.client();
    await completeAs(reprise, 'research', 'r1', researchResult([[40, 'viability'], [null, 'prior_art'], [61]]));
    await completeAs(reprise, 'research', 'r2', researchResult([[80]]));
    await completeAs(reprise, 'research', 'somebody-elses', 'no result of ours');
    await completeAs(reprise, 'another', 'a1', researchResult([[80]]));
    await reprise.close();
    const { status, stats, stderr } = await statsOf(5);
    expect({ status, unread: stats.unread }).toEqual({ status: 0, unread: 1 });
    expect(stderr).toContain('the run somebody-elses could not be read (its result is not one of research)');
    const { stdout } = await home.run(['stats']);
    expect(stdout).toContain(
      [
        'Research: 2 runs',
        '  1 restarted (50%), with 2 restarts (1 viability, 1 prior art)',
        '  those ended: 1 viable',
        '  score: +21 points on the average, 1 rose, 0 fell (1 restart with a score before and after)',
        '  restarts have cost 8 calls, 800 tokens, $2.0000',
        '  a restart costs 4 calls, 400 tokens, $1.0000',
        '',
        'Plans: 0 runs',
        '',
        'Not counted: 1 run that could not be read',
      ].join('\n'),
    );
  });

  test('a research run that has gone back to planning counts with what that gained and took', async () => {
    const before = await statsOf(5);
    const ran = await home.run(['research', 'An idea.', '--json', '--config', 'research.json']);
    if (ran.status !== 0) throw new Error(ran.stderr);
    const { iterations } = JSON.parse(ran.stdout) as ResearchResult;
    expect(iterations).toMatchObject([{ score: 40, restartKind: 'viability' }, { score: 72 }]);
    const { stats } = await statsOf(6);
    const [, second] = iterations;
    const { byKind, cost, restarts, runs } = before.stats.research;
    const { gain } = byKind.viability;
    expect(stats.research).toMatchObject({
      runs: runs + 1,
      restarts: restarts + 1,
      cost: {
        total: {
          calls: cost.total.calls + 2,
          tokens: cost.total.tokens + (second?.spent.tokens ?? Number.NaN),
        },
      },
      byKind: {
        viability: {
          restarts: byKind.viability.restarts + 1,
          gain: {
            measured: gain.measured + 1,
            rose: gain.rose + 1,
            fell: gain.fell,
            mean: (gain.mean * gain.measured + 32) / (gain.measured + 1),
          },
        },
      },
    });
  });

  test('plans are summed up with what it saved that only what had failed was executed again', async () => {
    const reprise = await home.client();
    const ended = [1, 1, 1, 1, 1, 1, 1, 2, 2, 3].map((round) => ({ executions: round, completedIn: round }));
    await completeAs(reprise, 'planAndExecute', 'p1', solveResult({ retries: 2, subtasks: ended }));
    await completeAs(reprise, 'planAndExecute', 'p2', solveResult({}));
    await reprise.close();
    const { stats } = await statsOf(8);
    expect(stats.planAndExecute).toMatchObject({ runs: 2, retried: 1, retries: 2 });
    const { stdout } = await home.run(['stats']);
    expect(stdout).toContain(
      [
        'Plans: 2 runs',
        '  1 retried (50%), with 2 retries',
        '  those ended: 1 complete',
        '  their subtasks were executed 14 times, 4 of them again after a failure',
        '  with the whole plan executed in each round it would have been 30: 53% fewer',
        '  not executing again what was completed has saved about 32 calls, 3,200 tokens, $8.0000',
      ].join('\n'),
    );
  });

  test('while it takes long it says how far it is', async () => {
    const reprise = await home.client();
    for (let number = 1; number <= 50; number++)
      await completeAs(reprise, 'orchestration', `many-${number}`, orchestrationResult());
    await reprise.close();
    const { stats, stderr } = await statsOf(58);
    expect(stats.orchestration.runs).toBe(52);
    expect(stderr).toContain('50 runs read …');
  });
});

describe('advice', () => {
  const none: Results = { orchestrations: [], researchRuns: [], plans: [], unread: 0 };
  const times = <T>(count: number, value: T): T[] => Array.from({ length: count }, () => value);
  const submitted = orchestrationResult({ attempts: 2, calls: 20 });
  const limited = orchestrationResult({ attempts: 2, calls: 20, outcome: 'restart_limit' });
  const rose = researchResult([[40, 'viability'], [61]]);
  const fell = researchResult([[40, 'viability'], [35]]);

  const rules: Array<[rule: string, results: Partial<Results>, advice: RegExp | undefined]> = [
    ['no runs: none', {}, undefined],
    ['no restart in few runs', { orchestrations: times(4, orchestrationResult()) }, /^Too few .*: 0, of 5 at least/],
    ['no restart in enough runs', { orchestrations: times(5, orchestrationResult()) }, /^None of 5 .* costs nothing/],
    ['four restarted orchestrations are too few', { orchestrations: times(4, submitted) }, /^Too few .*: 4, of 5/],
    [
      'half of them submitted: it pays',
      { orchestrations: [...times(3, submitted), ...times(3, limited)] },
      /^3 of 6 orchestrations .* max_orchestration_restarts pays\.$/,
    ],
    [
      'fewer submitted: what a lower limit would save in the mean of all runs',
      { orchestrations: [...times(2, submitted), ...times(3, limited), ...times(5, orchestrationResult())] },
      /^Only 2 of 5 .* would save up to 5 calls, 500 tokens, \$1\.2500 a run\.$/,
    ],
    [
      'no restart in enough research runs',
      { researchRuns: times(5, researchResult([[80]])) },
      /^None of 5 runs of research/,
    ],
    [
      'restarts without scores are too few',
      { researchRuns: times(9, researchResult([[null, 'prior_art'], [60]])) },
      /^Too few restarts for viability .*: 0, of 5/,
    ],
    [
      'scores that rose: it pays',
      { researchRuns: [...times(9, rose), fell] },
      /^Restarts for viability have gained 18\.4 points on the average; the score rose in 9 of 10 cases: .* pays\.$/,
    ],
    [
      'scores that fell: what a lower limit would save',
      { researchRuns: [rose, ...times(9, fell)] },
      /^Restarts for viability have not raised the score \(-2\.4 points .* in 1 of 10 cases\): .* save up to 4 calls, 400 tokens, \$1\.0000 a run\.$/,
    ],
    [
      'a mean that few have raised',
      { researchRuns: [...times(3, rose), ...times(4, fell)] },
      /^Restarts for viability have gained 6\.1 points on the average, but the score rose only in 3 of 7 cases: .* save up to/,
    ],
  ];
  const complete = solveResult({ retries: 1 });
  const partial = solveResult({ outcome: 'partial', retries: 1 });
  rules.push(
    ['no retry in enough plans', { plans: times(5, solveResult({})) }, /^None of 5 plans was retried.* costs nothing/],
    ['four retried plans are too few', { plans: times(4, complete) }, /^Too few plans .*: 4, of 5 at least/],
    [
      'half of the retried plans complete: it pays',
      { plans: [...times(3, complete), ...times(3, partial)] },
      /^3 of 6 plans .* ended complete: the limit max_retries pays/,
    ],
    [
      'fewer of them complete',
      { plans: [...times(2, complete), ...times(4, partial)] },
      /^Only 2 of 6 plans that were retried ended complete/,
    ],
  );
  test.for(rules)('%s', ([, results, advice]) => {
    const sentences = adviceOf(sumUp({ ...none, ...results }));
    if (advice === undefined) expect(sentences).toEqual([]);
    else expect(sentences).toEqual([expect.stringMatching(advice)]);
  });
});
