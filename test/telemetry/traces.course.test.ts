import { AsyncLocalStorage } from 'node:async_hooks';
import { context, propagation, ROOT_CONTEXT, trace, type Context, type ContextManager } from '@opentelemetry/api';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import { TracerProvider } from '@opentelemetry/sdk-trace';
import type { WorkflowHandle } from '@temporalio/client';
import { afterAll, beforeAll, expect, inject, onTestFinished, test } from 'vitest';
import { connect } from '../../src/client.ts';
import { agentOf, call, inTurn, writeKit } from '../support/agent-script.ts';
import type { Script } from '../support/model-server.ts';
import { startCollector, type Collector, type ReceivedSpan } from '../support/otlp.ts';
import { researchScript } from '../support/research-script.ts';
import { running, type Running } from '../support/running.ts';
import { completed, failed, invalid, solveScript, subtasks, valid } from '../support/solve-script.ts';
import { answer, restart, submit, teamOf, teamScript } from '../support/team-script.ts';

const secret = 'sesame-1234';
const openai = { type: 'openai', model: 'gpt-6.2-sol' };

let collector: Collector;
let run: Running;
let script: Script;
beforeAll(async () => {
  collector = await startCollector();
  run = await running((seen) => script(seen), {
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.address,
    OTEL_EXPORTER_OTLP_HEADERS: 'x-team=blue%20sky',
    OTEL_SERVICE_NAME: 'the-worker',
    OTEL_BSP_SCHEDULE_DELAY: '50',
  });
  writeKit(run.home);
});
afterAll(async () => {
  await run[Symbol.asyncDispose]();
  await collector.close();
});

const isRunSpan = ({ name }: ReceivedSpan): boolean => name.startsWith('invoke_workflow ');

/** The spans of a run, once its own one has come, which is the last. */
async function spansOf(handle: Pick<WorkflowHandle, 'describe'>): Promise<ReceivedSpan[]> {
  const { runId } = await handle.describe();
  const ofRun = () => collector.spans.filter(({ attributes }) => attributes['run_id'] === runId);
  await expect.poll(() => ofRun().some(isRunSpan)).toBe(true);
  const { trace } = ofRun().find(isRunSpan) as ReceivedSpan;
  return collector.spans.filter((span) => span.trace === trace);
}

/** The spans right below one, in the order in which they began. */
const below = (spans: ReceivedSpan[], parent: ReceivedSpan): ReceivedSpan[] =>
  spans.filter((span) => span.parent === parent.id).toSorted((one, other) => one.start - other.start);
const named = (spans: ReceivedSpan[], name: string): ReceivedSpan[] => spans.filter((span) => span.name === name);
const values = (spans: ReceivedSpan[], key: string): unknown[] => spans.map(({ attributes }) => attributes[key]);

/** Checks what holds for every trace of a run: one root, which is the run's own span, no span twice, all parents there. */
function expectOneTree(spans: ReceivedSpan[]): ReceivedSpan {
  const ids = spans.map(({ id }) => id);
  expect(new Set(ids).size).toBe(ids.length);
  const roots = spans.filter(({ parent }) => !ids.includes(parent));
  expect(roots.map(({ name }) => name)).toEqual([expect.stringMatching(/^invoke_workflow /)]);
  const [root] = roots as [ReceivedSpan];
  for (const span of spans) expect(span).toMatchObject({ service: 'the-worker', message: '', events: 0 });
  return root;
}

