import type { WorkflowHandle } from '@temporalio/client';
import { describe, expect, test } from 'vitest';
import type { PendingQuestion } from '../../src/protocol/questions.ts';
import type { RunEvent } from '../../src/protocol/events.ts';
import { entriesOf } from '../../src/workflows/log-lines.ts';
import type { ResearchResult, ResearchState } from '../../src/protocol/research.ts';
import { ownDocs } from '../../src/config/search-services.ts';
import { criticism, plan, reportOn, researchScript, type Asked } from '../support/research-script.ts';
import { sharedRunning } from '../support/running.ts';
import { ask } from '../support/team-script.ts';
import type { Scripted } from '../support/model-server.ts';

const running = sharedRunning();

// A folder that is named, even if it is Reprise's own documentation, is searched without a warning.
const openai = { backend: { type: 'openai' }, search: { folder: ownDocs } };
const input = (more: object = {}) => ({ idea: 'An idea.', config: { research: { ...openai, ...more } } });

const restart = { reason: 'Too broad.', instructions: 'Only bonds.' };

/** A research run whose first request of one kind is kept waiting until a person has stepped in. */
async function heldAt(asked: Asked, more: object = {}, score = 72) {
  const reached = Promise.withResolvers<void>();
  const never = Promise.withResolvers<Scripted>();
  let first = true;
  const hold = async (reply: Scripted): Promise<Scripted> => {
    if (!first) return reply;
    first = false;
    reached.resolve();
    return never.promise;
  };
  const acts = { plan: (iteration: number) => plan(`idea ${iteration}`), criticise: () => criticism(score) };
  const run = running(
    researchScript({
      plan: ({ iteration }) => (asked === 'plan' ? hold(acts.plan(iteration)) : acts.plan(iteration)),
      criticise: () => (asked === 'criticise' ? hold(acts.criticise()) : acts.criticise()),
      synthesise: (request) => (asked === 'synthesise' ? hold(reportOn(request)) : reportOn(request)),
    }),
  );
  const handle = await run.startResearch(input(more));
  await reached.promise;
  return { run, handle };
}

const resultOf = async (handle: WorkflowHandle): Promise<ResearchResult> => (await handle.result()) as ResearchResult;

async function linesOf(handle: WorkflowHandle): Promise<string[]> {
  const events = await handle.query<RunEvent[]>('events');
  return events.flatMap((event) => entriesOf(event).map(({ text }) => text));
}

async function until(handle: WorkflowHandle, phase: ResearchState['phase']): Promise<void> {
  await expect.poll(async () => (await handle.query<ResearchState>('state')).phase).toBe(phase);
}

describe('requestRestart', () => {
  test.each(['plan', 'criticise', 'synthesise'] as const)(
    'during %s: what is under way is given up, and the plan is drawn with their guidance',
    async (asked) => {
      const { run, handle } = await heldAt(asked);
      await handle.signal('requestRestart', restart);
      const { iterations, outcome } = await resultOf(handle);
      expect(iterations).toMatchObject([
        { iteration: 1, restartKind: 'person', restartReason: 'Too broad.' },
        { iteration: 2, idea: 'idea 2', score: 72, restartReason: null },
      ]);
      expect(outcome).toBe('viable');
      const plans = run.model.requests.filter(({ tools }) => tools.includes('submit_plan'));
      expect(plans.at(-1)?.prompt).toContain('Only bonds.');
    },
  );

  test('while the planner asks a person: its question is withdrawn, and it plans on', async () => {
    let isFirst = true;
    const run = running(
      researchScript({
        plan: ({ iteration }) => {
          const reply = isFirst ? ask('Which market?') : plan(`idea ${iteration}`);
          isFirst = false;
          return reply;
        },
      }),
    );
    const coordination = { broadcast: 'human' };
    const { config, idea } = input();
    const handle = await run.startResearch({ idea, config: { ...config, coordination } });
    await expect.poll(() => handle.query<PendingQuestion[]>('pendingQuestions')).toHaveLength(1);
    await handle.signal('requestRestart', restart);
    expect(await resultOf(handle)).toMatchObject({
      outcome: 'viable',
      iterations: [{}, { idea: 'idea 2', score: 72 }],
    });
  });

  test('before the first moment: it counts as an iteration', async () => {
    const run = running(researchScript());
    const handle = await run.client.workflow.signalWithStart('research', {
      ...run.startOptions('research', `${run.taskQueue}-early`, input()),
      signal: 'requestRestart',
      signalArgs: [restart],
    });
    const { iterations } = (await handle.result()) as ResearchResult;
    expect(iterations).toMatchObject([
      { iteration: 1, idea: 'An idea.', restartKind: 'person' },
      { iteration: 2, idea: 'idea 2', score: 72 },
    ]);
    expect(run.model.requests[0]?.prompt).toContain('## Idea\n\nAn idea.');
  });

  test('at the limit it is refused with a log line', async () => {
    const { handle } = await heldAt('criticise', { max_planning_iterations: 1 });
    await handle.signal('requestRestart', restart);
    await handle.signal('decide', { action: 'accept' });
    expect((await resultOf(handle)).iterations).toHaveLength(1);
    expect(await linesOf(handle)).toContainEqual(
      'Maximum planning iterations reached (requested by a person): Too broad.',
    );
  });
});

