import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { WorkflowHandle } from '@temporalio/client';
import { describe, expect, test } from 'vitest';
import type { RunEvent } from '../../src/protocol/events.ts';
import type { ToolDecision } from '../../src/protocol/tools/permissions.ts';
import type { HumanReply, PendingQuestion } from '../../src/protocol/questions.ts';
import type { SessionResult, TurnResult } from '../../src/protocol/session.ts';
import { agentOf, call, calls, inTurn, toolResults, writeKit } from '../support/agent-script.ts';
import type { Script, Scripted } from '../support/model-server.ts';
import { sharedRunning, type SharedRunning } from '../support/running.ts';
import { completed, solveScript, subtasks } from '../support/solve-script.ts';
import { answer, teamOf, teamScript, vote } from '../support/team-script.ts';

const running = sharedRunning();

const prepared = (run: SharedRunning): SharedRunning => {
  writeKit(run.home);
  return run;
};

const waiting = (run: WorkflowHandle) => run.query<PendingQuestion[]>('pendingQuestions');
const eventsOf = (run: WorkflowHandle) => run.query<RunEvent[]>('events');

/** Waits until so many calls wait for approval. */
async function asked(run: WorkflowHandle, count = 1): Promise<PendingQuestion[]> {
  await expect.poll(() => waiting(run)).toHaveLength(count);
  return waiting(run);
}

const approve = (run: WorkflowHandle, decision: ToolDecision) => run.signal<[ToolDecision]>('approve', decision);
const say = (run: WorkflowHandle, reply: HumanReply) => run.signal<[HumanReply]>('answer', reply);

const write: Scripted = call('write', { text: 'one' });
const done: Scripted = { text: 'Done.' };

const again =
  '\n\nThis call was refused before for the same reason, and the same call will be refused again: do something else.';

const attended = { attended: true };

/** Starts a turn of one agent with these replies. */
async function begin(replies: Scripted[] | Script, rest: object = attended, settings: object = {}) {
  const run = prepared(running(typeof replies === 'function' ? replies : inTurn(replies)));
  const session = await run.startSession({
    config: agentOf('openai', { simple: settings }, ['kit'], rest),
    text: 'Go.',
  });
  return { run, session, result: () => session.result() as Promise<SessionResult> };
}

const lastResults = ({ model }: SharedRunning): string[] => toolResults(model.requests.at(-1)!);

