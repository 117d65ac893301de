import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { WorkflowHandle } from '@temporalio/client';
import { beforeEach, describe, expect, test, type TestContext } from 'vitest';
import type { PendingQuestion } from '../../src/protocol/questions.ts';
import type { SessionResult } from '../../src/protocol/session.ts';
import { ownDocs } from '../../src/config/search-services.ts';
import { issue } from '../../src/serve/access.ts';
import { cookieName } from '../../src/serve/door.ts';
import { agentOf, call, inTurn, toolResults, writeKit } from '../support/agent-script.ts';
import type { Script } from '../support/model-server.ts';
import { researchScript } from '../support/research-script.ts';
import { sharedRunning, type SharedRunning } from '../support/running.ts';
import { ownerToken, serving, type Serving } from '../support/serving.ts';
import { answer, ask, teamOf, teamScript } from '../support/team-script.ts';
import { formOf, typedIn, Visitor } from '../support/visitor.ts';

const shared = sharedRunning();

/** A worker with this script, a server, and somebody who has logged in there. */
async function begin(onTestFinished: TestContext['onTestFinished'], script: Script = teamScript()) {
  const run = shared(script);
  const server = await serving(run);
  onTestFinished(() => server[Symbol.asyncDispose]());
  const visitor = new Visitor(server.url);
  await visitor.logIn();
  return { run, server, visitor };
}

const asking = teamScript({
  answer: ({ messages }) =>
    messages.some(({ role }) => role === 'tool') ? answer('Dark it is.') : ask('Dark mode or light mode?'),
});

const startAsking = async (run: SharedRunning): Promise<WorkflowHandle> => {
  const handle = await run.start({
    task: 'Build a <b>site</b>.',
    config: teamOf(['agent_a'], { type: 'openai' }, { broadcast: 'human' }),
  });
  await waits(handle);
  return handle;
};

async function waits(handle: WorkflowHandle): Promise<void> {
  await expect.poll(() => handle.query<PendingQuestion[]>('pendingQuestions')).toHaveLength(1);
}

/** An agent that wants to write before it is done, in a run that somebody attends. */
async function startWriting(run: SharedRunning): Promise<WorkflowHandle> {
  writeKit(run.home);
  const config = agentOf('openai', { simple: {} }, ['kit'], { attended: true });
  const handle = await run.startSession({ config, text: 'Go.' });
  await waits(handle);
  return handle;
}

const writing: Script = (seen) => {
  const [result] = toolResults(seen);
  return result === undefined ? call('write', { text: 'one' }) : { text: `It says: ${result}` };
};

const answerOf = async (handle: WorkflowHandle): Promise<string> => ((await handle.result()) as SessionResult).answer;