test('a team’s run is one trace: its agents in each attempt, and below each its model calls with tokens, cost and tries', async () => {
  let requests = 0;
  const team = teamScript({ decide: ({ attempt }) => (attempt === 1 ? restart(secret, secret) : submit()) });
  script = (seen) => (requests++ === 0 ? { status: 503 } : team(seen));
  const config = teamOf(['agent_a', 'agent_b'], { ...openai, temperature: 0.4, max_tokens: 500 });
  const handle = await run.start({ task: `Open ${secret}.`, config });
  const { usage } = (await handle.result()) as { usage: { costUsd: number } };

  const spans = await spansOf(handle);
  const root = expectOneTree(spans);
  expect(root.parent).toBe('');
  expect(root.attributes).toMatchObject({
    'gen_ai.operation.name': 'invoke_workflow',
    'gen_ai.workflow.name': 'orchestration',
    'gen_ai.conversation.id': handle.workflowId,
    'reprise.outcome': 'submitted',
  });
  const agents = below(spans, root).filter(({ name }) => name.startsWith('invoke_agent'));
  expect(agents.map(({ attributes, name }) => `${name} ${String(attributes['reprise.attempt'])}`).toSorted()).toEqual([
    'invoke_agent agent_a 1',
    'invoke_agent agent_a 2',
    'invoke_agent agent_b 1',
    'invoke_agent agent_b 2',
  ]);
  for (const agent of agents) {
    const calls = below(spans, agent);
    expect(new Set(calls.map(({ name }) => name))).toEqual(new Set(['chat gpt-6.2-sol']));
    expect(agent.start).toBeLessThanOrEqual(Math.min(...calls.map(({ start }) => start)));
    const paid = calls.filter(({ isError }) => !isError);
    expect(agent.attributes).toMatchObject({
      'gen_ai.usage.input_tokens': 10 * paid.length,
      'gen_ai.usage.output_tokens': 5 * paid.length,
      'reprise.calls': paid.length,
    });
  }
  const sum = (of: ReceivedSpan[]): number =>
    values(of, 'reprise.cost.usd').reduce<number>((all, cost) => all + Number(cost ?? 0), 0);
  expect(sum(agents)).toBeCloseTo(usage.costUsd, 8);
  const chats = named(spans, 'chat gpt-6.2-sol');
  expect(sum(chats)).toBeCloseTo(usage.costUsd, 8);

  const failed = chats.filter(({ isError }) => isError);
  expect(failed).toHaveLength(1);
  const again = chats.filter(({ attributes }) => attributes['reprise.try'] === 2);
  expect(again).toHaveLength(1);
  expect(failed[0]?.attributes).toMatchObject({ 'reprise.try': 1, 'error.type': 'ServerError' });
  expect(again[0]).toMatchObject({ parent: failed[0]?.parent, kind: 3 });
  expect(again[0]?.attributes).toEqual({
    'gen_ai.operation.name': 'chat',
    'gen_ai.provider.name': 'openai',
    'gen_ai.request.model': 'gpt-6.2-sol',
    'gen_ai.request.temperature': 0.4,
    'gen_ai.request.max_tokens': 500,
    'gen_ai.request.stream': true,
    'gen_ai.response.model': 'gpt-6.2-sol',
    'gen_ai.response.finish_reasons': ['tool_calls'],
    'gen_ai.usage.input_tokens': 10,
    'gen_ai.usage.output_tokens': 5,
    'gen_ai.usage.cache_read.input_tokens': 0,
    'gen_ai.agent.name': failed[0]?.attributes['gen_ai.agent.name'],
    'gen_ai.conversation.id': handle.workflowId,
    'server.address': '127.0.0.1',
    'server.port': Number(new URL(run.model.openai).port),
    'reprise.attempt': 1,
    'reprise.cost.usd': 0.00007,
    'reprise.purpose': 'answer',
    'reprise.try': 2,
    temporalWorkflowId: handle.workflowId,
    run_id: (await handle.describe()).runId,
    temporalActivityId: failed[0]?.attributes['temporalActivityId'],
  });
  expect(collector.headers['x-team']).toBe('blue sky');
});

test('an agent’s tools are below it, beside its model calls; a tool that fails says so', async () => {
  script = inTurn([call('echo', { text: secret }), call('fail', { text: secret }), { text: secret }]);
  const config = agentOf('claude', { simple: {} }, ['kit']);
  const session = await run.startSession({ text: `Say ${secret}.`, config });
  await session.result();
  const spans = await spansOf(session);
  const root = expectOneTree(spans);
  const [agent] = named(below(spans, root), 'invoke_agent agent') as [ReceivedSpan];
  expect(below(spans, agent).map(({ isError, name }) => [name, isError])).toEqual([
    ['chat scripted-1', false],
    ['execute_tool echo', false],
    ['chat scripted-1', false],
    ['execute_tool fail', true],
    ['chat scripted-1', false],
  ]);
  expect(named(spans, 'execute_tool fail')[0]?.attributes).toMatchObject({
    'gen_ai.operation.name': 'execute_tool',
    'gen_ai.tool.name': 'fail',
    'gen_ai.tool.type': 'function',
    'gen_ai.agent.name': 'agent',
    'error.type': 'tool_error',
  });
  expect(named(spans, 'chat scripted-1')[0]?.attributes).toMatchObject({ 'gen_ai.provider.name': 'anthropic' });
});

test('a research run has its planner, critic and writer', async () => {
  script = researchScript();
  const search = { provider: 'folder', folder: run.home };
  const config = { research: { backend: openai, search } };
  const handle = await run.startResearch({ idea: `Ideas of ${secret}`, config });
  await handle.result();
  const spans = await spansOf(handle);
  const root = expectOneTree(spans);
  const agents = below(spans, root).filter(({ name }) => name.startsWith('invoke_agent'));
  expect(agents.map(({ name }) => name)).toEqual(['planner', 'critic', 'writer'].map((role) => `invoke_agent ${role}`));
  expect(named(spans, 'RunActivity:search').length).toBeGreaterThan(0);
});