describe('a call of a tool with side effects', () => {
  test('waits for a person, and runs when allowed', async () => {
    const { result, run, session } = await begin([write, done]);
    const [pending] = await asked(session);
    expect(pending).toEqual({
      kind: 'tool',
      questionId: 't1',
      from: 'agent',
      question: 'May it run write?',
      tool: 'write',
      arguments: '{\n  "text": "one"\n}',
      parameters: expect.objectContaining({ type: 'object', required: ['text'] }) as object,
      askedAt: expect.any(String) as string,
      expiresAt: null,
    });
    expect((await eventsOf(session)).some(({ type }) => type === 'tool')).toBe(false);
    await approve(session, { id: 't1', action: 'allow' });
    expect(await result()).toMatchObject({ answer: 'Done.', warnings: [] });
    expect(lastResults(run)).toEqual(['wrote one']);
    const types = (await eventsOf(session)).map(({ type }) => type);
    const since = types.slice(types.indexOf('approval_requested')).join(' ');
    expect(since).toBe('approval_requested approval_resolved tool tool_ended thinking says final');
  });

  // A query may show it before Temporal lets the run go on, see docs/asking.md.
  test('takes a decision that came before it was made, where the run goes on with both at once', async () => {
    const both = { ...calls(['write', { text: 'one' }], ['write', { text: 'two' }]), delay: 1000 };
    const { result, run, session } = await begin([both, done], attended, { parallel: true });
    await expect.poll(() => run.model.requests.length).toBe(1);
    await run.replaceWorker({}, 'nowhere');
    await approve(session, { id: 't1', action: 'deny', reason: 'Not on a Sunday' });
    await say(session, { questionId: 't2', answer: 'yes' });
    await run.replaceWorker({});
    expect(await result()).toMatchObject({ answer: 'Done.' });
    expect(lastResults(run)).toEqual(['Error: not run: a person refused it: Not on a Sunday', 'wrote two']);
  });

  test('runs with the arguments that a person has given, and the agent is told them', async () => {
    const { result, run, session } = await begin([write, done]);
    await asked(session);
    await approve(session, { id: 't1', action: 'edit', arguments: { text: 'two' } });
    await result();
    expect(lastResults(run)).toEqual([
      'wrote two\n\n[A person changed the arguments of this call. It ran with {\n  "text": "two"\n}]',
    ]);
    expect(await eventsOf(session)).toContainEqual(
      expect.objectContaining({ type: 'approval_resolved', how: 'edited', arguments: '{\n  "text": "two"\n}' }),
    );
  });

  test('with always is not asked for again in the run, also not by calls that wait already', async () => {
    const both = calls(['write', { text: 'one' }], ['write', { text: 'two' }]);
    const { result, run, session } = await begin([both, write, done], attended, { parallel: true });
    expect((await asked(session, 2)).map(({ arguments: given = '' }) => JSON.parse(given) as object)).toEqual([
      { text: 'one' },
      { text: 'two' },
    ]);
    await approve(session, { id: 't2', action: 'allow', always: true });
    await result();
    expect(lastResults(run)).toEqual(['wrote one', 'wrote two', 'wrote one']);
    expect((await eventsOf(session)).filter(({ type }) => type === 'approval_requested')).toHaveLength(2);
  });

  test('that is refused with always is refused for all of the run', async () => {
    const { result, run, session } = await begin([write, write, done]);
    await asked(session);
    await approve(session, { id: 't1', action: 'deny', reason: 'Never', always: true });
    await result();
    const refusal = 'Error: not run: a person refused it: Never';
    expect(lastResults(run)).toEqual([refusal, refusal + again]);
    expect(await eventsOf(session)).toContainEqual(expect.objectContaining({ type: 'tool_denied', why: 'person' }));
  });

  test('does not hold up calls beside it that need no leave', async () => {
    const both = calls(['write', { text: 'one' }], ['echo', { text: 'two' }]);
    const { result, run, session } = await begin([both, done], attended, { parallel: true });
    await asked(session);
    await expect
      .poll(async () => (await eventsOf(session)).filter(({ type }) => type === 'tool_ended'))
      .toMatchObject([{ tool: 'echo' }]);
    await approve(session, { id: 't1', action: 'allow' });
    await result();
    expect(lastResults(run)).toEqual(['wrote one', 'two']);
  });

  test('is denied where nobody is there, which says how to allow it', async () => {
    const { result, run } = await begin([write, done], {});
    const { warnings } = await result();
    expect(warnings).toEqual([expect.stringContaining('--yes') as string]);
    expect(lastResults(run)).toEqual([
      expect.stringMatching(/^Error: not run: .*--yes.*\{tool: write, action: allow\}/),
    ]);
  });

  test('needs no leave where a rule allows it, and none helps where a rule denies it', async () => {
    const permissions = [
      { tool: 'write', arguments: { text: '/etc/*' }, action: 'deny' },
      { tool: 'write', action: 'allow' },
    ];
    const both = calls(['write', { text: 'one' }], ['write', { text: '/etc/passwd' }]);
    const { result, run } = await begin([both, done], { permissions });
    expect(await result()).toMatchObject({ warnings: [] });
    expect(lastResults(run)).toEqual(['wrote one', 'Error: not run: the permissions of this run do not allow it']);
  });

  test('a rule asks for a harmless tool too, and no person can edit a call into what a rule denies', async () => {
    const permissions = [
      { tool: 'echo', arguments: { text: 'secret*' }, action: 'deny' },
      { tool: 'echo', action: 'ask' },
    ];
    const { result, run, session } = await begin([call('echo', { text: 'one' }), done], { permissions });
    await asked(session);
    await approve(session, { id: 't1', action: 'edit', arguments: { text: 'secret one' } });
    await result();
    expect(lastResults(run)).toEqual([expect.stringMatching(/^Error: not run: .* permissions of this run/)]);
  });
});

