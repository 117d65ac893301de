import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { BaseEvent } from '@ag-ui/client';
import { describe, expect, test } from 'vitest';
import { ownDocs } from '../../src/config/search-services.ts';
import { issue } from '../../src/serve/access.ts';
import { agentOf, call, calls, inTurn, toolResults, writeKit } from '../support/agent-script.ts';
import { Conversation } from '../support/agui.ts';
import type { Script, Scripted } from '../support/model-server.ts';
import { researchScript } from '../support/research-script.ts';
import { sharedRunning, type SharedRunning } from '../support/running.ts';
import { ownerToken, serving, type Serving } from '../support/serving.ts';
import { solveScript } from '../support/solve-script.ts';
import { restart, submit, teamOf, teamScript } from '../support/team-script.ts';

const running = sharedRunning();

/** A worker in whose folder there are these configurations. */
function prepared(script: Script, configs: Record<string, object>): SharedRunning {
  const run = running(script);
  writeKit(run.home);
  for (const [name, config] of Object.entries(configs))
    writeFileSync(join(run.home, `${name}.yaml`), JSON.stringify(config));
  return run;
}

const helper = agentOf('openai', { simple: {} }, ['kit']);
const asking = agentOf('openai', { simple: {} }, ['kit'], { coordination: { broadcast: 'human' } });
const parallel = agentOf('openai', { simple: { parallel: true } }, ['kit']);
const openai = { type: 'openai' };
const searched = { search: { folder: ownDocs } };

const write: Scripted = call('write', { text: 'one' });
const done: Scripted = { text: 'Done.' };

const ofType = (events: BaseEvent[], wanted: string) => events.filter(({ type }: { type: string }) => type === wanted);

/** Does something with a server that is gone afterwards. */
async function onAnother<T>(run: SharedRunning, act: (server: Serving) => Promise<T>): Promise<T> {
  await using server = await serving(run);
  return await act(server);
}

describe('a run', () => {
  test('of one agent is what it says, its tool calls with arguments and results, and a success', async () => {
    const run = prepared(inTurn([call('echo', { text: 'hello' }), done]), { helper });
    await using server = await serving(run);
    const thread = new Conversation('helper');
    const got = await thread.say(server, 'Go.');
    expect(got).toMatchObject({ error: undefined, outcome: { type: 'success' }, result: { outcome: 'answered' } });
    expect(thread.said).toEqual(['Done.']);
    expect(got.types.slice(0, 2)).toEqual(['RUN_STARTED', 'STATE_SNAPSHOT']);
    const about = { toolCallName: 'echo', metadata: { agent: 'agent' } };
    expect(ofType(got.events, 'TOOL_CALL_START')).toMatchObject([about]);
    expect(ofType(got.events, 'TOOL_CALL_ARGS')).toMatchObject([{ delta: '{"text":"hello"}' }]);
    expect(ofType(got.events, 'TOOL_CALL_RESULT')).toMatchObject([{ content: 'hello' }]);
  });

  test('of a team shows its agents, votes, attempts and restarts as its state, and says the answer alone', async () => {
    const decide = ({ attempt }: { attempt: number }) => (attempt === 1 ? restart('Too short', 'Say more') : submit());
    const team = teamOf(['agent_a', 'agent_b'], openai);
    const run = prepared(teamScript({ decide }), { team });
    await using server = await serving(run);
    const thread = new Conversation('team');
    const got = await thread.say(server, 'Which one?');
    expect(got.outcome).toEqual({ type: 'success' });
    expect(thread.said).toEqual([expect.stringMatching(/^The final answer, by agent_[ab]\.$/)]);
    expect(thread.agent.state).toMatchObject({
      run: (got.result as { run: string }).run,
      turn: 1,
      attempt: 2,
      restarts: [{ attempt: 1, reason: 'Too short', instructions: 'Say more' }],
      agents: { agent_a: { answers: 1, vote: expect.any(String) as string }, agent_b: { answers: 1 } },
      usage: { calls: run.model.requests.length },
    });
    const steps = ofType(got.events, 'STEP_STARTED').map(({ stepName }) => stepName);
    expect(steps).toEqual(['attempt 1', 'voting', 'attempt 2', 'voting', 'presenting']);
    expect(got.types).toContain('REASONING_MESSAGE_CONTENT');
  });

  test('of the name reprise is the worker’s default team', async () => {
    const run = prepared(teamScript(), {});
    await using server = await serving(run, { configs: run.home });
    const thread = new Conversation('reprise');
    await thread.say(server, 'Which one?');
    expect(Object.keys(thread.agent.state.agents as object)).toEqual(['agent_a', 'agent_b', 'agent_c']);
  });

  test('goes on with what was said in the thread, before its first turn and in each', async () => {
    const run = prepared(({ prompt }) => ({ text: `Seen ${prompt.length}.` }), { helper });
    await using server = await serving(run);
    const thread = new Conversation('helper');
    thread.agent.setMessages([
      { id: '1', role: 'user', content: 'My name is Ada.' },
      { id: '2', role: 'assistant', content: 'Hello Ada.' },
    ]);
    await thread.say(server, 'And yours?');
    await onAnother(run, (other) => thread.say(other, 'And now?'));
    const texts = run.model.requests.map(({ messages }) => messages.map(({ text }) => text));
    expect(texts[0]).toEqual(expect.arrayContaining(['My name is Ada.', 'Hello Ada.', 'And yours?']));
    expect(texts[1]).toEqual([...texts[0]!, thread.said[1], 'And now?']);
  });

  test('whose turn fails is an error with the reason, and the thread goes on', async () => {
    const failing: Scripted = { status: 400, errorBody: '{"error":{"message":"broken on purpose"}}' };
    const run = prepared(inTurn([failing, done]), { helper });
    await using server = await serving(run);
    const thread = new Conversation('helper');
    const got = await thread.say(server, 'Go.');
    expect(got.types.at(-1)).toBe('RUN_ERROR');
    expect(got.error).toContain('broken on purpose');
    expect(await thread.say(server, 'Again.')).toMatchObject({ outcome: { type: 'success' } });
  });

  test('of a plan shows its subtasks', async () => {
    const run = prepared(solveScript(), { plan: { plan: { backend: openai } } });
    await using server = await serving(run);
    const thread = new Conversation('plan');
    const got = await thread.say(server, 'Solve it.');
    expect(got).toMatchObject({ error: undefined, outcome: { type: 'success' }, result: { outcome: 'complete' } });
    expect(thread.said).toEqual(['The answer.']);
    expect(thread.agent.state).toMatchObject({ subtasks: { step_1: 'completed' } });
  });
});

