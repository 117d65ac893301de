import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { expect, test } from 'vitest';
import { issue } from '../../src/serve/access.ts';
import { asks, askingTeam } from '../support/asking.ts';
import type { Script } from '../support/model-server.ts';
import { sharedRunning, type SharedRunning } from '../support/running.ts';
import { ownerToken, serving, type Serving } from '../support/serving.ts';
import { teamScript } from '../support/team-script.ts';

const running = sharedRunning();

function begun(script: Script): SharedRunning {
  const run = running(script);
  writeFileSync(join(run.home, 'asking.yaml'), stringify(askingTeam(600)));
  return run;
}

const tasks = { extensions: { 'io.modelcontextprotocol/tasks': {} } };
const forms = { elicitation: { form: {} } };

interface Answered {
  result?: Record<string, any>;
  error?: { code: number; message: string };
}

/** Sends a request as a client of the generation 2026-07-28 does that knows tasks, which no released client sends by itself yet. */
async function send(
  server: Serving,
  method: string,
  params: Record<string, unknown>,
  { abilities = { ...tasks, ...forms }, token = ownerToken }: { abilities?: object; token?: string } = {},
): Promise<Answered> {
  const prefix = 'io.modelcontextprotocol';
  const meta = { [`${prefix}/protocolVersion`]: '2026-07-28', [`${prefix}/clientCapabilities`]: abilities };
  const reply = await server.fetch('/mcp', {
    method: 'POST',
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': method,
      'mcp-name': String(params['name'] ?? params['taskId']),
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { ...params, ['_meta']: meta } }),
  });
  return (await reply.json()) as Answered;
}

const askTeam = (more: object = {}) => ({
  name: 'ask_team',
  arguments: { task: 'Paint.', configuration: 'asking', ...more },
});

/** Looks at a task until it is in a state. */
async function inState(server: Serving, taskId: unknown, status: string): Promise<Record<string, any>> {
  await expect.poll(async () => (await send(server, 'tasks/get', { taskId })).result?.['status']).toBe(status);
  return (await send(server, 'tasks/get', { taskId })).result!;
}

test('a task is asked about, answered and read on three servers, with another worker, and is begun once', async () => {
  const run = begun(asks('Which colour?'));
  const first = await serving(run);
  const { result } = await send(first, 'tools/call', askTeam({ id: 'paint' }));
  expect(result).toMatchObject({ resultType: 'task', taskId: 'paint', status: 'working', ttlMs: null });
  expect((await send(first, 'tools/call', askTeam({ id: 'paint' }))).result?.['taskId']).toBe('paint');
  await first[Symbol.asyncDispose]();

  const second = await serving(run);
  const { inputRequests } = await inState(second, 'paint', 'input_required');
  const [[key, { params }]] = Object.entries<any>(inputRequests) as [[string, any]];
  expect(params).toMatchObject({ mode: 'form', message: expect.stringMatching(/^agent_a .*Which colour\?$/) });
  const inputResponses = { [key]: { action: 'accept', content: { text: 'red' } }, other: { action: 'accept' } };
  expect(await send(second, 'tasks/update', { taskId: 'paint', inputResponses })).toMatchObject({
    result: { resultType: 'complete' },
  });
  await second[Symbol.asyncDispose]();
  await run.replaceWorker({});

  await using third = await serving(run);
  const { result: told } = await inState(third, 'paint', 'completed');
  expect(told).toMatchObject({
    content: [{ type: 'text', text: expect.stringContaining('Told: red.') }],
    structuredContent: { run: 'paint', state: 'completed' },
  });
  // What was filled in before may be sent again, in vain.
  expect(await send(third, 'tasks/update', { taskId: 'paint', inputResponses })).not.toHaveProperty('error');
});

test('a client without forms is told in words what its task waits for; cancelling ends the run', async () => {
  await using server = await serving(begun(asks('Which colour?')));
  const { result } = await send(server, 'tools/call', askTeam(), { abilities: tasks });
  const taskId = result?.['taskId'];
  const looked = async () => (await send(server, 'tasks/get', { taskId }, { abilities: tasks })).result;
  await expect.poll(async () => (await looked())?.['statusMessage']).toContain('Which colour?');
  expect((await looked())?.['status']).toBe('working');
  await send(server, 'tasks/cancel', { taskId });
  await inState(server, taskId, 'cancelled');
  expect(await send(server, 'tasks/cancel', { taskId })).toHaveProperty('result');
});

test('a run that fails is a task that has come to a result, which says why', async () => {
  await using server = await serving(begun(teamScript({ answer: () => ({ status: 400 }) })));
  const { result } = await send(server, 'tools/call', askTeam());
  const { result: told } = await inState(server, result?.['taskId'], 'completed');
  expect(told).toMatchObject({
    isError: true,
    structuredContent: { state: 'failed', error: expect.stringMatching(/./) },
  });
});

test('tasks are for those who know them, and for those who may see the run', async () => {
  await using server = await serving(begun(asks('Which colour?')));
  const { result } = await send(server, 'tools/call', askTeam());
  const taskId = result?.['taskId'];
  for (const method of ['tasks/get', 'tasks/update', 'tasks/cancel']) {
    expect(await send(server, method, { taskId }, { abilities: forms })).toHaveProperty('error.code', -32021);
    expect(await send(server, method, { taskId: 'unknown' })).toHaveProperty('error.code', -32602);
    const token = issue(ownerToken, { kind: 'start', names: ['asking'] });
    expect(await send(server, method, { taskId }, { token })).toHaveProperty('error.code', -32602);
  }
  expect((await inState(server, taskId, 'input_required'))['status']).toBe('input_required');
});
