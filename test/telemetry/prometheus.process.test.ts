import { rmSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { connect } from '../../src/client.ts';
import { startModelServer, type ModelServer } from '../support/model-server.ts';
import { Machine } from '../support/processes.ts';
import { teamOf, teamScript } from '../support/team-script.ts';
import { ownPort } from '../support/own-port.ts';

let machine: Machine;
let model: ModelServer;
let port: number;
beforeAll(async () => {
  model = await startModelServer(teamScript());
  port = await ownPort();
  machine = new Machine({
    OPENAI_API_KEY: 'test-key',
    OPENAI_BASE_URL: model.openai,
    OTEL_METRICS_EXPORTER: 'prometheus',
    OTEL_EXPORTER_PROMETHEUS_PORT: String(port),
  });
  await machine.startServer();
  await machine.startWorker();
});
afterAll(async () => {
  await Promise.all([machine.killWorker(), machine.killServer(), model.close()]);
  rmSync(machine.home, { recursive: true, force: true });
});

test('a worker serves Prometheus its own metrics and Temporal’s, by the names that the dashboard asks for', async () => {
  await using reprise = await connect({ address: machine.address });
  const run = await reprise.startOrchestration({ task: 'T', config: teamOf(['agent_a'], { type: 'openai' }) });
  await run.result();
  const scraped = async (): Promise<string> => (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
  await expect.poll(scraped).toContain('reprise_runs_ended_total');
  const text = await scraped();
  expect(text).toMatch(/^reprise_runs_ended_total\{[^}]*gen_ai_workflow_name="orchestration"[^}]*\} 1$/m);
  expect(text).toMatch(/^gen_ai_client_token_usage_sum\{[^}]*gen_ai_token_type="input"[^}]*\} \d+$/m);
  for (const name of [
    'gen_ai_client_operation_duration_seconds_bucket',
    'gen_ai_workflow_duration_seconds_bucket',
    'reprise_cost_usd_sum',
    'reprise_store_duration_seconds_bucket',
    'temporal_activity_schedule_to_start_latency_seconds_bucket',
    'temporal_workflow_task_schedule_to_start_latency_seconds_bucket',
    'temporal_worker_task_slots_available',
    'temporal_worker_task_slots_used',
    'temporal_request_failure_total',
  ]) {
    expect(text).toMatch(new RegExp(`^${name}[{ ]`, 'm'));
  }
});