describe('the same request again', () => {
  test('is the same turn, on any server, also when it has ended', async () => {
    const run = prepared(inTurn([call('echo', { text: 'hello' }), done]), { helper });
    const thread = new Conversation('helper');
    const runId = randomUUID();
    const first = await onAnother(run, (server) => thread.say(server, 'Go.', { runId }));
    const again = new Conversation('helper', ownerToken, thread.agent.threadId);
    const second = await onAnother(run, (server) => again.say(server, 'Go.', { runId }));
    expect(second.types).toEqual(first.types);
    expect(second.events.slice(2)).toEqual(first.events.slice(2));
    expect(run.model.requests).toHaveLength(2);
  });

  test('finds the turn that went on while nobody read it', async () => {
    const reached = Promise.withResolvers<void>();
    const answered = Promise.withResolvers<Scripted>();
    const run = prepared(() => (reached.resolve(), answered.promise), { helper });
    const thread = new Conversation('helper');
    const runId = randomUUID();
    const abortController = new AbortController();
    await onAnother(run, async (server) => {
      thread.agent.addMessage({ id: '1', role: 'user', content: 'Go.' });
      const aborted = thread.run(server, { runId, abortController });
      await reached.promise;
      abortController.abort();
      await aborted;
    });
    answered.resolve(done);
    const got = await onAnother(run, (server) => thread.run(server, { runId }));
    expect(got.outcome).toEqual({ type: 'success' });
    expect(thread.said).toEqual(['Done.']);
    expect(run.model.requests).toHaveLength(1);
  });
});

