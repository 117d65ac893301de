import type { WorkflowHandle } from '@temporalio/client';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { RunEvent } from '../../src/protocol/events.ts';
import type { OrchestrationResult } from '../../src/protocol/orchestration.ts';
import type { PendingQuestion } from '../../src/protocol/questions.ts';
import type { ResearchResult } from '../../src/protocol/research.ts';
import type { SessionResult } from '../../src/protocol/session.ts';
import type { SolveResult } from '../../src/protocol/plan-and-execute.ts';
import { entriesOf } from '../../src/workflows/log-lines.ts';
import { agentOf, call } from '../support/agent-script.ts';
import { hasAsked } from '../support/asking.ts';
import { newerServer } from '../support/mcp.ts';
import type { Script } from '../support/model-server.ts';
import { plan, researchScript } from '../support/research-script.ts';
import { running, type Running } from '../support/running.ts';
import { startSearchServer, type SearchServer } from '../support/search-server.ts';
import { completed, solveScript, subtasks } from '../support/solve-script.ts';
import { answer, ask, teamOf, teamScript } from '../support/team-script.ts';

const openai = { type: 'openai' };
const team = ['agent_a', 'agent_b', 'agent_c'];
const without = { OPENAI_API_KEY: undefined };

let script: Script;
let run: Running;
beforeAll(async () => {
  run = await running((seen) => script(seen));
});
afterAll(() => run[Symbol.asyncDispose]());
beforeEach(() => (run.model.requests.length = 0));
afterEach(async () => {
  await run.idle();
  if (lacksKeys) await replaceWorker({});
});

/** Whether the present worker has other variables than the first one. */
let lacksKeys = false;
function replaceWorker(variables: NodeJS.ProcessEnv): Promise<void> {
  lacksKeys = Object.keys(variables).length > 0;
  return run.replaceWorker(variables);
}

const pendingOf = (handle: WorkflowHandle) => handle.query<PendingQuestion[]>('pendingQuestions');
const eventsOf = (handle: WorkflowHandle) => handle.query<RunEvent[]>('events');

/** Waits until a run waits for keys, and returns what it tells of them. */
async function keysOf(handle: WorkflowHandle): Promise<PendingQuestion[]> {
  await expect.poll(async () => (await pendingOf(handle)).map(({ kind }) => kind)).toContain('key');
  return pendingOf(handle);
}

/** A script whose reply to the first request that a condition holds for waits for `release`. */
function held(inner: Script, isHeld: (request: Parameters<Script>[0]) => boolean) {
  const reached = Promise.withResolvers<void>();
  const released = Promise.withResolvers<void>();
  let first = true;
  const script: Script = async (seen) => {
    if (first && isHeld(seen)) {
      first = false;
      reached.resolve();
      await released.promise;
    }
    return inner(seen);
  };
  return { script, reached: reached.promise, release: released.resolve };
}

/** Starts a run, and has a worker without the key take it over while the model is at work. */
async function takenOver(
  inner: Script,
  isHeld: (request: Parameters<Script>[0]) => boolean,
  start: () => Promise<WorkflowHandle>,
  variables: NodeJS.ProcessEnv = without,
): Promise<WorkflowHandle> {
  const { reached, release, ...holding } = held(inner, isHeld);
  script = holding.script;
  const handle = await start();
  await reached;
  const replaced = replaceWorker(variables);
  release();
  await replaced;
  return handle;
}

const isAnswer = ({ tools, prompt }: Parameters<Script>[0]): boolean =>
  tools.includes('new_answer') && !prompt.includes('## Answers');

const startTeam =
  (rest: object = {}, coordination: object = {}) =>
  () =>
    run.start({ task: 'What is 6 × 7?', config: teamOf(team, openai, coordination, rest) });

