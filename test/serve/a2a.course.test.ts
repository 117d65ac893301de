import { TaskState, type StreamResponse } from '@a2a-js/sdk';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { issue } from '../../src/serve/access.ts';
import {
  a2aServing,
  allOf,
  answerIn,
  clientOf,
  historyOf,
  lastState,
  says,
  sent,
  seqsOf,
  stateOf,
  statusText,
} from '../support/a2a.ts';
import { agentOf, call, calls, inTurn } from '../support/agent-script.ts';
import { asks } from '../support/asking.ts';
import { researchScript } from '../support/research-script.ts';
import { sharedRunning } from '../support/running.ts';
import { ownerToken } from '../support/serving.ts';
import { teamScript } from '../support/team-script.ts';

const shared = sharedRunning();

/** A point at which a script waits until it is let go on. */
function gate(): { open: () => void; passed: Promise<void> } {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { open: resolve, passed: promise };
}

/** A team whose presentation waits until it is let go on. */
function waiting() {
  const { open, passed } = gate();
  const script = teamScript({
    present: async () => {
      await passed;
      return { text: 'At last.' };
    },
  });
  return { open, script };
}

test('the card has a skill for each configuration that the token may start, and what is really there', async () => {
  await using set = await a2aServing(shared(teamScript()));
  const [server] = set.servers;
  const card = await set.client.getAgentCard();
  expect(card).toMatchObject({
    name: 'Reprise',
    supportedInterfaces: [
      { url: `${server.url}/a2a`, protocolBinding: 'JSONRPC', protocolVersion: '1.0' },
      { url: `${server.url}/a2a`, protocolBinding: 'JSONRPC', protocolVersion: '0.3' },
    ],
    capabilities: { streaming: true, pushNotifications: false, extendedAgentCard: false },
    securityRequirements: [{ schemes: { bearer: {} } }],
  });
  expect(card.skills.map(({ id, tags }) => [id, tags])).toEqual([
    ['reprise', ['team']],
    ['agent', ['agent']],
    ['asking', ['team']],
    ['research', ['research']],
    ['team', ['team']],
    ['twice', ['agent']],
  ]);
  const limited = await clientOf(server, issue(ownerToken, { kind: 'start', names: ['team'] }));
  expect((await limited.getAgentCard()).skills.map(({ id }) => id)).toEqual(['team']);
  expect((await fetch(`${server.url}/.well-known/agent-card.json`)).status).toBe(401);
  const response = await server.fetch('/.well-known/agent-card.json');
  const tag = response.headers.get('etag') ?? '';
  const again = await server.fetch('/.well-known/agent-card.json', { headers: { 'if-none-match': tag } });
  expect(again.status).toBe(304);
});

test('a message is a task with the answer as its artifact, and the same message again is the same task on any server', async () => {
  await using set = await a2aServing(shared(teamScript()), 2);
  const request = says('Say hello.', { messageId: 'm1', configuration: 'team' });
  const [task, again] = await Promise.all([sent(set.client, request), sent(set.other, request)]);
  expect(task).toMatchObject({
    artifacts: [{ artifactId: 'answer', metadata: { outcome: 'submitted', warnings: [], usage: { calls: 6 } } }],
  });
  expect(stateOf(task)).toBe('TASK_STATE_COMPLETED');
  expect(statusText(task)).toBe('Outcome: submitted');
  expect(answerIn(task)).toBe('The final answer, by agent1.');
  expect(historyOf(task)).toEqual([['ROLE_USER', 'Say hello.']]);
  expect(again).toEqual(task);
  expect(await set.other.getTask({ tenant: '', id: task.id })).toEqual(task);
  expect((await set.other.getTask({ tenant: '', id: task.id, historyLength: 0 })).history).toEqual([]);
  const other = await sent(set.client, says('Say goodbye.', { messageId: 'm1', configuration: 'team' }));
  expect(other.id).not.toBe(task.id);
});

test('a stream tells the task, what happens, the answer and the end', async () => {
  await using set = await a2aServing(shared(teamScript()));
  const stream = set.client.sendMessageStream(says('Say hello.', { messageId: 'm2', configuration: 'team' }));
  const responses = await allOf(stream);
  const kinds = responses.map(({ payload }) => payload?.$case);
  expect([kinds[0], ...kinds.slice(-2)]).toEqual(['task', 'artifactUpdate', 'statusUpdate']);
  expect(kinds.slice(1, -2).every((kind) => kind === 'statusUpdate')).toBe(true);
  expect(lastState(responses)).toBe('TASK_STATE_COMPLETED');
  const told = responses.flatMap(({ payload }) => (payload?.$case === 'statusUpdate' ? statusText(payload.value) : []));
  expect(told.join('\n')).toContain('agent2');
});