test('a plan’s subtasks are agents of their own, and a failed one has a span in each of its rounds', async () => {
  script = solveScript({
    plan: () => subtasks('one', 'two'),
    work: ({ id, time }) => (id === 'two' && time === 1 ? failed(secret) : completed(secret)),
    validate: ({ time }) => (time === 1 ? invalid(secret) : valid),
  });
  const handle = await run.startSolve({ problem: secret, config: { plan: { backend: openai } } });
  await handle.result();
  const spans = await spansOf(handle);
  expectOneTree(spans);
  expect(values(named(spans, 'invoke_agent one'), 'reprise.attempt')).toEqual([1]);
  expect(values(named(spans, 'invoke_agent two'), 'reprise.attempt')).toEqual([1, 2]);
});

test('a run that fails has the type of its failure, and no text of it', async () => {
  script = teamScript();
  const handle = await run.start({ task: '', config: { agents: secret } });
  await expect(handle.result()).rejects.toThrow('Workflow execution failed');
  const spans = await spansOf(handle);
  const root = expectOneTree(spans);
  expect(root).toMatchObject({
    isError: true,
    attributes: { 'error.type': 'InvalidInput', 'reprise.outcome': 'failed' },
  });
});

test('each turn of a session has its agents anew', async () => {
  script = teamScript();
  const session = await run.startSession({ config: teamOf(['agent_a'], openai) });
  for (const text of ['First?', 'Second?']) await session.executeUpdate('handleText', { args: [text] });
  await session.signal('close');
  await session.result();
  const spans = await spansOf(session);
  expectOneTree(spans);
  expect(named(spans, 'invoke_agent agent_a')).toHaveLength(2);
});

test('a run that is started within a trace is part of it, on whichever worker its calls are made', async () => {
  const storage = new AsyncLocalStorage<Context>();
  const manager: ContextManager = {
    active: () => storage.getStore() ?? ROOT_CONTEXT,
    with: (active, work, self, ...given) => storage.run(active, () => work.apply(self, given)),
    bind: (_, target) => target,
    enable: () => manager,
    disable: () => manager,
  };
  const provider = new TracerProvider();
  context.setGlobalContextManager(manager);
  trace.setGlobalTracerProvider(provider);
  propagation.setGlobalPropagator(new W3CTraceContextPropagator());
  onTestFinished(() => [context, trace, propagation].forEach((api) => api.disable()));

  script = teamScript();
  await using reprise = await connect({ address: inject('temporal').address, taskQueue: run.taskQueue });
  const started = await provider.getTracer('app').startActiveSpan('request', async (span) => {
    const config = teamOf(['agent_a'], openai);
    const ask = await reprise.startOrchestration({ task: 'T', config });
    const { spanId, traceId } = span.spanContext();
    return { ask, spanId, traceId };
  });
  await started.ask.result();
  const spans = await spansOf(run.client.workflow.getHandle(started.ask.id));
  const root = expectOneTree(spans);
  expect(root.trace).toBe(started.traceId);
  // Its parent is the span of the start, which is below the request's.
  expect(root.parent).toMatch(/^[0-9a-f]{16}$/);
  expect(root.parent).not.toBe(started.spanId);
  expect(named(spans, 'chat gpt-6.2-sol').length).toBeGreaterThan(0);
});

test('a worker that takes over tells nothing twice: a replay makes no spans again', async () => {
  const held = Promise.withResolvers<void>();
  const reached = Promise.withResolvers<void>();
  let first = true;
  script = teamScript({
    async vote() {
      if (first) {
        first = false;
        reached.resolve();
        await held.promise;
      }
      return { calls: [{ name: 'vote', arguments: { agent_id: 'agent1', reason: 'r' } }] };
    },
    decide: ({ attempt }) => (attempt === 1 ? restart('Again.', 'Better.') : submit()),
    answer: ({ attempt }) => answer(`Answer ${attempt}`),
  });
  const before = run.model.requests.length;
  const handle = await run.start({ task: 'T', config: teamOf(['agent_a', 'agent_b'], openai) });
  await reached.promise;
  const replaced = run.replaceWorker({
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.address,
    OTEL_SERVICE_NAME: 'the-worker',
    OTEL_BSP_SCHEDULE_DELAY: '50',
  });
  held.resolve();
  await replaced;
  await handle.result();
  const spans = await spansOf(handle);
  const root = expectOneTree(spans);
  expect(spans.filter(isRunSpan)).toHaveLength(1);
  expect(
    values(
      below(spans, root).filter(({ name }) => name === 'invoke_agent agent_a'),
      'reprise.attempt',
    ),
  ).toEqual([1, 2]);
  expect(named(spans, 'chat gpt-6.2-sol')).toHaveLength(run.model.requests.length - before);
});

test('no prompt, answer, argument or failure’s message has left the worker', () => {
  const sent = Buffer.concat(collector.raw).toString('latin1');
  expect(sent).toContain('gpt-6.2-sol');
  expect(sent).not.toContain(secret);
});
