import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, inject, test, vi } from 'vitest';
import { newRunId, type RunEvent } from '../../src/client.ts';
import { checkTeam } from '../../src/config/kinds.ts';
import { problemText } from '../../src/config/problems.ts';
import { issue } from '../../src/serve/access.ts';
import type { Problem } from '../../src/serve/problems.ts';
import { agentOf, call, inTurn, toolResults, writeKit } from '../support/agent-script.ts';
import { askingTeam, asks } from '../support/asking.ts';
import { Home } from '../support/cli.ts';
import type { Script } from '../support/model-server.ts';
import { sharedRunning, type SharedRunning } from '../support/running.ts';
import { ownerToken, serving, type Serving } from '../support/serving.ts';
import { teamOf, teamScript } from '../support/team-script.ts';

const running = sharedRunning();

let open: Serving[] = [];
afterEach(async () => {
  for (const each of open) await each[Symbol.asyncDispose]();
  open = [];
});

async function begin(script: Script = teamScript()): Promise<Serving & { run: SharedRunning }> {
  const run = running(script);
  const server = await serving(run);
  open.push(server);
  return { ...server, run };
}

const team = teamOf(['agent_a', 'agent_b'], { type: 'openai' });

/** A configuration that a client may name: its tool would be refused to one that it brings. */
function nameAgent(folder: string, packages = ['kit']): void {
  writeKit(folder);
  writeFileSync(
    join(folder, 'writer.json'),
    JSON.stringify(agentOf('openai', { simple: {} }, packages, { attended: true })),
  );
}

const post = (server: Serving, path: string, body: object | string = {}, headers: Record<string, string> = {}) =>
  server.fetch(`/api/v1${path}`, { method: 'POST', body: JSON.stringify(body), headers });

const get = async <T>(server: Serving, path: string): Promise<T> => {
  const answer = await server.fetch(`/api/v1${path}`);
  expect([answer.status, path]).toEqual([200, path]);
  return (await answer.json()) as T;
};

async function started(
  server: Serving,
  type: string,
  input: object,
  headers: Record<string, string> = {},
): Promise<string> {
  const answer = await post(server, '/runs', { type, input }, headers);
  expect(answer.status).toBe(201);
  return ((await answer.json()) as { id: string }).id;
}

const waiting = (server: Serving, id: string) => get<Array<{ questionId: string }>>(server, `/runs/${id}/questions`);

/** The problem of an answer. */
async function problemIn(answer: Response): Promise<[status: number, detail: string]> {
  expect(answer.headers.get('content-type')).toBe('application/problem+json');
  const { detail, status } = (await answer.json()) as Problem;
  expect(answer.status).toBe(status);
  return [status, detail];
}