test('who follows a task goes on, without a gap and without a duplicate, on another server after the first was killed', async () => {
  const { open, script } = waiting();
  await using set = await a2aServing(shared(script), 2);
  const stream = set.client.sendMessageStream(says('Say hello.', { messageId: 'm3', configuration: 'team' }));
  const before: StreamResponse[] = [];
  let id = '';
  await (async () => {
    for await (const response of stream) {
      before.push(response);
      if (response.payload?.$case === 'task') ({ id } = response.payload.value);
      if (response.payload?.$case === 'statusUpdate' && response.payload.value.metadata?.['type'] === 'presenting')
        await set.kill();
    }
  })().catch(() => {});
  const last = seqsOf(before).at(-1) ?? 0;
  const serviceParameters = { 'last-event-id': String(last) };
  const resumed = set.other.resubscribeTask({ tenant: '', id }, { serviceParameters });
  const whole = set.other.resubscribeTask({ tenant: '', id }, { serviceParameters: { 'last-event-id': '0' } });
  const [[first, ...after], all] = await Promise.all([
    allOf(resumed),
    (async () => {
      open();
      return allOf(whole);
    })(),
  ]);
  expect(first?.payload?.$case).toBe('task');
  expect([...seqsOf(before), ...seqsOf(after)]).toEqual(seqsOf(all));
  expect(lastState(after)).toBe('TASK_STATE_COMPLETED');
  // A stream that had broken off is told to its end; one that begins has to get the task instead.
  expect(lastState(await allOf(set.other.resubscribeTask({ tenant: '', id }, { serviceParameters })))).toBe(
    'TASK_STATE_COMPLETED',
  );
  await expect(allOf(set.other.resubscribeTask({ tenant: '', id }))).rejects.toThrow('has ended');
});

test('a question ends the stream, and the next message answers it on another server, once however often it is sent', async () => {
  await using set = await a2aServing(shared(asks('Which colour?', 'Which size?')), 2);
  const stream = set.client.sendMessageStream(says('Paint it.', { messageId: 'm4', configuration: 'asking' }));
  const responses = await allOf(stream);
  expect(lastState(responses)).toBe('TASK_STATE_INPUT_REQUIRED');
  const [{ payload } = { payload: undefined }] = responses;
  const { contextId, id } = payload?.$case === 'task' ? payload.value : { contextId: '', id: '' };
  const asked = await set.other.getTask({ tenant: '', id });
  expect(stateOf(asked)).toBe('TASK_STATE_INPUT_REQUIRED');
  expect(statusText(asked)).toContain('agent_a: Which colour?');
  expect(asked.status?.message?.parts.at(-1)?.content).toMatchObject({
    value: { waits: [{ kind: 'question', questionId: 'q1', question: 'Which colour?' }] },
  });
  await set.kill();
  const blue = says('Blue.', { messageId: 'm5', taskId: id, contextId });
  const second = await sent(set.other, blue);
  expect(stateOf(second)).toBe('TASK_STATE_INPUT_REQUIRED');
  expect(statusText(second)).toContain('Which size?');
  // It has been told already, and answers nothing that has come to wait since.
  expect(statusText(await sent(set.other, blue))).toContain('Which size?');
  const data = { questionId: 'q2', answer: 'Large.' };
  const done = await sent(set.other, says('', { messageId: 'm6', taskId: id, data }));
  expect(stateOf(done)).toBe('TASK_STATE_COMPLETED');
  expect(answerIn(done)).toBe('Told: Large.');
  expect(historyOf(done)).toEqual([
    ['ROLE_USER', 'Paint it.'],
    ['ROLE_AGENT', expect.stringContaining('Which colour?')],
    ['ROLE_USER', 'Blue.'],
    ['ROLE_AGENT', expect.stringContaining('Which size?')],
    ['ROLE_USER', 'Large.'],
  ]);
  expect(await sent(set.other, blue)).toEqual(done);
  await expect(sent(set.other, says('More.', { messageId: 'm7', taskId: id }))).rejects.toThrow('has ended');
});

const write = call('write', { text: 'one' });

