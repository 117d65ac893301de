import type { WorkflowHandle } from '@temporalio/client';
import { describe, expect, test } from 'vitest';
import type { RunEvent } from '../../src/protocol/events.ts';
import type { OrchestrationResult } from '../../src/protocol/orchestration.ts';
import type { SolveResult } from '../../src/protocol/plan-and-execute.ts';
import type { PendingQuestion } from '../../src/protocol/questions.ts';
import type { ResearchResult } from '../../src/protocol/research.ts';
import type { SessionResult, TurnResult } from '../../src/protocol/session.ts';
import { ownDocs } from '../../src/config/search-services.ts';
import { agentOf } from '../support/agent-script.ts';
import { asks, askingTeam } from '../support/asking.ts';
import type { Scripted, Script } from '../support/model-server.ts';
import { criticism, reportOn, researchScript } from '../support/research-script.ts';
import { sharedRunning } from '../support/running.ts';
import { completed, solveScript, subtasks } from '../support/solve-script.ts';
import { answer, ask, restart, submit, teamOf, teamScript } from '../support/team-script.ts';

const running = sharedRunning();

const openai = { type: 'openai' };
const config = teamOf(['agent_a', 'agent_b', 'agent_c'], openai);
const task = 'What is 6 × 7?';

/** A reply that never comes, and a promise of the moment when it is asked for. */
function never() {
  const asked = Promise.withResolvers<void>();
  const reply = (): Promise<Scripted> => {
    asked.resolve();
    return new Promise(() => {});
  };
  return { reply, asked: asked.promise };
}

const statusOf = async (handle: WorkflowHandle): Promise<string> => (await handle.describe()).status.name;
const eventsOf = (handle: WorkflowHandle) => handle.query<RunEvent[]>('events');

describe('an orchestration that is cancelled', () => {
  test('before any answer says so, and what its calls have cost is settled', async () => {
    const { asked, reply } = never();
    const run = running(teamScript({ answer: reply }));
    const handle = await run.start({ task, config });
    await asked;
    await expect.poll(() => run.model.requests.length).toBe(3);
    await handle.cancel();
    const result = (await handle.result()) as OrchestrationResult;
    expect(result).toMatchObject({
      outcome: 'cancelled',
      answer: '(No answer yet. The run was cancelled.)',
      finalAgent: '',
      warnings: ['There was no answer yet'],
    });
    expect(result.usage.calls).toBe(3);
    for (const { inputTokens } of Object.values(result.usage.byAgent)) expect(inputTokens).toBeGreaterThan(0);
    expect(Object.keys(result.usage.byAgent)).toHaveLength(3);
    expect(await statusOf(handle)).toBe('COMPLETED');
    const { raw } = await handle.describe();
    const { indexedFields } = raw.workflowExecutionInfo?.searchAttributes ?? {};
    expect(Buffer.from(indexedFields?.['RepriseOutcome']?.data ?? []).toString()).toBe('"cancelled"');
    expect((await eventsOf(handle)).slice(-2)).toMatchObject([
      { type: 'stopped', why: 'cancelled' },
      { type: 'final', outcome: 'cancelled' },
    ]);
  });

  const leading = { answer: 'Answer of agent_a in attempt 1.', warnings: [] };
  const laterAttempt = (reply: () => Promise<Scripted>): Parameters<typeof teamScript>[0] => ({
    answer: ({ agent, attempt }) => (attempt === 1 ? answer(`First of ${agent}.`) : reply()),
    decide: ({ attempt }) => (attempt === 1 ? restart('Again.', 'Better.') : submit()),
  });
  test.each<[when: string, acts: typeof laterAttempt, result: object]>([
    ['while it votes delivers the answer that leads', (reply) => ({ vote: reply }), leading],
    ['while the final agent presents delivers the answer that was selected', (reply) => ({ present: reply }), leading],
    [
      'in a later attempt delivers the best of those before',
      laterAttempt,
      { answer: 'First of agent_a.', attempts: 2 },
    ],
  ])('%s, and a second request changes nothing', async (_, acts, result) => {
    const { asked, reply } = never();
    const run = running(teamScript(acts(reply)));
    const handle = await run.start({ task, config });
    await asked;
    await handle.cancel();
    await handle.cancel().catch(() => {});
    expect(await handle.result()).toMatchObject({ outcome: 'cancelled', ...result });
  });

  test('while a question waits for a person does not wait for it', async () => {
    const run = running(asks('What color theme?'));
    const handle = await run.start({ task, config: askingTeam(3600) });
    const pending = () => handle.query<PendingQuestion[]>('pendingQuestions');
    await expect.poll(async () => (await pending()).length).toBe(1);
    await handle.cancel();
    expect(await handle.result()).toMatchObject({ outcome: 'cancelled', humanQa: [] });
    expect(await pending()).toEqual([]);
  });

  test('before it has begun ends with a result too', async () => {
    const run = running(teamScript());
    const handle = await run.start({ task, config });
    await handle.cancel();
    expect(await handle.result()).toMatchObject({ outcome: expect.stringMatching(/cancelled|submitted/) as string });
    expect(await statusOf(handle)).toBe('COMPLETED');
  });
});