describe('a key that is missing in the middle of a run', () => {
  test('is waited for, visibly and without a word in the history, and the run goes on as soon as a worker has it', async () => {
    const handle = await takenOver(teamScript(), isAnswer, startTeam());
    const [key, ...others] = await keysOf(handle);
    expect(others).toEqual([]);
    expect(key).toEqual({
      kind: 'key',
      questionId: 'key-OPENAI_API_KEY',
      from: expect.stringMatching(/^agent_[abc](, agent_[abc])*$/) as string,
      question: 'needs OPENAI_API_KEY on a worker',
      askedAt: expect.any(String) as string,
      expiresAt: null,
    });
    const { raw } = await handle.describe();
    expect(JSON.stringify(raw.workflowExecutionInfo?.searchAttributes)).toContain('RepriseWaiting');
    const lines = (await eventsOf(handle)).flatMap((event) => entriesOf(event).map(({ text }) => text));
    expect(lines).toContainEqual(expect.stringMatching(/^🔑 agent_. needs OPENAI_API_KEY on a worker/));

    const tries = async () => (await handle.describe()).raw.pendingActivities?.[0]?.attempt ?? 0;
    const length = async () => (await handle.describe()).historyLength;
    await expect.poll(async () => (await tries()) >= 2).toBe(true);
    const before = await length();
    await expect.poll(async () => (await tries()) >= 3).toBe(true);
    expect(await length()).toBe(before);

    await replaceWorker({});
    const result = (await handle.result()) as OrchestrationResult;
    expect(result).toMatchObject({ outcome: 'submitted', warnings: [] });
    expect(result.usage.calls).toBe(run.model.requests.length);
    const closed = (await eventsOf(handle)).filter(({ type }) => type === 'key_closed');
    expect(closed).toMatchObject([{ how: 'found', variable: 'OPENAI_API_KEY' }]);
  });

  test('can be done without by an empty answer: the agents are out, and what there is is delivered', async () => {
    const handle = await takenOver(
      teamScript({ vote: () => ({ text: 'agent1' }) }),
      isAnswer,
      startTeam({}, { max_orchestration_restarts: 0 }),
    );
    const [key] = await keysOf(handle);
    await handle.signal('answer', { questionId: key!.questionId, answer: 'sk-it-is-this' });
    await handle.signal('answer', { answer: '' });
    await handle.result().catch(() => {});
    const events = await eventsOf(handle);
    expect(events.filter(({ type }) => type === 'out')).not.toEqual([]);
    expect(events.find(({ type }) => type === 'out')).toMatchObject({ reason: 'openai: OPENAI_API_KEY is not set' });
    expect(events.filter(({ type }) => type === 'key_missing')).toHaveLength(1);
    expect(JSON.stringify(events)).not.toContain('sk-it-is-this');
  });

  test('of a tool is waited for until the budget of time is spent, and what others have answered is delivered', async () => {
    await replaceWorker({ TOOL_TOKEN: 'token' });
    const server = { ...newerServer(), env: { TOKEN: '${TOOL_TOKEN}' } };
    const inner = teamScript({
      answer: ({ agent, prompt }) =>
        agent === 'agent_b' && !prompt.includes('It failed') ? call('fail', {}) : answer('Mine.'),
    });
    const config = teamOf(['agent_a', 'agent_b'], openai, {}, { budget: { seconds: 15 } });
    config.agents[1] = { ...config.agents[1]!, backend: { type: 'openai', mcp_servers: [server] } };
    const handle = await takenOver(
      inner,
      (request) => request.tools.includes('fail'),
      () => run.start({ task: 'Which one?', config }),
      { OTHER: 'x' },
    );
    expect(await handle.result()).toMatchObject({ outcome: 'budget', finalAgent: 'agent_a' });
    expect((await eventsOf(handle)).find(({ type }) => type === 'key_missing')).toMatchObject({
      variable: 'TOOL_TOKEN',
    });
  });

  test('is no longer waited for when the run is cancelled', async () => {
    const handle = await takenOver(teamScript(), isAnswer, startTeam());
    await keysOf(handle);
    await handle.cancel();
    expect(await handle.result()).toMatchObject({ outcome: 'cancelled' });
    expect(await pendingOf(handle)).toEqual([]);
  });

  test('counts against a budget of time alone: not against the time of agents, attempts, and shadows', async () => {
    // More than a busy machine needs beside the wait, which all have at once.
    const limit = 30;
    const asking = teamScript({
      answer: (request) => (request.agent === 'agent_a' && !hasAsked(request) ? ask('Which one?') : answer('Mine.')),
    });
    const timeout_settings = { agent_timeout_seconds: limit, orchestrator_timeout_seconds: limit };
    const courses: Array<[inner: Script, rest: object, coordination?: object]> = [
      [teamScript(), { timeout_settings }],
      [asking, {}, { broadcast: 'agents', broadcast_timeout: limit }],
      [teamScript(), { budget: { seconds: limit } }],
    ];
    const holding = courses.map(([inner]) => held(inner, ({ prompt }) => prompt.includes('I am agent_a.')));
    script = (seen) => holding[Number(/Task (\d)\./.exec(seen.prompt)?.[1])]!.script(seen);
    const handles = await Promise.all(
      courses.map(([, rest, coordination], index) =>
        run.start({ task: `Task ${index}.`, config: teamOf(team, openai, coordination, rest) }),
      ),
    );
    await Promise.all(holding.map(({ reached }) => reached));
    const replaced = replaceWorker(without);
    for (const { release } of holding) release();
    await replaced;
    const keys = await Promise.all(handles.map(keysOf));
    const latest = Math.max(...keys.map(([key]) => Date.parse(key!.askedAt)));
    await expect.poll(() => Date.now() - latest).toBeGreaterThan(limit * 1000);
    await replaceWorker({});
    const [timed, shadowed, budgeted] = handles;
    expect(await timed!.result()).toMatchObject({ outcome: 'submitted', warnings: [] });
    expect(await shadowed!.result()).toMatchObject({ outcome: 'submitted' });
    const ended = (await eventsOf(shadowed!)).filter(({ type }) => type === 'ask_ended');
    expect(ended).toMatchObject([{ status: 'complete', silent: [] }]);
    expect(await budgeted!.result()).toMatchObject({ outcome: 'budget' });
  });
});