describe('a login', () => {
  test('by the address that is printed gives a cookie, and leads to the runs', async ({ onTestFinished }) => {
    const { server } = await begin(onTestFinished);
    const visitor = new Visitor(server.url);
    const led = await visitor.request(`/login?token=${ownerToken}`);
    expect([led.status, led.headers.get('location')]).toEqual([303, '/']);
    expect(led.headers.getSetCookie()[0]).toMatch(
      new RegExp(`^${cookieName(server.url)}=rpr\\.[\\w.-]+; Max-Age=604[78]\\d\\d; Path=/; HttpOnly; SameSite=Lax$`),
    );
    expect((await visitor.open('/')).page.querySelector('h1')?.textContent).toBe('Runs');
  });

  test('is asked of a browser that has none, and leads back to where it was to go', async ({ onTestFinished }) => {
    const { server } = await begin(onTestFinished);
    const visitor = new Visitor(server.url);
    const page = await visitor.open('/inbox?still');
    expect([page.status, page.path]).toEqual([200, '/login?next=%2Finbox%3Fstill']);
    expect(page.text).toContain('reprise token prints it');
    const wrong = await visitor.send(page, 'Log in', { token: 'wrong' });
    expect([wrong.status, wrong.page.querySelector('.problem')?.textContent]).toEqual([
      401,
      'This token opens nothing here.',
    ]);
    expect((await visitor.send(wrong, 'Log in', { token: ownerToken })).path).toBe('/inbox?still');
  });

  test('is refused for a while to whoever shows too many wrong tokens, and to nobody else', async ({
    onTestFinished,
  }) => {
    const { server, visitor } = await begin(onTestFinished);
    const guesser = new Visitor(server.url);
    const guesses = await Promise.all(Array.from({ length: 30 }, (_, n) => guesser.request(`/login?token=${n}`)));
    expect(guesses.map(({ status }) => status)).toContain(429);
    expect(guesses.find(({ status }) => status === 429)?.headers.get('retry-after')).toMatch(/^\d+$/);
    expect((await guesser.open('/login')).status).toBe(200);
    expect((await visitor.open('/')).status).toBe(200);
    expect((await guesser.logIn()).path).toBe('/');
  });

  test('lasts no longer than its token, and lets no more', async ({ onTestFinished }) => {
    const { server } = await begin(onTestFinished);
    const visitor = new Visitor(server.url);
    const led = await visitor.request(`/login?token=${issue(ownerToken, { kind: 'read' }, Date.now() + 60_000)}`);
    expect(Number(/Max-Age=(\d+)/.exec(led.headers.getSetCookie()[0] ?? '')?.[1])).toBeLessThanOrEqual(60);
    expect((await visitor.open('/start')).status).toBe(403);
    expect((await visitor.request('/start', { method: 'POST' })).status).toBe(403);
  });

  test('is over once its holder has logged out, also one who may only read', async ({ onTestFinished }) => {
    const { server, visitor } = await begin(onTestFinished);
    const reader = new Visitor(server.url);
    await reader.logIn(issue(ownerToken, { kind: 'read' }));
    for (const each of [visitor, reader]) {
      expect((await each.send(await each.open('/logout'), 'Log out')).path).toBe('/login');
      expect((await each.open('/')).path).toBe('/login?next=%2F');
    }
  });
});

describe('a question', () => {
  test('is seen in all lists, answered by its form, and closed for whoever comes after', async ({ onTestFinished }) => {
    const { run, visitor } = await begin(onTestFinished, asking);
    const handle = await startAsking(run);
    const id = handle.workflowId;
    for (const path of ['/', '/inbox', `/runs/${id}`])
      await expect.poll(async () => (await visitor.open(path)).text).toContain('agent_a waits for an answer (q1');
    const page = await visitor.open(`/runs/${id}/answer/q1`);
    expect(page.text).toContain('Dark mode or light mode?');
    expect((await visitor.send(page, 'Send the answer', { answer: '  ' })).status).toBe(422);

    const sent = await visitor.send(page, 'Send the answer', { answer: 'Dark\nplease' });
    expect([sent.path, sent.page.querySelector('.done')?.textContent]).toEqual([
      `/runs/${id}?done=answered`,
      'Your answer has arrived.',
    ]);
    await handle.result();
    const after = await visitor.open(`/runs/${id}`);
    expect(after.text).toContain('Build a <b>site</b>.');
    expect(after.text).toMatch(/submitted[^]*A person answers q1[^]*Dark\nplease/);
    expect((await visitor.send(page, 'Send the answer', { answer: 'Light' })).text).toMatch(
      /has ended \(completed\)\s+The run/,
    );
  });

  test('that somebody else has answered takes no second answer, and says so', async ({ onTestFinished }) => {
    const never = Promise.withResolvers<never>();
    const { run, visitor } = await begin(
      onTestFinished,
      teamScript({
        answer: ({ messages }) => (messages.some(({ role }) => role === 'tool') ? never.promise : ask('Which?')),
      }),
    );
    const handle = await startAsking(run);
    const path = `/runs/${handle.workflowId}/answer/q1`;
    const page = await visitor.open(path);
    await visitor.send(page, 'Send the answer', { answer: 'This' });
    expect((await visitor.send(page, 'Send the answer', { answer: 'This' })).path).toMatch(/done=answered$/);
    expect((await visitor.send(page, 'Send the answer', { answer: 'That' })).text).toContain(
      'settled already by somebody else',
    );
    expect((await visitor.send(page, 'Skip the question')).path).toMatch(/done=already$/);
    const late = await visitor.open(path);
    expect(late.text).toMatch(/q1 waits no longer[^]*answered[^]*This/);
    expect(late.page.querySelector('form')).toBeNull();
    expect((await visitor.open(`/runs/${handle.workflowId}/answer/q7`)).status).toBe(404);
  });

  test('is skipped by a button of its own', async ({ onTestFinished }) => {
    const { run, visitor } = await begin(onTestFinished, asking);
    const handle = await startAsking(run);
    const page = await visitor.open(`/runs/${handle.workflowId}/answer/q1`);
    expect((await visitor.send(page, 'Skip the question')).path).toMatch(/done=skipped$/);
    await handle.result();
  });
});