describe('a research run that is cancelled', () => {
  const input = { idea: 'An idea.', config: { research: { backend: openai, search: { folder: ownDocs } } } };

  test.each(['plan', 'criticise', 'synthesise'] as const)(
    'during %s reports what there is, and stores it',
    async (what) => {
      const { asked, reply } = never();
      const acts = { criticise: () => criticism(72), synthesise: reportOn };
      const run = running(researchScript({ ...acts, [what]: reply }));
      const handle = await run.startResearch(input);
      await asked;
      await handle.cancel();
      const { outcome, report, reportId, usage } = (await handle.result()) as ResearchResult;
      expect(outcome).toBe('cancelled');
      expect(report.summary).toContain('No report was written: The run was cancelled');
      expect(reportId).not.toBe('');
      expect(usage.calls).toBe(run.model.requests.length);
      expect(await statusOf(handle)).toBe('COMPLETED');
    },
  );

  test('while it waits for approval writes no report', async () => {
    const run = running(researchScript());
    const handle = await run.startResearch({
      ...input,
      config: { research: { ...input.config.research, approval: true } },
    });
    const pending = () => handle.query<PendingQuestion[]>('pendingQuestions');
    await expect.poll(pending).toEqual([
      {
        kind: 'approval',
        questionId: 'approval-1',
        from: 'planner',
        question: 'Is this plan good enough for a report? idea 1 (72/100 (Good concept))',
        askedAt: expect.any(String) as string,
        expiresAt: null,
      },
    ]);
    await handle.cancel();
    expect(await handle.result()).toMatchObject({ outcome: 'cancelled', iterations: [{ score: 72 }] });
    expect(await pending()).toEqual([]);
  });
});

describe('a plan that is cancelled', () => {
  test.each(['analyse', 'plan'] as const)('while the planner is asked to %s has no results to list', async (what) => {
    const { asked, reply } = never();
    const run = running(solveScript({ [what]: reply }));
    const handle = await run.startSolve({ problem: 'What is it?', config: { plan: { backend: openai } } });
    await asked;
    await handle.cancel();
    expect(await handle.result()).toMatchObject({
      outcome: 'cancelled',
      answer: 'No answer was put together: The run was cancelled. This is what there was:',
      subtasks: [],
    });
  });

  test('while it carries out subtasks lists the results of those that are completed', async () => {
    const { asked, reply } = never();
    const run = running(
      solveScript({
        plan: () => subtasks('step_1', { id: 'step_2', depends_on: ['step_1'] }),
        work: ({ id }) => (id === 'step_1' ? completed('Blue.') : reply()),
      }),
    );
    const handle = await run.startSolve({ problem: 'What is it?', config: { plan: { backend: openai } } });
    await asked;
    await handle.cancel();
    const result = (await handle.result()) as SolveResult;
    expect(result).toMatchObject({ outcome: 'cancelled', subtasks: [{ status: 'completed' }, { status: 'running' }] });
    expect(result.answer).toContain('step_1 (Do step_1): Blue.');
    expect((await eventsOf(handle)).filter(({ type }) => type === 'subtask_failed')).toEqual([]);
  });
});