describe('it is waited for in every workflow', () => {
  test('by the subtasks of a plan and by the agent of a session', async () => {
    const solve = held(
      solveScript({ plan: () => subtasks('step_1', 'step_2'), work: ({ id }) => completed(`Result of ${id}.`) }),
      ({ tools }) => tools.includes('submit_plan'),
    );
    const asked = { text: '', calls: [{ name: 'unknown', arguments: {} }] };
    const session = held(
      ({ messages }) => (messages.some(({ role }) => role === 'tool') ? { text: 'Blue.' } : asked),
      () => true,
    );
    script = (seen) => (seen.prompt.includes('Which color?') ? session : solve).script(seen);
    const [solving, talking] = await Promise.all([
      run.startSolve({ problem: 'What is it?', config: { plan: { backend: openai } } }),
      run.startSession({ config: agentOf('openai', { simple: {} }), text: 'Which color?' }),
    ]);
    await Promise.all([solve.reached, session.reached]);
    const replaced = replaceWorker(without);
    solve.release();
    session.release();
    await replaced;
    expect(await keysOf(solving)).toMatchObject([{ kind: 'key' }]);
    expect(await keysOf(talking)).toMatchObject([{ kind: 'key' }]);
    await replaceWorker({});
    expect((await solving.result()) as SolveResult).toMatchObject({ outcome: 'complete', executions: 2 });
    expect((await talking.result()) as SessionResult).toMatchObject({ answer: 'Blue.', outcome: 'answered' });
  });

  describe('by the searches of research', () => {
    let search: SearchServer;
    beforeAll(async () => {
      search = await startSearchServer(() => ({
        results: [{ title: 'A page', url: 'https://page.example', content: 'It says so.' }],
      }));
    });
    afterAll(() => search.close());

    test('for the address of their service too', async () => {
      await replaceWorker({ SEARXNG_URL: search.url });
      const handle = await takenOver(
        researchScript({ plan: () => plan('idea 1') }),
        ({ tools }) => tools.includes('submit_plan'),
        () =>
          run.startResearch({ idea: 'An idea.', config: { research: { backend: openai, search: { read_pages: 0 } } } }),
        {},
      );
      expect(await keysOf(handle)).toMatchObject([{ from: 'planner', question: 'needs SEARXNG_URL on a worker' }]);
      await replaceWorker({ SEARXNG_URL: search.url });
      expect((await handle.result()) as ResearchResult).toMatchObject({ outcome: 'viable', gaps: [] });
    });
  });
});
