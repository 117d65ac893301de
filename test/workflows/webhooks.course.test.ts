import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { RunEvent } from '../../src/protocol/events.ts';
import { agentOf, call, inTurn, writeKit } from '../support/agent-script.ts';
import { asks, askingTeam } from '../support/asking.ts';
import { hookSecret, startHookServer, verified, type HookServer } from '../support/hook-server.ts';
import { sharedRunning, type SharedRunning } from '../support/running.ts';
import { teamOf, teamScript } from '../support/team-script.ts';
import { ownPort } from '../support/own-port.ts';

const pages = 'https://reprise.example/base/';
const running = sharedRunning(() => ({ REPRISE_WEBHOOK_SECRET: hookSecret, REPRISE_PUBLIC_URL: pages }));

let hooks: HookServer;
beforeEach(async () => {
  hooks = await startHookServer();
});
afterEach(() => hooks.close());

const alone = (notify: object[]) =>
  teamOf(['agent_a'], { type: 'openai' }, { max_orchestration_restarts: 0 }, { notify });
const came = (count: number) => expect.poll(() => hooks.received).toHaveLength(count);

/** How often the notification that is under way was tried. */
async function triesOf({ client, taskQueue }: SharedRunning): Promise<number> {
  const query = `TaskQueue = '${taskQueue}' AND WorkflowType = 'notification' AND ExecutionStatus = 'Running'`;
  for await (const { workflowId } of client.workflow.list({ query })) {
    const { raw } = await client.workflow.getHandle(workflowId).describe();
    return raw.pendingActivities?.[0]?.attempt ?? 0;
  }
  return 0;
}