describe('the same call that is refused a third time for the same reason', () => {
  const permissions = [{ tool: 'write', action: 'deny' }];
  const refusal = 'Error: not run: the permissions of this run do not allow it';
  const why = 'the same call of write was refused 3 times: not run: the permissions of this run do not allow it';

  test('has its agent make its last reply, and the result says why', async () => {
    const { result, run } = await begin([write, write, write, done], { permissions });
    expect(await result()).toMatchObject({ answer: 'Done.', outcome: 'limit', warnings: [why] });
    expect(lastResults(run)).toEqual([refusal, refusal + again, refusal + again]);
    expect(run.model.requests.at(-1)?.prompt).toContain('no tools are available any more');
  });

  test('has one that works by react give the best answer that it has', async () => {
    const cycle = [{ text: 'Hm.' }, write, { text: 'Oh.' }];
    const run = prepared(running(inTurn([...cycle, ...cycle, ...cycle])));
    const config = agentOf('openai', { react: {} }, ['kit'], { permissions });
    const session = await run.startSession({ config, text: 'Go.' });
    // The third observation in the script is the answer, since nothing is observed any more.
    expect(await session.result()).toMatchObject({ answer: 'Oh.', outcome: 'limit', warnings: [why] });
    expect(run.model.requests.at(-1)?.prompt).toContain(why);
  });

  test('puts an agent of a team out, and the others go on', async () => {
    const act = teamScript({
      answer: ({ agent }) => (agent === 'agent_a' ? write : answer('Mine.')),
      vote: () => vote('agent2'),
    });
    const run = prepared(running(act));
    const team = teamOf(['agent_a', 'agent_b'], { type: 'openai' }, { max_orchestration_restarts: 0 }, { permissions });
    const [first, ...others] = team.agents;
    const config = { ...team, agents: [{ ...first, tool_packages: ['kit'] }, ...others] };
    const handle = await run.start({ task: 'Write.', config });
    expect(await handle.result()).toMatchObject({ finalAgent: 'agent_b', outcome: 'degraded' });
    expect(await eventsOf(handle)).toContainEqual(
      expect.objectContaining({ type: 'out', agent: 'agent_a', reason: why }),
    );
  });

  test('fails a subtask whose agent does not end it either', async () => {
    const act = solveScript({ work: ({ time }) => (time > 3 ? { text: 'It cannot be written.' } : write) });
    const run = prepared(running(act));
    const plan = { backend: { type: 'openai' }, executor: { tool_packages: ['kit'] } };
    const handle = await run.startSolve({ problem: 'Write.', config: { plan, permissions } });
    await handle.result();
    const failed = (await eventsOf(handle)).find(({ type }) => type === 'subtask_failed');
    expect(failed).toMatchObject({ error: `${why}; it said last: It cannot be written.` });
  });
});

describe('a command line', () => {
  const runs = (command: string): [string, object] => ['run_command', { command }];

  /** Starts a turn of an agent whose `run_command` only says what it was to run. */
  async function beginCommands(replies: Scripted[], permissions: object[]) {
    const run = running(inTurn(replies));
    writeFileSync(
      join(run.home, 'shell.ts'),
      `const parameters = { type: 'object', properties: { command: { type: 'string' } }, required: ['command'] };
export const tools = [{ name: 'run_command', description: 'Run.', parameters, sideEffects: true,
  execute: ({ command }: { command: string }) => 'ran ' + command }];
`,
    );
    const config = agentOf('openai', { simple: { parallel: true } }, ['shell'], { ...attended, permissions });
    return { run, session: await run.startSession({ config, text: 'Go.' }) };
  }

  const rule = (command: string, action: string) => ({ tool: 'run_command', arguments: { command }, action });

  test('runs unasked only if rules allow each of its commands', async () => {
    const both = calls(runs('ls && git status'), runs('ls; rm -rf build'));
    const { run, session } = await beginCommands([both, done], [rule('ls*', 'allow'), rule('git *', 'allow')]);
    expect((await asked(session))[0]?.arguments).toContain('ls; rm -rf build');
    await approve(session, { id: 't1', action: 'deny', reason: 'Keep it' });
    await session.result();
    expect(lastResults(run)).toEqual(['ran ls && git status', 'Error: not run: a person refused it: Keep it']);
  });

  test('of which a rule may deny something is asked for, whatever was allowed always', async () => {
    const some = calls(runs('date'), runs('$X -rf build'));
    const more = calls(runs('date -u'), runs('ls; rm -rf build'), runs('$Y -rf build'));
    const { run, session } = await beginCommands([some, more, done], [rule('rm *', 'deny')]);
    await asked(session, 2);
    await approve(session, { id: 't1', action: 'allow', always: true });
    await expect.poll(async () => (await waiting(session)).map(({ questionId }) => questionId)).toEqual(['t2']);
    await approve(session, { id: 't2', action: 'allow' });
    await expect.poll(async () => (await waiting(session)).map(({ questionId }) => questionId)).toEqual(['t3']);
    await approve(session, { id: 't3', action: 'deny' });
    await session.result();
    expect(lastResults(run)).toEqual([
      'ran date',
      'ran $X -rf build',
      'ran date -u',
      'Error: not run: the permissions of this run do not allow it',
      'Error: not run: a person refused it',
    ]);
  });
});