describe('a run', () => {
  test('is started once, whoever asks again because the answer was lost, and looked at until its result', async () => {
    const server = await begin();
    const id = newRunId('ask');
    const request = { type: 'orchestration', input: { task: 'Build a site', config: team } };
    const answers = await Promise.all([1, 2, 3].map(() => post(server, '/runs', request, { 'idempotency-key': id })));
    expect(answers.map(({ status }) => status).toSorted((one, other) => one - other)).toEqual([200, 200, 201]);
    expect(await answers[0]!.json()).toEqual({ id });
    expect(answers[0]!.headers.get('location')).toBe(`/api/v1/runs/${id}`);
    const other = await post(server, '/runs', { ...request, id, input: { task: 'Another' } });
    expect(await problemIn(other)).toEqual([409, `There is a run of the id ${id} already, with another input`]);

    const result = await get<{ answer: string; outcome: string }>(server, `/runs/${id}/result?wait=60`);
    expect(result).toMatchObject({ outcome: 'submitted', answer: 'The final answer, by agent_a.' });
    const record = await get<{ steps: object[]; calls?: object[] }>(server, `/runs/${id}?prompts`);
    expect(record).toMatchObject({ id, status: 'completed', result });
    expect(record.calls?.length).toBe(server.run.model.requests.length);
    await expect
      .poll(() => get<object[]>(server, '/runs?limit=1000'))
      .toContainEqual(expect.objectContaining({ id, workflow: 'orchestration', outcome: 'submitted' }));
    expect(await get(server, `/runs/${id}/status`)).toEqual({ id, workflow: 'orchestration', status: 'completed' });
    const events = await get<RunEvent[]>(server, `/runs/${id}/events`);
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1));
    expect(await get(server, `/runs/${id}/events?after=${events.length - 1}`)).toEqual(events.slice(-1));
  });

  test('tells while it runs that it does, and is cancelled', async () => {
    const server = await begin(asks('Light or dark?'));
    const id = await started(server, 'orchestration', { task: 'Build', config: askingTeam(600) });
    for (const query of ['', '?wait=0.2']) {
      const answer = await server.fetch(`/api/v1/runs/${id}/result${query}`);
      expect([answer.status, await answer.json()]).toEqual([202, { id, status: 'running' }]);
    }
    expect((await post(server, `/runs/${id}/cancel`)).status).toBe(200);
    expect(await get(server, `/runs/${id}/result?wait=60`)).toMatchObject({ outcome: 'cancelled' });
    expect(await problemIn(await post(server, `/runs/${id}/cancel`))).toEqual([
      409,
      expect.stringContaining('has ended'),
    ]);
  });

  test('that fails has the reason as its problem', async () => {
    const server = await begin(() => ({ status: 400 }));
    const id = await started(server, 'orchestration', { task: 'Build', config: team });
    const failed = await server.fetch(`/api/v1/runs/${id}/result?wait=60`);
    expect(await problemIn(failed)).toEqual([502, expect.stringContaining('No agent has answered')]);
  });

  test('whose configuration reaches further than the worker allows is refused, unless the server has it by a name', async () => {
    const server = await begin(inTurn([{ text: 'Done.' }]));
    nameAgent(server.run.home);
    const brought = await started(server, 'session', {
      text: 'Go.',
      config: agentOf('openai', { simple: {} }, ['kit']),
    });
    const refused = await server.fetch(`/api/v1/runs/${brought}/result?wait=60`);
    expect(await problemIn(refused)).toEqual([422, expect.stringContaining('an input may not')]);
    const named = await started(server, 'session', { text: 'Go.', config: 'writer' });
    expect(await get(server, `/runs/${named}/result?wait=60`)).toMatchObject({ answer: 'Done.' });
  });
});

describe('a person', () => {
  test('answers a question that the inbox has, once', async () => {
    const server = await begin(asks('Light or dark?'));
    const id = await started(server, 'orchestration', { task: 'Build', config: askingTeam(600) });
    await expect.poll(() => waiting(server, id)).toHaveLength(1);
    const asked = { workflowId: id, kind: 'question', question: 'Light or dark?' };
    await expect.poll(() => get<object[]>(server, '/inbox')).toContainEqual(expect.objectContaining(asked));
    const answered = await post(server, `/runs/${id}/answer`, { answer: 'Dark' });
    expect(await answered.json()).toEqual({ id, questionId: expect.any(String) as string });
    expect(await get(server, `/runs/${id}/result?wait=60`)).toMatchObject({ answer: 'Told: Dark.' });
  });

  test('has a result for which a thousand wait at the cost of one', async () => {
    const server = await begin(asks('Light or dark?'));
    const id = await started(server, 'orchestration', { task: 'Build', config: askingTeam(600) });
    const polls = vi.spyOn(server.reprise.client.workflowService, 'getWorkflowExecutionHistory');
    const wait = (seconds: number): Promise<number[]> =>
      Promise.all(
        Array.from({ length: 1000 }, async () => {
          const answer = await server.fetch(`/api/v1/runs/${id}/result?wait=${seconds}`);
          await answer.arrayBuffer();
          return answer.status;
        }),
      );
    expect(new Set(await wait(5))).toEqual(new Set([202]));
    const ended = wait(600);
    await expect.poll(() => waiting(server, id)).toHaveLength(1);
    await post(server, `/runs/${id}/answer`, { answer: 'Dark' });
    expect(new Set(await ended)).toEqual(new Set([200]));
    expect(polls.mock.calls.length).toBeLessThan(50);
  });

  test('allows a tool call with other arguments, which must fit the tool', async () => {
    const server = await begin(inTurn([call('write', { text: 'one' }), { text: 'Done.' }]));
    nameAgent(server.run.home);
    const id = await started(server, 'session', { text: 'Go.', config: 'writer' });
    await expect.poll(() => waiting(server, id)).toHaveLength(1);
    // It may have been meant for a question that has closed.
    expect((await problemIn(await post(server, `/runs/${id}/answer`, { answer: 'yes' })))[0]).toBe(422);
    const wrong = await post(server, `/runs/${id}/approve`, { action: 'edit', arguments: {} });
    expect(await problemIn(wrong)).toEqual([422, expect.stringContaining('text')]);
    const edited = await post(server, `/runs/${id}/approve`, { id: 't1', action: 'edit', arguments: { text: 'two' } });
    expect(edited.status).toBe(200);
    expect(await get(server, `/runs/${id}/result?wait=60`)).toMatchObject({ answer: 'Done.' });
    expect(toolResults(server.run.model.requests.at(-1)!)).toEqual([expect.stringContaining('wrote two')]);
  });

  test('takes turns of a session, each once however often it is sent, until it is closed', async () => {
    const release = Promise.withResolvers<void>();
    const server = await begin(async (seen) => {
      const turn = seen.messages.filter(({ role }) => role === 'user').length;
      if (turn === 2) await release.promise;
      return { text: `Turn ${turn}.` };
    });
    nameAgent(server.run.home, ['builtin.calculator']);
    const path = `/runs/${newRunId('chat')}`;
    const begun = { text: 'One.', input: { config: 'writer' } };
    const turns = await Promise.all(
      [1, 2].map(() => post(server, `${path}/message`, begun, { 'idempotency-key': 'turn-1' })),
    );
    for (const turn of turns) expect(await turn.json()).toMatchObject({ answer: 'Turn 1.', turn: 1 });
    const sent = await post(server, `${path}/message?wait=0`, { text: 'Two.' }, { 'idempotency-key': 'turn-2' });
    expect([sent.status, await sent.json()]).toEqual([202, { id: path.slice(6), turnId: 'turn-2' }]);
    release.resolve();
    // The text alone says the same.
    const again = await post(server, `${path}/message`, 'Two.', { 'idempotency-key': 'turn-2' });
    expect(await again.json()).toMatchObject({ answer: 'Turn 2.', turn: 2 });
    const other = await post(server, `${path}/message`, 'And three.', { 'idempotency-key': 'turn-2' });
    expect(await other.json()).toMatchObject({ answer: 'Turn 3.', turn: 3 });
    expect((await post(server, `${path}/close`)).status).toBe(200);
    expect(await get(server, `${path}/result?wait=60`)).toMatchObject({ outcome: 'answered' });
    expect((await problemIn(await post(server, `${path}/message`, { text: 'Three.' })))[0]).toBe(409);
  });
});