test('a tool call that waits for approval is decided by words or by data', async () => {
  await using set = await a2aServing(shared(inTurn([write, write, { text: 'Done.' }])));
  const asked = await sent(set.client, says('Go.', { messageId: 'm8', configuration: 'agent' }));
  expect(statusText(asked)).toContain('May it run write?');
  const answered = (text: string, more: object): Promise<unknown> =>
    sent(set.client, says(text, { messageId: 'm9', taskId: asked.id, ...more }));
  await expect(answered('Perhaps.', {})).rejects.toThrow('t1 takes yes, no with a reason, or always');
  await expect(answered('', { data: { id: 't1', action: 'burn' } })).rejects.toThrow(/allow.*deny.*edit/);
  await expect(answered('', { data: { id: 't9', action: 'allow' } })).rejects.toThrow('by data with its id: t1');
  const again = await sent(set.client, says('yes', { messageId: 'm10', taskId: asked.id }));
  expect(statusText(again)).toContain('t2');
  const unfit = { id: 't2', action: 'edit', arguments: { words: 'two' } };
  await expect(answered('', { data: unfit })).rejects.toThrow(/arguments: .*text/);
  const data = { id: 't2', action: 'edit', arguments: { text: 'two' } };
  const done = await sent(set.client, says('', { messageId: 'm11', taskId: asked.id, data }));
  expect(answerIn(done)).toBe('Done.');
});

test('where several calls wait at once the task tells all, and words alone are refused', async () => {
  const both = calls(['write', { text: 'one' }], ['write', { text: 'two' }]);
  await using set = await a2aServing(shared(inTurn([both, { text: 'Done.' }])));
  const asked = await sent(set.client, says('Go.', { messageId: 'm12', configuration: 'twice' }));
  expect(statusText(asked)).toMatch(/t1[^]*t2/);
  const words = says('yes', { messageId: 'm13', taskId: asked.id });
  await expect(sent(set.client, words)).rejects.toThrow('by data with its id: t1, t2');
  const data = { id: 't1', action: 'allow', always: true };
  expect(answerIn(await sent(set.client, says('', { messageId: 'm14', taskId: asked.id, data })))).toBe('Done.');
});

test('a plan of research is reviewed by words or by data', async () => {
  await using set = await a2aServing(shared(researchScript({})));
  const asked = await sent(set.client, says('An idea.', { messageId: 'm15', configuration: 'research' }));
  expect(statusText(asked)).toContain('Is this plan good enough for a report?');
  const [part] = asked.status?.message?.parts.slice(-1) ?? [];
  expect(part?.content).toMatchObject({ value: { waits: [{ kind: 'approval', questionId: 'approval-1' }] } });
  const data = { id: 'approval-1', action: 'restart', reason: 'Too broad.', instructions: 'Only bonds.' };
  const again = await sent(set.client, says('', { messageId: 'm16', taskId: asked.id, data }));
  expect(stateOf(again)).toBe('TASK_STATE_INPUT_REQUIRED');
  const done = await sent(set.client, says('accept', { messageId: 'm17', taskId: asked.id }));
  expect(stateOf(done)).toBe('TASK_STATE_COMPLETED');
  expect(answerIn(done)).toContain('## Findings');
});

test('a task that is cancelled is told as that, and cannot be cancelled again', async () => {
  await using set = await a2aServing(shared(asks('Which colour?')));
  const asked = await sent(set.client, says('Paint it.', { messageId: 'm18', configuration: 'asking' }));
  const cancelled = await set.client.cancelTask({ tenant: '', id: asked.id, metadata: undefined });
  expect(stateOf(cancelled)).toBe('TASK_STATE_CANCELED');
  await expect(set.client.cancelTask({ tenant: '', id: asked.id, metadata: undefined })).rejects.toMatchObject({
    name: 'TaskNotCancelableError',
  });
});