describe('a tool call that waits for approval', () => {
  test('runs with other arguments, which are checked beside their field first', async ({ onTestFinished }) => {
    const { run, visitor } = await begin(onTestFinished, writing);
    const handle = await startWriting(run);
    const page = await visitor.open(`/runs/${handle.workflowId}/answer/t1`);
    expect(page.page.querySelector('pre')?.textContent).toBe('{\n  "text": "one"\n}');

    const refused = await visitor.send(page, 'Run it with these', { arguments: '{"more": "<b>"}' });
    expect(refused.status).toBe(422);
    const field = refused.page.querySelector('#arguments');
    expect(typedIn(field)).toBe('{"more": "<b>"}');
    const problem = refused.page.querySelector(`#${field?.getAttribute('aria-describedby')}`);
    expect(problem?.textContent).toContain('the arguments of write do not fit');
    expect(field?.closest('details')?.hasAttribute('open')).toBe(true);
    const broken = await visitor.send(page, 'Run it with these', { arguments: 'no' });
    expect(broken.text).toContain('no JSON');

    const sent = await visitor.send(refused, 'Run it with these', { arguments: '{"text": "two"}' });
    expect(sent.path).toMatch(/done=edited$/);
    expect(await answerOf(handle)).toContain('wrote two');
  });

  test('is denied with a reason that the agent reads', async ({ onTestFinished }) => {
    const { run, visitor } = await begin(onTestFinished, writing);
    const handle = await startWriting(run);
    const page = await visitor.open(`/runs/${handle.workflowId}/answer/t1`);
    expect((await visitor.send(page, 'Deny it', { reason: 'Not today' })).path).toMatch(/done=denied$/);
    expect(await answerOf(handle)).toBe('It says: Error: not run: a person refused it: Not today');
  });

  test('is allowed for all of the run', async ({ onTestFinished }) => {
    const replies = inTurn([call('write', { text: 'one' }), call('write', { text: 'two' }), { text: 'Done.' }]);
    const { run, visitor } = await begin(onTestFinished, replies);
    const handle = await startWriting(run);
    const page = await visitor.open(`/runs/${handle.workflowId}/answer/t1`);
    expect((await visitor.send(page, 'Allow write for all of this run')).path).toMatch(/done=allowed$/);
    expect(await answerOf(handle)).toBe('Done.');
    const told = await visitor.open(`/runs/${handle.workflowId}`);
    expect([...told.page.querySelectorAll('details summary')].map((each) => each.textContent)).toEqual([
      'agent calls write',
      'agent calls write',
    ]);
  });
});

describe('a research run that waits for a decision', () => {
  test('is planned anew, and then goes on to its report', async ({ onTestFinished }) => {
    const { run, visitor } = await begin(onTestFinished, researchScript());
    const config = { research: { backend: { type: 'openai' }, search: { folder: ownDocs }, approval: true } };
    const handle = await run.startResearch({ idea: 'An idea.', config });
    const asked = async () => (await handle.query<PendingQuestion[]>('pendingQuestions'))[0]?.questionId;
    await waits(handle);
    const first = await asked();
    const page = await visitor.open(`/runs/${handle.workflowId}/answer/${first}`);
    expect((await visitor.send(page, 'Start it over', { reason: 'Too broad.' })).text).toContain(
      'It must not be empty',
    );
    const filled = { reason: 'Too broad.', instructions: 'Only bonds.' };
    expect((await visitor.send(page, 'Start it over', filled)).path).toMatch(/done=restart$/);
    await expect.poll(async () => ![undefined, first].includes(await asked())).toBe(true);
    const again = await visitor.open(`/runs/${handle.workflowId}/answer/${await asked()}`);
    expect((await visitor.send(again, 'Write the report now', { note: 'Good.' })).path).toMatch(/done=decide$/);
    expect(await handle.result()).toMatchObject({ iterations: [{ restartReason: 'Too broad.' }, {}] });
    expect((await visitor.open(`/runs/${handle.workflowId}`)).text).toMatch(
      /Iterations[^]*planned again: Too broad\.[^]*Report/,
    );
  });
});