describe('an interrupt', () => {
  test('is answered on another server than the one that asked, all servers and the worker having ended between', async () => {
    const ask = call('ask_others', { question: 'Dark or light?' });
    const run = prepared(inTurn([ask, write, done]), { asking });
    const thread = new Conversation('asking');

    const first = await onAnother(run, (server) => thread.say(server, 'Go.'));
    expect(first.interrupts).toMatchObject([
      { reason: 'input_required', message: 'Dark or light?', metadata: { from: 'agent' } },
    ]);
    expect(first.interrupts[0]?.responseSchema).toMatchObject({ required: ['answer'] });
    await run.replaceWorker({});
    const [question] = first.interrupts;
    const resume = [{ interruptId: question!.id, status: 'resolved' as const, payload: { answer: 'Dark' } }];
    const second = await onAnother(run, (server) => thread.run(server, { resume }));
    expect(second.interrupts).toMatchObject([
      { reason: 'tool_call', message: expect.stringContaining('write') as string },
    ]);
    const [approval] = second.interrupts;
    const [proposed] = ofType(second.events, 'TOOL_CALL_START');
    expect(approval?.toolCallId).toBe(proposed?.toolCallId);
    await run.replaceWorker({});
    const allowed = [{ interruptId: approval!.id, status: 'resolved' as const, payload: { approved: true } }];
    const third = await onAnother(run, (server) => thread.run(server, { resume: allowed }));
    expect(third.outcome).toEqual({ type: 'success' });
    expect(third.types).not.toContain('TOOL_CALL_START');
    expect(ofType(third.events, 'TOOL_CALL_RESULT')).toMatchObject([
      { toolCallId: approval?.toolCallId, content: 'wrote one' },
    ]);
    expect(thread.said).toEqual(['Done.']);
    expect(run.model.requests).toHaveLength(3);
    expect(run.model.requests[1]?.prompt).toContain('Dark');
  });

  test('asks all that waits at once, and takes edited arguments that fit, and refusals', async () => {
    const both = calls(['write', { text: 'one' }], ['write', { text: 'two' }]);
    const run = prepared(inTurn([both, done]), { parallel });
    await using server = await serving(run);
    const thread = new Conversation('parallel');
    const { interrupts } = await thread.say(server, 'Go.');
    expect(interrupts).toHaveLength(2);
    const [one, two] = interrupts.map(({ id }) => id) as [string, string];
    expect(interrupts[0]?.responseSchema).toMatchObject({
      properties: { editedArgs: { properties: { text: { type: 'string' } }, required: ['text'] } },
    });
    const refused = { interruptId: two, status: 'cancelled' as const };
    const edited = (editedArgs: object) => [
      { interruptId: one, status: 'resolved' as const, payload: { approved: true, editedArgs } },
      refused,
    ];
    const wrong = await thread.run(server, { resume: edited({ words: 'three' }) });
    expect(wrong.error).toMatch(/editedArgs: the arguments of write do not fit: .*text/);
    const right = await thread.run(server, { resume: edited({ text: 'three' }) });
    expect(right.outcome).toEqual({ type: 'success' });
    expect(toolResults(run.model.requests.at(-1)!)).toEqual([
      expect.stringContaining('wrote three'),
      'Error: not run: a person refused it',
    ]);
    expect(ofType(right.events, 'TOOL_CALL_RESULT').map(({ content }) => content)).toEqual(
      expect.arrayContaining(['wrote three', expect.stringContaining('Not run')]),
    );
  });

  test('that is settled already is told, and harms nothing', async () => {
    const run = prepared(inTurn([write, done]), { parallel });
    await using server = await serving(run);
    const thread = new Conversation('parallel');
    const { interrupts } = await thread.say(server, 'Go.');
    const resume = [{ interruptId: interrupts[0]!.id, status: 'resolved' as const, payload: { approved: true } }];
    const first = await thread.run(server, { resume });
    expect(first.types).not.toContain('CUSTOM');
    const again = await thread.run(server, { resume });
    expect(again.outcome).toEqual({ type: 'success' });
    expect(ofType(again.events, 'CUSTOM')).toMatchObject([
      { name: 'reprise.settled', value: { interruptId: interrupts[0]!.id } },
    ]);
    expect(again.types.filter((type) => type !== 'CUSTOM')).toEqual(first.types);
    expect(run.model.requests).toHaveLength(2);
  });

  test('of a session that has ended is told, and the thread begins anew', async () => {
    const run = prepared(inTurn([write, done]), { helper });
    await using server = await serving(run);
    const thread = new Conversation('helper');
    const { interrupts } = await thread.say(server, 'Go.');
    const { run: id } = thread.agent.state as { run: string };
    await server.reprise.getRun(id).terminate();
    const resume = [{ interruptId: interrupts[0]!.id, status: 'resolved' as const, payload: { approved: true } }];
    const got = await thread.run(server, { resume });
    expect(got).toMatchObject({ error: undefined, outcome: { type: 'cancelled' } });
    expect(ofType(got.events, 'CUSTOM')).toHaveLength(1);
    expect(await thread.say(server, 'Again.')).toMatchObject({ outcome: { type: 'success' } });
    const late = await thread.run(server, { resume });
    expect(late.types).toEqual(['RUN_STARTED', 'CUSTOM', 'RUN_FINISHED']);
  });

  test('goes before a new message, which is refused and says what waits', async () => {
    const run = prepared(inTurn([write, done]), { helper });
    await using server = await serving(run);
    const thread = new Conversation('helper');
    const { interrupts } = await thread.say(server, 'Go.');
    const reloaded = new Conversation('helper', ownerToken, thread.agent.threadId);
    const { error } = await reloaded.say(server, 'Hello?');
    expect(error).toContain(interrupts[0]!.id);
    expect(error).toContain('May it run write?');
    expect(run.model.requests).toHaveLength(1);
  });

  test('tells that a key is missing, and goes on when a worker has it', async () => {
    const run = prepared(inTurn([done, done]), { helper });
    await using server = await serving(run);
    const thread = new Conversation('helper');
    await thread.say(server, 'Go.');
    await run.replaceWorker({ OPENAI_API_KEY: undefined });
    const { interrupts } = await thread.say(server, 'Again.');
    expect(interrupts).toMatchObject([{ reason: 'reprise:missing_key', message: 'needs OPENAI_API_KEY on a worker' }]);
    await run.replaceWorker({});
    const resume = [{ interruptId: interrupts[0]!.id, status: 'resolved' as const }];
    expect(await thread.run(server, { resume })).toMatchObject({ outcome: { type: 'success' } });
  });

  test('of a research asks whether its plan is good enough', async () => {
    const research = { research: { backend: openai, ...searched, approval: true } };
    const run = prepared(researchScript(), { research });
    await using server = await serving(run);
    const thread = new Conversation('research');
    const { interrupts } = await thread.say(server, 'An idea.');
    expect(interrupts).toMatchObject([{ reason: 'confirmation' }]);
    const answer = (id: string, payload: object) => [{ interruptId: id, status: 'resolved' as const, payload }];
    const anew = { action: 'restart', reason: 'Too broad.', instructions: 'Only bonds.' };
    const second = await thread.run(server, { resume: answer(interrupts[0]!.id, anew) });
    expect(second.interrupts).toMatchObject([{ reason: 'confirmation' }]);
    expect(thread.agent.state).toMatchObject({ attempt: 2, score: 72, restarts: [{ attempt: 1 }] });
    const third = await thread.run(server, { resume: answer(second.interrupts[0]!.id, { action: 'accept' }) });
    expect(third).toMatchObject({ outcome: { type: 'success' }, result: { outcome: 'viable' } });
    expect(thread.said).toEqual([expect.stringContaining('On idea 2')]);
  });
});