test('files of an answer are listed, and saved by their paths, and nothing else is', async () => {
  const content = '<script>alert(1)</script>';
  const server = await begin(inTurn([call('write_file', { path: 'a/b ü.html', content }), { text: 'Done.' }]));
  nameAgent(server.run.home, ['builtin.workspace']);
  const id = await started(server, 'session', { text: 'Go.', config: 'writer' });
  await get(server, `/runs/${id}/result?wait=60`);
  const files = await get<Array<{ path: string }>>(server, `/runs/${id}/files`);
  expect(files).toEqual([{ path: 'a/b ü.html', bytes: content.length, executable: false }]);
  const file = await server.fetch(`/api/v1/runs/${id}/files/a/${encodeURIComponent('b ü.html')}`);
  expect(await file.text()).toBe(content);
  expect(Object.fromEntries(file.headers)).toMatchObject({
    'content-type': 'application/octet-stream',
    'content-disposition': "attachment; filename*=UTF-8''b%20%C3%BC.html",
    'x-content-type-options': 'nosniff',
  });
  for (const path of ['c.html', '..%2F..%2Fstore.sqlite', '%2Fetc%2Fpasswd', 'a', 'a%00b']) {
    const { status } = await server.fetch(`/api/v1/runs/${id}/files/${path}`);
    expect([path, status]).toEqual([path, 404]);
  }
});