test('decisions by the signal answer are taken if they name the call, in words', async () => {
  const { result, run, session } = await begin([write, write, write, done]);
  const wait = (id: string) => expect.poll(async () => (await waiting(session))[0]?.questionId).toBe(id);
  await wait('t1');
  await say(session, { questionId: 't1', answer: 'Well…' });
  await say(session, { answer: 'yes' });
  await say(session, { questionId: 't1', answer: 'yes' });
  await wait('t2');
  await say(session, { questionId: 't2', answer: 'no, one is enough' });
  await wait('t3');
  await say(session, { questionId: 't3', answer: '' });
  await result();
  expect(lastResults(run)).toEqual([
    'wrote one',
    'Error: not run: a person refused it: one is enough',
    'Error: not run: a person refused it',
  ]);
  expect((await eventsOf(session)).filter(({ type }) => type === 'warning')).toHaveLength(2);
});

test('decisions before a call, that say nothing, or about another call, and a second one, are ignored with a warning', async () => {
  const replied = Promise.withResolvers<void>();
  const { result, run, session } = await begin([{ ...write, hold: () => replied.promise }, done]);
  const warnings = async () => (await eventsOf(session)).filter(({ type }) => type === 'warning');
  await expect.poll(() => run.model.requests.length).toBe(1);
  // Nobody has seen yet what these allow.
  await approve(session, { id: 't1', action: 'allow' });
  await say(session, { questionId: 't1', answer: 'yes' });
  await expect.poll(warnings).toHaveLength(2);
  replied.resolve();
  await asked(session);
  await session.signal('approve', { id: 't1', action: 'yes' });
  await approve(session, { id: 't2', action: 'allow' });
  await say(session, { questionId: 't1', answer: 'Well…' });
  await expect.poll(warnings).toHaveLength(5);
  expect(await waiting(session)).toHaveLength(1);
  await Promise.all([approve(session, { id: 't1', action: 'deny' }), approve(session, { id: 't1', action: 'deny' })]);
  await result();
  expect(lastResults(run)).toEqual(['Error: not run: a person refused it']);
  expect(await warnings()).toHaveLength(6);
});