describe('a session that is cancelled', () => {
  const agent = agentOf('openai', { simple: {} });

  test('between two turns completes with what the last one gave', async () => {
    const run = running(() => ({ text: 'Blue.' }));
    const handle = await run.startSession({ config: agent });
    await handle.executeUpdate('handleText', { args: ['Which color?'] });
    await handle.cancel();
    expect(await handle.result()).toMatchObject({ answer: 'Blue.', outcome: 'cancelled', turns: 1 });
    expect(await statusOf(handle)).toBe('COMPLETED');
  });

  const sessions: Array<[string, object, (reply: () => Promise<Scripted>) => Script]> = [
    ['one agent', agent, (reply) => reply],
    ['a team', config, (reply) => teamScript({ answer: reply })],
  ];
  test.each(sessions)(
    'a turn of %s that a person stops ends with what there is, and the session goes on',
    async (_, its, script) => {
      const { asked, reply } = never();
      const stalled = script(reply);
      const others = script(() => Promise.resolve(_ === 'a team' ? answer('Blue.') : { text: 'Blue.' }));
      let turns = 0;
      const run = running((seen) => (turns === 0 ? stalled(seen) : others(seen)));
      const handle = await run.startSession({ config: its });
      const turn = handle.executeUpdate<TurnResult, [string]>('handleText', { args: ['Which color?'] });
      await asked;
      await handle.signal('stopTurn');
      expect(await turn).toMatchObject({
        answer: '(No answer yet. The turn was stopped.)',
        messages: [expect.any(String), '(The turn was stopped.)'],
      });
      expect(await handle.query('state')).toMatchObject({ phase: 'idle' });
      turns = 1;
      expect(await handle.executeUpdate('handleText', { args: ['And now?'] })).toMatchObject({ turn: 2 });
      await handle.signal('close');
      expect(await handle.result()).toMatchObject({ outcome: 'answered', turns: 2 });
    },
  );

  test('a turn that is stopped while it waits for its calls leaves none open, and the session goes on', async () => {
    let turns = 1;
    const run = running(() => (turns === 1 ? ask('Which one?') : { text: 'Blue.' }));
    const handle = await run.startSession({
      config: agentOf('openai', { simple: {} }, [], { coordination: { broadcast: 'human' } }),
    });
    const turn = handle.executeUpdate('handleText', { args: ['Which color?'] });
    await expect.poll(() => handle.query<PendingQuestion[]>('pendingQuestions')).toHaveLength(1);
    await handle.signal('stopTurn');
    await turn;
    turns = 2;
    expect(await handle.executeUpdate('handleText', { args: ['And now?'] })).toMatchObject({ answer: 'Blue.' });
    expect(run.model.requests.at(-1)?.prompt).toContain('ask_others was interrupted and has no result');
    await handle.signal('close');
    await handle.result();
  });

  test('a turn that is stopped without an answer does not take the one of the turn before for its own', async () => {
    const { asked, reply } = never();
    let turns = 1;
    const run = running(() => (turns === 1 ? { text: 'Blue.' } : reply()));
    const handle = await run.startSession({ config: agent });
    expect(await handle.executeUpdate('handleText', { args: ['Which color?'] })).toMatchObject({ answer: 'Blue.' });
    turns = 2;
    const turn = handle.executeUpdate('handleText', { args: ['And now?'] });
    await asked;
    await handle.signal('stopTurn');
    expect(await turn).toMatchObject({ answer: '(No answer yet. The turn was stopped.)' });
    const finals = (await eventsOf(handle)).filter(({ type }) => type === 'final');
    expect(finals).toMatchObject([{ agent: 'agent' }, { agent: '' }]);
    await handle.signal('close');
    await handle.result();
  });

  test('a session that takes one turn refuses any other, and its turn can be stopped', async () => {
    const { asked, reply } = never();
    const run = running(reply);
    const handle = await run.startSession({ config: agent, text: 'Which color?' });
    await asked;
    const more = handle.executeUpdate('handleText', { args: ['And now?'] });
    await expect(more).rejects.toMatchObject({ cause: { message: 'the session takes the one turn of its text' } });
    await handle.signal('stopTurn');
    expect(await handle.result()).toMatchObject({ answer: '(No answer yet. The turn was stopped.)', turns: 1 });
  });

  test.each(sessions)('in a turn of %s ends the turn, says so, and refuses the next one', async (_, its, script) => {
    const { asked, reply } = never();
    const run = running(script(reply));
    const handle = await run.startSession({ config: its });
    const turn = handle.executeUpdate<TurnResult, [string]>('handleText', { args: ['Which color?'] });
    await asked;
    const next = handle.startUpdate('handleText', { args: ['And now?'], waitForStage: 'ACCEPTED' });
    const refused = (await next).result().catch((error: unknown) => error);
    await handle.cancel();
    expect(await turn).toMatchObject({
      answer: expect.stringMatching(/^\(No answer yet\. The (run|session) was cancelled\.\)$/) as string,
      messages: [expect.any(String), '(The session was cancelled.)'],
    });
    expect(await refused).toMatchObject({ cause: { message: 'The session was cancelled' } });
    const result = (await handle.result()) as SessionResult;
    expect(result).toMatchObject({ outcome: 'cancelled', turns: 1 });
    expect(result.usage.inputTokens).toBeGreaterThan(0);
  });
});