describe('decide', () => {
  test('accept during criticism: on to the synthesis, without a score', async () => {
    const { handle } = await heldAt('criticise');
    await handle.signal('decide', { action: 'accept', note: 'Good enough' });
    expect(await resultOf(handle)).toMatchObject({
      outcome: 'viable',
      iterations: [{ idea: 'idea 1', score: null, verdict: null }],
      report: { title: 'On idea 1' },
    });
    expect(await linesOf(handle)).toContain('📢 A person decides: accept (Good enough)');
  });

  test('accept before there is any material: the first plan goes on to the synthesis', async () => {
    const run = running(researchScript({ criticise: () => criticism(10) }));
    const handle = await run.client.workflow.signalWithStart('research', {
      ...run.startOptions('research', `${run.taskQueue}-accepted`, input()),
      signal: 'decide',
      signalArgs: [{ action: 'accept' }],
    });
    expect(await resultOf(handle)).toMatchObject({ outcome: 'viable', report: { title: 'On idea 1' } });
    expect(run.model.requests.map(({ tools }) => tools[0])).toEqual(['submit_plan', 'submit_report']);
  });

  test('stop: no further model call, and a report of what there is', async () => {
    const { run, handle } = await heldAt('criticise');
    await handle.signal('decide', { action: 'stop', note: 'Out of time' });
    const { outcome, report: written } = await resultOf(handle);
    expect(outcome).toBe('stopped');
    expect(written).toMatchObject({
      title: 'idea 1',
      summary: expect.stringContaining('a person has stopped the research (Out of time)'),
      sections: [{ heading: 'Plan' }, { heading: 'Found by the searches' }, { heading: 'Iterations' }],
    });
    expect(run.model.requests).toHaveLength(2);
  });

  test('what is no decision is ignored with a log line', async () => {
    const { handle } = await heldAt('criticise');
    for (const payload of [null, {}, { action: 'maybe' }]) await handle.signal('decide', payload);
    await handle.signal('decide', { action: 'accept' });
    await resultOf(handle);
    const ignored = (await linesOf(handle)).filter((line) => line.includes('is ignored'));
    expect(ignored).toHaveLength(3);
  });
});

describe('approval: true', () => {
  test('waits for a person before the synthesis, visibly', async () => {
    const run = running(researchScript());
    const handle = await run.startResearch(input({ approval: true }));
    await until(handle, 'waiting_for_approval');
    expect(run.model.requests.some(({ tools }) => tools.includes('submit_report'))).toBe(false);
    const { raw } = await handle.describe();
    expect(JSON.stringify(raw.workflowExecutionInfo?.searchAttributes)).toContain('RepriseWaiting');
    await handle.signal('decide', { action: 'accept' });
    expect(await resultOf(handle)).toMatchObject({ outcome: 'viable', iterations: [{ score: 72 }] });
  });

  test('at the limit the outcome stays iteration_limit when a person accepts', async () => {
    const run = running(researchScript({ criticise: () => criticism(40) }));
    const handle = await run.startResearch(input({ approval: true, max_planning_iterations: 1 }));
    await until(handle, 'waiting_for_approval');
    await handle.signal('decide', { action: 'accept' });
    expect(await resultOf(handle)).toMatchObject({ outcome: 'iteration_limit', iterations: [{ score: 40 }] });
  });

  test('a person who does not decide is waited for until the budget of time is spent', async () => {
    const run = running(researchScript());
    const { config, ...rest } = input({ approval: true });
    const handle = await run.startResearch({ ...rest, config: { ...config, budget: { seconds: 5 } } });
    expect(await resultOf(handle)).toMatchObject({ outcome: 'budget' });
  });

  test('who has accepted before is not asked again', async () => {
    const run = running(researchScript());
    const handle = await run.client.workflow.signalWithStart('research', {
      ...run.startOptions('research', `${run.taskQueue}-content`, input({ approval: true })),
      signal: 'decide',
      signalArgs: [{ action: 'accept' }],
    });
    expect(await resultOf(handle)).toMatchObject({ outcome: 'viable' });
  });

  test('a person may ask for another plan instead', async () => {
    const run = running(researchScript());
    const handle = await run.startResearch(input({ approval: true }));
    await until(handle, 'waiting_for_approval');
    await handle.signal('requestRestart', restart);
    await expect.poll(async () => (await handle.query<ResearchState>('state')).planning_iteration).toBe(2);
    await until(handle, 'waiting_for_approval');
    await handle.signal('decide', { action: 'accept' });
    expect((await resultOf(handle)).iterations).toMatchObject([
      { score: 72, restartKind: 'person' },
      { score: 72, restartKind: null },
    ]);
  });
});

test('ask_others asks the person where coordination says so', async () => {
  const run = running(
    researchScript({
      plan: ({ prompt }) =>
        prompt.includes('Bonds.')
          ? plan('bond idea')
          : { calls: [{ name: 'ask_others', arguments: { question: 'Stocks or bonds?' } }] },
    }),
  );
  const handle = await run.startResearch({
    idea: 'An idea.',
    config: { research: openai, coordination: { broadcast: 'human' } },
  });
  await expect
    .poll(() => handle.query<PendingQuestion[]>('pendingQuestions'))
    .toMatchObject([{ from: 'planner', question: 'Stocks or bonds?' }]);
  await handle.signal('answer', { answer: 'Bonds.' });
  expect((await resultOf(handle)).iterations).toMatchObject([{ idea: 'bond idea' }]);
});