describe('waiting', () => {
  test('a question of an agent and a call that needs approval wait side by side, each with its own answer', async () => {
    const replies = [calls(['ask_others', { question: 'Which color?' }], ['write', { text: 'one' }]), done];
    const { result, run, session } = await begin(replies, { coordination: { broadcast: 'human' } }, { parallel: true });
    const pending = await asked(session, 2);
    expect(pending.map(({ kind }) => kind).toSorted()).toEqual(['question', 'tool']);
    expect(pending.every(({ expiresAt }) => expiresAt !== null)).toBe(true);
    await say(session, { answer: 'Blue' });
    await approve(session, { id: 't1', action: 'allow' });
    expect((await result()).humanQa).toEqual([{ question: 'Which color?', answer: 'Blue' }]);
    expect(lastResults(run)[1]).toBe('wrote one');
  });

  test('ends in a denial when the time for an answer is up, and later calls are denied until a sign of the person', async () => {
    const back = Promise.withResolvers<void>();
    const third: Scripted = { ...write, hold: () => back.promise };
    const coordination = { broadcast: 'human', broadcast_timeout: 1 };
    const { result, run, session } = await begin([write, write, third, done], { coordination });
    await expect.poll(() => run.model.requests.length).toBe(3);
    expect(lastResults(run)).toEqual([
      'Error: not run: nobody allowed it in time',
      'Error: not run: a person did not decide about an earlier call in time',
    ]);
    await say(session, { answer: 'I am back' });
    back.resolve();
    // Whether it is allowed in time is not the matter here.
    await result();
    const events = await eventsOf(session);
    expect(events.filter(({ type }) => type === 'approval_requested')).toHaveLength(2);
    expect(events.filter(({ type }) => type === 'tool_denied')).toContainEqual(
      expect.objectContaining({ why: 'silent' }),
    );
  });

  test('ends when the run is cancelled', async () => {
    const { result, session } = await begin([write, done]);
    await asked(session);
    await session.cancel();
    expect(await result()).toMatchObject({ outcome: 'cancelled' });
    expect(await waiting(session)).toEqual([]);
    expect(await eventsOf(session)).toContainEqual(
      expect.objectContaining({ type: 'approval_resolved', how: 'withdrawn' }),
    );
  });
});

test('what holds always in a session survives its turns, and the runs that a long one continues in', async () => {
  const many = calls(...Array.from({ length: 40 }, (): [string, object] => ['echo', { text: 'x' }]));
  const run = prepared(running(inTurn([write, done, many, done, many, done, many, done, write, done])));
  const session = await run.startSession({
    config: agentOf('openai', { simple: { parallel: true } }, ['kit'], attended),
  });
  const turn = (text: string) => session.executeUpdate<TurnResult, [string]>('handleText', { args: [text] });
  const { runId } = await session.describe();
  const first = turn('One.');
  await asked(session);
  await approve(session, { id: 't1', action: 'allow', always: true });
  expect(await first).toMatchObject({ answer: 'Done.' });
  for (const text of ['Two.', 'Three.', 'Four.']) await turn(text);
  await expect.poll(async () => (await session.describe()).runId).not.toBe(runId);
  expect(await turn('Five.')).toMatchObject({ answer: 'Done.' });
  expect(lastResults(run).at(-1)).toBe('wrote one');
  expect((await eventsOf(session)).some(({ type }) => type === 'approval_requested')).toBe(false);
});

test('after a reset a call is asked for again, since the decision may have been about another one', async () => {
  const { result, run, session } = await begin((seen) => (toolResults(seen).length === 0 ? write : done));
  await asked(session);
  await approve(session, { id: 't1', action: 'allow', always: true });
  await result();
  const { events } = await session.fetchHistory();
  const [first] = (events ?? []).filter((event) => event.workflowTaskCompletedEventAttributes);
  const { runId } = await run.client.workflowService.resetWorkflowExecution({
    namespace: 'default',
    workflowExecution: { workflowId: session.workflowId },
    workflowTaskFinishEventId: first?.eventId ?? null,
    requestId: 'reset',
    reason: 'test',
  });
  const again = run.client.workflow.getHandle(session.workflowId, runId);
  await asked(again);
  expect((await eventsOf(again)).filter(({ type }) => type === 'warning')).toMatchObject([
    { text: 'A signal approve is ignored: no tool call waits for approval yet' },
  ]);
  await approve(again, { id: 't1', action: 'deny' });
  expect(await again.result()).toMatchObject({ answer: 'Done.' });
  expect(lastResults(run)).toEqual(['Error: not run: a person refused it']);
});

test('subtasks of a plan ask for approval under their own names', async () => {
  const script = solveScript({
    plan: () => subtasks({ id: 's1', description: 'Write it.' }),
    work: (request) => (toolResults(request).length === 0 ? write : completed('Written.')),
  });
  const run = prepared(running(script));
  const plan = { backend: { type: 'openai' }, executor: { tool_packages: ['kit'] } };
  const handle = await run.startSolve({ problem: 'Write.', config: { plan, attended: true } });
  expect(await asked(handle)).toMatchObject([{ from: 's1', tool: 'write' }]);
  await approve(handle, { id: 't1', action: 'allow' });
  expect(await handle.result()).toMatchObject({ outcome: 'complete' });
});