describe('whoever a configuration names', () => {
  test('is told of a run that fails, and why', async () => {
    const run = running(teamScript({ answer: () => ({ status: 400 }) }));
    const handle = await run.start({ task: 'Say hello.', config: alone([{ url: `${hooks.url}/hook` }]) });
    await expect(handle.result()).rejects.toThrow('Workflow execution failed');
    await came(1);
    expect(verified(hooks.received[0]!)).toMatchObject({
      type: 'final',
      data: { workflowId: handle.workflowId, outcome: 'failed', answer: expect.stringContaining('agent_a') as string },
    });
  });

  test('is told of a question and of the end, signed, with the address where to answer', async () => {
    const run = running(asks('Which mode?'));
    const config = { ...askingTeam(300), notify: [{ url: `${hooks.url}/hook` }] };
    const handle = await run.start({ task: 'Choose a mode.\nSoon.', config });
    await came(1);
    const { workflowId } = handle;
    const about = { workflowId, workflow: 'orchestration', task: 'Choose a mode.' };
    const url = `https://reprise.example/base/runs/${workflowId}`;
    expect(verified(hooks.received[0]!)).toEqual({
      type: 'question',
      timestamp: expect.stringMatching(/^\d{4}-.*Z$/) as string,
      data: {
        ...about,
        kind: 'question',
        questionId: 'q1',
        from: 'agent_a',
        question: 'Which mode?',
        askedAt: expect.any(String) as string,
        expiresAt: expect.any(String) as string,
        url: `${url}/answer/q1`,
      },
    });
    await handle.signal('answer', { answer: 'Dark' });
    const { answer, outcome } = (await handle.result()) as { answer: string; outcome: string };
    await came(2);
    expect(verified(hooks.received[1]!)).toMatchObject({ type: 'final', data: { ...about, outcome, answer, url } });
    expect(hooks.received[0]?.headers['webhook-id']).not.toBe(hooks.received[1]?.headers['webhook-id']);
    expect(JSON.stringify(await handle.fetchHistory())).not.toContain(hookSecret.slice(6, 30));
  });

  test('is told of a tool call that waits for approval, and only of what it wants to know', async () => {
    const run = running(inTurn([call('write', { text: 'one' }), { text: 'Done.' }]));
    writeKit(run.home);
    const notify = [{ url: hooks.url, events: ['approval'] }];
    const config = agentOf('openai', { simple: {} }, ['kit'], { attended: true, notify });
    const session = await run.startSession({ config, text: 'Go.' });
    await came(1);
    expect(verified(hooks.received[0]!)).toMatchObject({
      type: 'approval',
      data: { kind: 'tool', questionId: 't1', tool: 'write', arguments: '{\n  "text": "one"\n}' },
    });
    expect(hooks.received[0]?.json.data).not.toHaveProperty('parameters');
    await session.signal('approve', { id: 't1', action: 'allow' });
    expect(await session.result()).toMatchObject({ answer: 'Done.' });
    expect(hooks.received).toHaveLength(1);
  });

  test('is tried again under the same id after an error and a cut connection', async () => {
    hooks.answers.push(500, null);
    const run = running(teamScript());
    await run.orchestrate({ task: 'T', config: alone([{ url: hooks.url, events: ['final'] }]) });
    await came(3);
    const ids = hooks.received.map(({ headers }) => headers['webhook-id']);
    expect(new Set(ids).size).toBe(1);
    expect(ids[0]).toMatch(/^msg_[\w-]+$/);
    for (const hook of hooks.received) verified(hook);
  });

  test('who cannot be reached keeps no run from its result, and is told when it can be', async () => {
    const port = await ownPort();
    const run = running(teamScript());
    const config = alone([{ url: `http://127.0.0.1:${port}`, events: ['final'] }]);
    expect(await run.orchestrate({ task: 'Late', config })).toMatchObject({ outcome: 'submitted', warnings: [] });
    await expect.poll(() => triesOf(run)).toBeGreaterThan(1);
    const late = await startHookServer(port);
    await expect.poll(() => late.received).toHaveLength(1);
    expect(verified(late.received[0]!)).toMatchObject({ data: { task: 'Late' } });
    await late.close();
  });

  test('who refuses for good is not asked again, and a session that goes on says so', async () => {
    hooks.answers.push(302);
    const run = running(inTurn([{ text: 'Hello.' }]));
    const session = await run.startSession({
      config: agentOf('openai', { simple: {} }, [], { notify: [{ url: hooks.url }] }),
    });
    await session.executeUpdate('handleText', { args: ['Hi'] });
    const notices = async () => (await session.query<RunEvent[]>('events')).filter(({ type }) => type === 'notice');
    await expect
      .poll(notices)
      .toMatchObject([{ text: `Not told of "final": ${new URL(hooks.url).host} answered with status 302` }]);
    expect(hooks.received).toHaveLength(1);
    await session.signal('close');
    expect(await session.result()).toMatchObject({ outcome: 'answered', warnings: [] });
  });

  test('is told once of each turn, also by a session that goes on in a new run', async () => {
    const run = running(({ prompt }) => ({ text: `To ${/turn \d+/.exec(prompt)?.[0] ?? ''}.` }));
    const session = await run.startSession({
      config: agentOf('openai', { simple: {} }, [], { notify: [{ url: hooks.url, events: ['final'] }] }),
    });
    let turns = 0;
    const first = (await session.describe()).runId;
    while ((await session.describe()).runId === first) {
      turns += 1;
      await session.executeUpdate('handleText', { args: [`turn ${turns}`] });
    }
    turns += 1;
    await session.executeUpdate('handleText', { args: [`turn ${turns}`] });
    await session.signal('close');
    await session.result();
    await came(turns);
    const tasks = hooks.received.map(({ json }) => String(json.data['task']));
    expect(tasks.sort()).toEqual(Array.from({ length: turns }, (_, index) => `turn ${index + 1}`).sort());
  });
});

test('what an input brings from outside is refused with the name of the flag', async () => {
  const run = running(teamScript());
  const config = alone([{ url: 'http://collector.example/in', secret_env: 'OPENAI_API_KEY' }]);
  const options = { taskQueue: run.taskQueue, workflowId: `${run.taskQueue}-outsider` };
  const handle = await run.client.workflow.start('orchestration', { ...options, args: [{ task: 'T', config }] });
  const failure = await handle.result().catch((error: unknown) => (error as { cause: Error }).cause);
  expect((failure as Error).message).toMatch(/config\.notify\[0\]\.url: .*--allow hosts=collector\.example/);
  expect((failure as Error).message).toMatch(/config\.notify\[0\]\.secret_env: /);
});

test('a notification that no run has started is sent to nobody', async () => {
  const run = running(teamScript());
  const { client, taskQueue } = run;
  const notification = {
    type: 'final',
    timestamp: '',
    data: { workflowId: 'victim', workflow: 'orchestration', task: '' },
  };
  const entry = { url: hooks.url, events: ['final'], format: 'standard', seal: 'x' };
  const handle = await client.workflow.start('notification', {
    taskQueue,
    workflowId: `${taskQueue}-forged`,
    args: [{ entries: [entry], notification }],
  });
  const failure = await handle.result().catch((error: unknown) => (error as { cause: Error }).cause);
  expect((failure as Error).message).toContain('not sent for what it has not started itself');
  expect(hooks.received).toEqual([]);
});