test('the tasks of a context are one conversation, and are listed with it', async () => {
  await using set = await a2aServing(shared(inTurn([{ text: 'Hello.' }, { text: 'You said hello.' }])), 2);
  const first = await sent(set.client, says('Hi.', { messageId: 'm19', configuration: 'agent' }));
  const { contextId } = first;
  const second = await sent(
    set.other,
    says('What did I say?', { messageId: 'm20', contextId, configuration: 'agent' }),
  );
  expect(second).toMatchObject({ contextId });
  expect(second.id).not.toBe(first.id);
  expect(set.run.model.requests.at(-1)?.prompt).toMatch(/Hi\.[^]*Hello\.[^]*What did I say\?/);
  const listed = async (more: object = {}) =>
    set.client.listTasks({
      tenant: '',
      contextId,
      status: TaskState.TASK_STATE_UNSPECIFIED,
      pageToken: '',
      statusTimestampAfter: undefined,
      ...more,
    });
  await expect.poll(async () => (await listed()).tasks.map(({ id }) => id)).toEqual([second.id, first.id]);
  const page = await listed({ pageSize: 1 });
  expect(page).toMatchObject({ tasks: [{ id: second.id, artifacts: [] }], totalSize: 2 });
  expect(await listed({ pageSize: 1, pageToken: page.nextPageToken, includeArtifacts: true })).toMatchObject({
    tasks: [{ id: first.id, artifacts: [{ artifactId: 'answer' }] }],
    nextPageToken: '',
  });
  expect((await listed({ status: TaskState.TASK_STATE_FAILED })).tasks).toEqual([]);
  // Of another zone, where it is earlier by the clock.
  const [later, sooner] = [60, -60].map((minutes) => new Date(Date.now() + (minutes - 12 * 60) * 60_000).toISOString());
  expect((await listed({ statusTimestampAfter: later?.replace('Z', '-12:00') })).tasks).toEqual([]);
  expect((await listed({ statusTimestampAfter: sooner?.replace('Z', '-12:00') })).tasks).toHaveLength(2);
  writeFileSync(join(set.run.home, 'broken.yaml'), JSON.stringify(agentOf('openai', { simple: {} }, ['nowhere'])));
  const rejected = await sent(set.client, says('Hi.', { messageId: 'm23', contextId, configuration: 'broken' }));
  await expect.poll(async () => (await listed()).tasks.length).toBe(3);
  // A page has as many as fit, also behind others.
  expect((await listed({ pageSize: 1, status: TaskState.TASK_STATE_COMPLETED })).tasks.map(({ id }) => id)).toEqual([
    second.id,
  ]);
  expect((await listed({ pageSize: 1, status: TaskState.TASK_STATE_REJECTED })).tasks.map(({ id }) => id)).toEqual([
    rejected.id,
  ]);
  // The name of another context may go on as an id does.
  await sent(set.client, says('Hi.', { messageId: 'm22', contextId: `${contextId}-x`, configuration: 'agent' }));
  await expect.poll(async () => (await listed({ contextId: `${contextId}-x` })).tasks.length).toBe(1);
  expect((await listed()).tasks.map(({ id }) => id)).toEqual([rejected.id, second.id, first.id]);
});

test('a task whose model fails has failed, and one whose input is wrong is rejected', async () => {
  await using set = await a2aServing(shared(() => ({ status: 400, errorBody: '{"error":{"message":"No."}}' })));
  const failed = await sent(set.client, says('Go.', { messageId: 'm21', configuration: 'agent' }));
  expect(stateOf(failed)).toBe('TASK_STATE_FAILED');
  expect(statusText(failed)).toContain('No.');
  writeFileSync(join(set.run.home, 'broken.yaml'), JSON.stringify(agentOf('openai', { simple: {} }, ['nowhere'])));
  const rejected = await sent(set.client, says('Go.', { messageId: 'm22', configuration: 'broken' }));
  expect(stateOf(rejected)).toBe('TASK_STATE_REJECTED');
  expect(statusText(rejected)).toContain('nowhere');
});

test('a task is told truthfully where no worker is there, and goes on once one is', async () => {
  await using set = await a2aServing(shared(asks('Which colour?')));
  const { id } = await sent(set.client, says('Paint it.', { messageId: 'm27', configuration: 'asking' }));
  await set.run.replaceWorker({}, 'nowhere');
  try {
    const begun = says('Go on.', { messageId: 'm28', configuration: 'asking', returnImmediately: true });
    expect(stateOf(await sent(set.client, begun))).toBe('TASK_STATE_SUBMITTED');
    const task = await set.client.getTask({ tenant: '', id });
    expect(stateOf(task)).toBe('TASK_STATE_INPUT_REQUIRED');
    expect(statusText(task)).toContain('No worker tells what is done at present');
  } finally {
    await set.run.replaceWorker({});
  }
  expect(answerIn(await sent(set.client, says('Blue.', { messageId: 'm29', taskId: id })))).toBe('Told: Blue.');
});

test('a token that may start one configuration sees its own tasks alone', async () => {
  await using set = await a2aServing(shared(teamScript()));
  const [server] = set.servers;
  const limited = await clientOf(server, issue(ownerToken, { kind: 'start', names: ['team'] }));
  const task = await sent(set.client, says('Say hello.', { messageId: 'm23', configuration: 'team' }));
  await expect(limited.getTask({ tenant: '', id: task.id })).rejects.toMatchObject({ name: 'TaskNotFoundError' });
  await expect(sent(limited, says('Hi.', { messageId: 'm24' }))).rejects.toThrow(
    'This token may not start "reprise"; it may: team',
  );
  const own = await sent(limited, says('Hi.', { messageId: 'm24', configuration: 'team' }));
  expect(own.contextId).not.toContain('t');
  expect(await limited.getTask({ tenant: '', id: own.id })).toEqual(own);
  const read = await clientOf(server, issue(ownerToken, { kind: 'read' }));
  await expect(read.getTask({ tenant: '', id: own.id })).rejects.toThrow('403');
});