describe('an answer that a run does not take', () => {
  test('is told, and what waits is asked again', async () => {
    const research = { research: { backend: openai, ...searched, approval: true, max_planning_iterations: 1 } };
    const run = prepared(researchScript(), { research });
    await using server = await serving(run);
    const thread = new Conversation('research');
    const { interrupts } = await thread.say(server, 'An idea.');
    const answer = (id: string, payload: object) => [{ interruptId: id, status: 'resolved' as const, payload }];
    const anew = { action: 'restart', reason: 'Too broad.', instructions: 'Only bonds.' };
    const second = await thread.run(server, { resume: answer(interrupts[0]!.id, anew) });
    expect(second.interrupts).toMatchObject([{ reason: 'confirmation' }]);
    const lines = ofType(second.events, 'REASONING_MESSAGE_CONTENT').map(({ delta }) => delta);
    expect(lines).toContain('Maximum planning iterations reached (requested by a person): Too broad.\n');
    const third = await thread.run(server, { resume: answer(second.interrupts[0]!.id, { action: 'stop' }) });
    expect(third).toMatchObject({ outcome: { type: 'success' }, result: { outcome: 'stopped' } });
  });
});

describe('a token', () => {
  test('that may only read starts nothing', async () => {
    const run = prepared(inTurn([done]), { helper });
    await using server = await serving(run);
    const headers = { authorization: `Bearer ${issue(ownerToken, { kind: 'read' })}` };
    const answer = await server.fetch('/agui/helper', { method: 'POST', headers, body: '{}' });
    expect(answer.status).toBe(403);
  });

  test('for some configurations starts these, in threads of its own', async () => {
    const run = prepared(inTurn([done, done]), { helper, asking });
    await using server = await serving(run);
    const threadId = randomUUID();
    const own = new Conversation('helper', issue(ownerToken, { kind: 'start', names: ['helper'] }), threadId);
    const owners = new Conversation('helper', ownerToken, threadId);
    await own.say(server, 'Go.');
    await owners.say(server, 'Go.');
    expect(own.agent.state.run).not.toBe(owners.agent.state.run);
    expect(owners.agent.state.turn).toBe(1);
    const headers = { authorization: `Bearer ${issue(ownerToken, { kind: 'start', names: ['helper'] })}` };
    const body = JSON.stringify({ threadId, runId: '1', messages: [{ id: '1', role: 'user', content: 'Go.' }] });
    const answer = await server.fetch('/agui/asking', { method: 'POST', headers, body });
    expect(answer.status).toBe(403);
    expect(await answer.json()).toMatchObject({ detail: 'This token may not start "asking"; it may: helper' });
  });
});
