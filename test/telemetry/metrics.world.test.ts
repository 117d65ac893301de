import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { instruments } from '../../src/telemetry/metrics.ts';
import { agentOf, call, inTurn, writeKit } from '../support/agent-script.ts';
import type { Script } from '../support/model-server.ts';
import { startCollector, type Collector } from '../support/otlp.ts';
import { running, type Running } from '../support/running.ts';
import { ask, restart, submit, teamOf, teamScript } from '../support/team-script.ts';

const openai = { type: 'openai', model: 'gpt-6.2-sol' };

let collector: Collector;
let run: Running;
let script: Script;
beforeAll(async () => {
  collector = await startCollector();
  // Temporal's runtime is installed once for the process, by the variables of the process.
  process.env['OTEL_EXPORTER_OTLP_METRICS_ENDPOINT'] = `${collector.address}/v1/metrics`;
  process.env['OTEL_METRIC_EXPORT_INTERVAL'] = '200';
  process.env['OTEL_SERVICE_NAME'] = 'the-worker';
  run = await running((seen) => script(seen));
  writeKit(run.home);
});
afterAll(async () => {
  await run[Symbol.asyncDispose]();
  await collector.close();
});

/** The sum of a metric's points that have these attributes, and how many values a histogram's have recorded. */
function figuresOf(name: string, attributes: Record<string, unknown> = {}): { value: number; count: number } {
  const points = (collector.metrics.get(name)?.points ?? []).filter((point) =>
    Object.entries(attributes).every(([key, value]) => point.attributes[key] === value),
  );
  const sum = (each: (point: (typeof points)[number]) => number): number => points.reduce((all, p) => all + each(p), 0);
  return { value: sum(({ value }) => value), count: sum(({ count }) => count) };
}

const until = (name: string, attributes: Record<string, unknown>, value: number): Promise<void> =>
  expect.poll(() => figuresOf(name, attributes).value).toBeCloseTo(value, 8);

test('a run is counted with its tokens, its cost, its restarts, and the tries that failed', async () => {
  let requests = 0;
  const team = teamScript({ decide: ({ attempt }) => (attempt === 1 ? restart('Again.', 'Better.') : submit()) });
  script = (seen) => (requests++ === 0 ? { status: 503 } : team(seen));
  const { usage } = await run.orchestrate({ task: 'T', config: teamOf(['agent_a', 'agent_b'], openai) });
  await until('reprise.runs.ended', { 'gen_ai.workflow.name': 'orchestration', 'reprise.outcome': 'submitted' }, 1);
  await until('reprise.cost.usd', { 'gen_ai.request.model': 'gpt-6.2-sol' }, usage.costUsd);
  const model = { 'gen_ai.request.model': 'gpt-6.2-sol', 'gen_ai.provider.name': 'openai' };
  await until('gen_ai.client.token.usage', { ...model, 'gen_ai.token.type': 'input' }, usage.inputTokens);
  await until('gen_ai.client.token.usage', { ...model, 'gen_ai.token.type': 'output' }, usage.outputTokens);
  await until('reprise.restarts', { 'reprise.reason': 'final_agent' }, 1);
  await until('reprise.activity.failures', { 'reprise.activity': 'callModel', 'error.type': 'ServerError' }, 1);
  await until('reprise.activity.retries', { 'reprise.activity': 'callModel' }, 1);
  expect(figuresOf('gen_ai.client.operation.duration', model).count).toBe(usage.calls + 1);
  expect(figuresOf('gen_ai.workflow.duration').count).toBe(1);
});

test('open runs, those that wait for a person, and how the waiting ended are told', async () => {
  script = teamScript({
    answer: ({ messages }) =>
      JSON.stringify(messages).includes('Blue.')
        ? { calls: [{ name: 'new_answer', arguments: { content: 'Done.' } }] }
        : ask('Which?'),
  });
  const config = teamOf(['agent_a'], openai, { broadcast: 'human', broadcast_timeout: 600 });
  const handle = await run.start({ task: 'T', config });
  await expect.poll(async () => (await handle.query<unknown[]>('pendingQuestions')).length).toBe(1);
  await handle.signal('answer', { answer: 'Blue.' });
  await handle.result();
  await until('reprise.waits.ended', { 'reprise.wait.for': 'question', 'reprise.wait.end': 'answered' }, 1);
  expect(collector.metrics.has('reprise.runs.open')).toBe(true);
  expect(collector.metrics.has('reprise.runs.waiting')).toBe(true);
});

test('tools and the store are timed', async () => {
  script = inTurn([call('echo', { text: 'hi' }), { text: 'Done.' }]);
  const session = await run.startSession({ text: 'Say hi.', config: agentOf('openai', { simple: {} }, ['kit']) });
  await session.result();
  await expect.poll(() => figuresOf('gen_ai.execute_tool.duration', { 'gen_ai.tool.name': 'echo' }).count).toBe(1);
  expect(figuresOf('reprise.store.duration', { 'reprise.store.operation': 'commitReply' }).count).toBeGreaterThan(0);
});

test('what Reprise exports is what its table of metrics says, each of its kind and unit', async () => {
  await expect.poll(() => collector.metrics.has('reprise.event_loop.delay')).toBe(true);
  const own = [...collector.metrics.values()].filter(({ name }) => /^(?:reprise|gen_ai)\./.test(name));
  for (const { kind, name, unit } of own) expect({ kind, unit }).toMatchObject({ ...pick(name) });
  const rare = ['reprise.journal.hits', 'reprise.store.out_of_order'];
  expect(own.map(({ name }) => name).toSorted()).toEqual(
    Object.keys(instruments)
      .filter((name) => !rare.includes(name))
      .toSorted(),
  );
});

const pick = (name: string): object => {
  const { kind, unit } = instruments[name as keyof typeof instruments];
  return { kind, unit };
};

/** How Prometheus names metrics that come by OTLP (https://prometheus.io/docs/guides/opentelemetry/). */
function prometheusNames(): Set<string> {
  // Some of Reprise's own happen only when something goes wrong, and so do failed requests to Temporal.
  const rare = Object.entries(instruments).map(([name, { kind, unit }]) => ({ name, kind, unit }));
  const failures = { name: 'temporal_request_failure', kind: 'counter', unit: '' };
  const names = [...collector.metrics.values(), ...rare, failures].flatMap(({ kind, name, unit }) => {
    const base = name.replaceAll('.', '_');
    const ofUnit = unit === 's' ? `${base}_seconds` : base;
    if (kind === 'counter') return [`${ofUnit}_total`];
    return kind === 'histogram' ? ['bucket', 'sum', 'count'].map((part) => `${ofUnit}_${part}`) : [ofUnit];
  });
  return new Set(names);
}

test('each metric that the dashboard asks for is exported', () => {
  const file = new URL('../../deploy/grafana/reprise.json', import.meta.url);
  const dashboard = JSON.parse(readFileSync(file, 'utf8')) as {
    panels: Array<{ title: string; targets?: Array<{ expr: string }> }>;
  };
  const known = prometheusNames();
  const asked = dashboard.panels.flatMap(({ targets = [] }) => targets.flatMap(({ expr }) => metricsIn(expr)));
  expect(asked.length).toBeGreaterThan(15);
  expect(asked.filter((name) => !known.has(name))).toEqual([]);
});

/** The names of metrics in an expression of PromQL. */
const metricsIn = (expression: string): string[] =>
  [...expression.replaceAll(/\{[^}]*\}|by \([^)]*\)/g, ' ').matchAll(/\b(?:reprise|gen_ai|temporal)_\w+/g)].map(
    ([name]) => name,
  );