describe('a run', () => {
  const named = (run: SharedRunning): void =>
    writeFileSync(join(run.home, 'pair.json'), JSON.stringify(teamOf(['agent_a', 'agent_b'], { type: 'openai' })));

  test('is started by a form, once however often that is sent', async ({ onTestFinished }) => {
    const { run, visitor } = await begin(onTestFinished);
    named(run);
    const page = await visitor.open('/start');
    expect([...page.page.querySelectorAll('option')].map((each) => each.textContent)).toContain('pair: a team answers');
    expect((await visitor.send(page, 'Start it', { text: ' ' })).status).toBe(422);
    const filled = { name: 'pair', text: 'Which database?' };
    const started = await visitor.send(page, 'Start it', filled);
    expect(started.path).toMatch(/^\/runs\/page-\w+\?done=started$/);
    expect((await visitor.send(page, 'Start it', filled)).path).toBe(started.path);
    const unknown = await visitor.send(page, 'Start it', { name: 'other', text: 'Which database?' });
    expect([unknown.status, unknown.page.querySelector('textarea')?.textContent.trim()]).toEqual([
      422,
      'Which database?',
    ]);
    expect(unknown.text).toContain('There is no configuration "other"; there are: reprise, pair');
    const id = started.path.slice('/runs/'.length, started.path.indexOf('?'));
    await run.client.workflow.getHandle(id).result();
    expect((await visitor.open(`/runs/${id}`)).text).toMatch(/submitted[^]*Answer, by agent_a[^]*The final answer/);
  });

  test('that was started by a token for some configurations is seen by it, and no other', async ({
    onTestFinished,
  }) => {
    const { run, server, visitor } = await begin(onTestFinished);
    named(run);
    const other = await run.start({ task: 'Not theirs.' });
    const limited = new Visitor(server.url);
    await limited.logIn(issue(ownerToken, { kind: 'start', names: ['pair'] }));
    const page = await limited.open('/start');
    expect([...page.page.querySelectorAll('option')].map((each) => each.getAttribute('value'))).toEqual(['pair']);
    const started = await limited.send(page, 'Start it', { text: 'Theirs.' });
    expect(started.path).toMatch(/^\/runs\/t\w+-page-/);
    await expect
      .poll(async () => (await visitor.open('/')).text)
      .toMatch(/Not theirs\.[^]*Theirs\.|Theirs\.[^]*Not theirs\./);
    expect((await limited.open('/')).text).not.toContain('Not theirs.');
    expect((await limited.open(`/runs/${other.workflowId}`)).status).toBe(404);
    expect((await limited.open(`/runs/${other.workflowId}/cancel`)).status).toBe(404);
  });

  test('is cancelled by a page that asks first, and takes only what its kind takes', async ({ onTestFinished }) => {
    const { run, visitor } = await begin(onTestFinished, asking);
    const handle = await startAsking(run);
    const id = handle.workflowId;
    const page = await visitor.open(`/runs/${id}`);
    const links = [...page.page.querySelectorAll('a.act')].map((each) => each.getAttribute('href'));
    expect(links).toEqual([`/runs/${id}/answer/q1`, `/runs/${id}/restart`, `/runs/${id}/cancel`]);
    expect((await visitor.open(`/runs/${id}/message`)).text).toContain('its type is orchestration');
    expect((await visitor.send(await visitor.open(`/runs/${id}/cancel`), 'Cancel the run')).path).toMatch(
      /done=cancel$/,
    );
    expect(await handle.result()).toMatchObject({ outcome: 'cancelled' });
    const late = await visitor.open(`/runs/${id}/cancel`);
    const title = late.page.querySelector('h1')?.textContent;
    expect([late.status, title]).toEqual([409, `The run ${id} has ended (completed)`]);
    expect((await visitor.open('/runs/nobody')).status).toBe(404);
  });

  test('of a conversation takes each message once, however often it is sent', async ({ onTestFinished }) => {
    const { run, visitor } = await begin(onTestFinished, ({ messages }) => ({ text: `Turn ${messages.length}.` }));
    const handle = await run.startSession({ config: agentOf('openai', { simple: {} }) });
    const page = await visitor.open(`/runs/${handle.workflowId}/message`);
    for (const _ of [1, 2])
      expect((await visitor.send(page, 'Send it', { text: 'Which color?' })).path).toMatch(/done=message$/);
    // Whoever goes back to the form may say something else.
    expect((await visitor.send(page, 'Send it', { text: 'And why?' })).path).toMatch(/done=message$/);
    await handle.signal('close');
    expect(await handle.result()).toMatchObject({ turns: 2 });
    expect((await visitor.open(`/runs/${handle.workflowId}`)).text).toMatch(/The person[^]*Which color\?[^]*Turn/);
  });
});