test('a client of version 0.3 is served by its own methods', async () => {
  await using set = await a2aServing(shared(asks('Which colour?')));
  const client = await clientOf(set.servers[0], ownerToken, '0.3');
  expect(client.protocolVersion).toBe('0.3');
  const asked = await allOf(client.sendMessageStream(says('Paint it.', { messageId: 'm25', configuration: 'asking' })));
  expect(lastState(asked)).toBe('TASK_STATE_INPUT_REQUIRED');
  const [{ payload } = { payload: undefined }] = asked;
  const { id } = payload?.$case === 'task' ? payload.value : { id: '' };
  expect(answerIn(await sent(client, says('Blue.', { messageId: 'm26', taskId: id })))).toBe('Told: Blue.');
});

const hello = { messageId: 'x', parts: [{ text: 'Hi' }] };

const rpc = (method: string, params: object): object => ({ jsonrpc: '2.0', id: 1, method, params });

const message = (parts: object[], metadata = {}): object =>
  rpc('SendMessage', { message: { messageId: 'x', parts, metadata } });

const errors: Array<[name: string, body: unknown, code: number, message: RegExp, headers?: object]> = [
  ['no JSON', '{', -32700, /no JSON/],
  ['no request', { method: 'GetTask' }, -32600, /jsonrpc/],
  ['an unknown method', { method: 'Sing', jsonrpc: '2.0', id: 1, params: {} }, -32601, /method/],
  ['no message', rpc('SendMessage', {}), -32602, /message is missing/],
  ['no id of the message', rpc('SendMessage', { message: { parts: [{ text: 'Hi' }] } }), -32602, /messageId/],
  ['no parts', rpc('SendMessage', { message: { messageId: 'x' } }), -32602, /no text/],
  ['an empty text', message([{ text: ' ' }]), -32602, /no text/],
  ['a file by its address', message([{ url: 'https://example.com' }]), -32005, /\{"text"\} or \{"data"\}/],
  ['a file', message([{ raw: 'AAAA', mediaType: 'image/png' }]), -32005, /parts\[0\]/],
  ['no configuration of that name', message([{ text: 'Hi' }], { configuration: 'x' }), -32602, /there are: reprise/],
  ['a name that is no text', message([{ text: 'Hi' }], { skillId: 5 }), -32602, /metadata.configuration/],
  ['no context', rpc('SendMessage', { message: { ...hello, contextId: 'a b' } }), -32602, /contextId/],
  ['an unknown task', rpc('GetTask', { id: 'a2a-none-1' }), -32001, /no run/],
  ['a message to an unknown task', rpc('SendMessage', { message: { ...hello, taskId: 'none' } }), -32001, /no run/],
  ['the cancelling of an unknown task', rpc('CancelTask', { id: 'none' }), -32001, /no run/],
  ['the stream of an unknown task', rpc('SubscribeToTask', { id: 'none' }), -32001, /no run/],
  ['no id of a task', rpc('GetTask', {}), -32602, /id is missing/],
  ['push notifications', rpc('CreateTaskPushNotificationConfig', { taskId: 'x', url: 'https://x' }), -32003, /push/],
  ['a longer card', rpc('GetExtendedAgentCard', {}), -32004, /card/],
  ['too many at once', rpc('ListTasks', { pageSize: 1000 }), -32602, /from 1 to 100/],
  ['a page of nothing', rpc('ListTasks', { pageToken: 'a2a-gone-1' }), -32602, /pageToken/],
  ['another version', rpc('GetTask', { id: 'x' }), -32009, /1.0 or 0.3/, { 'a2a-version': '99.0' }],
  ['no type of content', rpc('GetTask', { id: 'x' }), -32005, /application\/json/, { 'content-type': 'text/plain' }],
];

test('what is wrong is told by the codes of A2A, in words that say what would be taken', async () => {
  await using set = await a2aServing(shared(teamScript()));
  const [server] = set.servers;
  for (const [name, body, code, told, headers] of errors) {
    const response = await server.fetch('/a2a', {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    });
    const { error } = (await response.json()) as { error: object };
    expect({ name, error }).toEqual({
      name,
      error: expect.objectContaining({ code, message: expect.stringMatching(told) as string }) as object,
    });
  }
  expect(server.said).toEqual([]);
});