test('a token that may start named configurations starts and sees those alone; one that may read sees all', async () => {
  const server = await begin(() => ({ text: 'Done.' }));
  nameAgent(server.run.home, ['builtin.calculator']);
  const token = issue(ownerToken, { kind: 'start', names: ['writer'] });
  const mine = { authorization: `Bearer ${token}` };
  const input = { text: 'Go.', config: 'writer' };
  const answer = await post(server, '/runs', { type: 'session', id: newRunId('chat'), input }, mine);
  const { id } = (await answer.json()) as { id: string };
  expect(id).toMatch(/^t[\da-f]{8}-chat-/);
  const others = await started(server, 'session', input);
  for (const config of [undefined, {}, 'reprise', 'other']) {
    const refused = await post(server, '/runs', { type: 'session', input: { ...input, config } }, mine);
    expect(await problemIn(refused)).toEqual([403, expect.stringContaining('writer')]);
  }
  const seen = async () =>
    (await server.fetch('/api/v1/runs?limit=100', { headers: mine })).json() as Promise<object[]>;
  await expect.poll(seen).toContainEqual(expect.objectContaining({ id }));
  const foreign = await server.fetch(`/api/v1/runs/${others}`, { headers: mine });
  expect(await problemIn(foreign)).toEqual([
    404,
    expect.stringMatching(/^There is no run of the id t[\da-f]{8}-chat-/),
  ]);
  // It names its runs as it likes, and by these names they are found.
  const own = newRunId('own');
  const said = await post(server, `/runs/${own}/message`, { text: 'Go.', input: { config: 'writer' } }, mine);
  expect(await said.json()).toMatchObject({ answer: 'Done.' });
  expect((await server.fetch(`/api/v1/runs/${own}`, { headers: mine })).status).toBe(200);
  const reading = { authorization: `Bearer ${issue(ownerToken, { kind: 'read' })}` };
  expect((await server.fetch(`/api/v1/runs/${others}`, { headers: reading })).status).toBe(200);
  expect((await post(server, `/runs/${others}/cancel`, {}, reading)).status).toBe(403);
});

describe('what is wrong is told as the command line tells it', () => {
  test.each<[string, unknown]>([
    ['an unknown key', { agents: [{ id: 'a', sytem_message: 'x' }] }],
    ['a wrong choice', { orchestrator: { coordination: { broadcast: 'humans' } } }],
    ['a second agent of one id', { agents: [{ id: 'a' }, { id: 'a' }] }],
    ['a wrong type', { budget: { calls: 'many' } }],
    ['a configuration of another kind', { research: {} }],
    ['a list instead of a mapping', { agents: {} }],
  ])('of a configuration with %s', async (_, config) => {
    const server = await begin();
    const refused = await post(server, '/runs', { type: 'orchestration', input: { task: 'x', config } });
    const checked = checkTeam(config);
    const problems = checked.ok ? [] : checked.problems.map((each) => `input.config.${problemText(each)}`);
    expect(await problemIn(refused)).toEqual([422, problems.join('\n')]);
  });

  test('of a request', async () => {
    const server = await begin();
    const wrong = async (body: object, path = '/runs') => problemIn(await post(server, path, body));
    expect(await wrong({ type: 'team', input: {} })).toEqual([
      422,
      'type: "team" is not one of orchestration | session | research | planAndExecute',
    ]);
    const input = { task: ' ', attachments: ['/etc/passwd'], confg: {} };
    expect(await wrong({ type: 'orchestration', input })).toEqual([
      422,
      'input.task: must not be empty\n' +
        'input.attachments[0]: "/etc/passwd" is not a file as {name, data}, with its content in base64\n' +
        'input.confg: unknown key; did you mean config? valid keys: task, attachments, config, history, humanQa',
    ]);
    expect((await server.fetch('/api/v1/runs?limit=x')).status).toBe(422);
    expect((await server.fetch('/api/v1/runs', { method: 'POST', body: '{' })).status).toBe(400);
  });

  test('of what no run takes', async () => {
    const server = await begin(asks('Light or dark?'));
    const id = await started(server, 'orchestration', { task: 'Build', config: askingTeam(600) });
    await expect.poll(() => waiting(server, id)).toHaveLength(1);
    const home = await Home.make({ TEMPORAL_ADDRESS: inject('temporal').address });
    try {
      const rows: Array<[words: string[], path: string, body: object, status: number]> = [
        [['answer', id, 'Dark', '--question', 'nope'], 'answer', { questionId: 'nope', answer: 'Dark' }, 404],
        [['approve', id, '--allow'], 'approve', { action: 'allow' }, 409],
        [['approve', id, 't9', '--allow'], 'approve', { id: 't9', action: 'allow' }, 404],
        [['decide', id, '--stop'], 'decide', { action: 'stop' }, 422],
      ];
      for (const [words, path, body, status] of rows) {
        const { stderr } = await home.run(words);
        const [found, detail] = await problemIn(await post(server, `/runs/${id}/${path}`, body));
        expect([found, `${detail}\n`]).toEqual([status, stderr.replace(/^\[.*?\] (?:ERROR:? )?/, '')]);
      }
    } finally {
      await post(server, `/runs/${id}/cancel`);
      await home.remove();
    }
  });
});