describe('a form', () => {
  let asked: Awaited<ReturnType<typeof begin>> & { handle: WorkflowHandle; path: string };
  beforeEach(async ({ onTestFinished }) => {
    const begun = await begin(onTestFinished, asking);
    const handle = await startAsking(begun.run);
    asked = { ...begun, handle, path: `/runs/${handle.workflowId}/answer/q1` };
  });

  test('is refused without its token, and with that of another login', async () => {
    const { path, server, visitor } = asked;
    const page = await visitor.open(path);
    const other = new Visitor(server.url);
    await other.logIn(issue(ownerToken, { kind: 'all' }, Date.now() + 3_600_000));
    const { body } = formOf(page.page, 'Send the answer', { answer: 'Dark' });
    expect((await other.request(path, { method: 'POST', body })).status).toBe(403);
    body.delete('form');
    const refused = await visitor.open(path, { method: 'POST', body });
    expect([refused.status, refused.text]).toEqual([403, expect.stringContaining('belongs to another login')]);
  });

  test('is taken by another server than the one that made it, while no worker answers, and counts once one does', async ({
    onTestFinished,
  }) => {
    const { handle, path, run, server, visitor } = asked;
    const page = await visitor.open(path);
    await run.replaceWorker({}, 'nowhere');
    const second: Serving = await serving(run);
    onTestFinished(() => second[Symbol.asyncDispose]());
    visitor.moveTo(second.url);
    visitor.cookie = visitor.cookie.replace(cookieName(server.url), cookieName(second.url));
    const sent = await visitor.send(page, 'Send the answer', { answer: 'Dark' });
    expect(sent.text).toContain('No worker has answered yet');
    await run.replaceWorker({});
    expect(await handle.result()).toMatchObject({ humanQa: [{ answer: 'Dark' }] });
  });

  test.each([
    ['a bearer, needs neither', { authorization: `Bearer ${ownerToken}` }, 303],
    ['a cookie and a foreign origin, never', { origin: 'https://evil.example' }, 403],
  ])('sent by %s', async (_, headers, status) => {
    const { path, visitor } = asked;
    const page = await visitor.open(path);
    const { body } = formOf(page.page, 'Send the answer', { answer: 'Dark' });
    if ('authorization' in headers) body.delete('form');
    const answered = await visitor.request(path, { method: 'POST', body, headers });
    expect(answered.status).toBe(status);
  });
});

test('what is no page takes a cookie only from a page of this server', async ({ onTestFinished }) => {
  const { server, visitor } = await begin(onTestFinished);
  const post = async (headers: Record<string, string>) =>
    (await visitor.request('/api/v1/nothing', { method: 'POST', headers: { accept: '*/*', ...headers } })).status;
  expect(await post({})).toBe(403);
  expect(await post({ origin: 'https://evil.example' })).toBe(403);
  expect(await post({ origin: server.url })).toBe(404);
  expect(await post({ authorization: `Bearer ${ownerToken}` })).toBe(404);
});
