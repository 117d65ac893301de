import { parseHTML } from 'linkedom';
import { describe, expect, test } from 'vitest';
import { withProgramWord } from '../../src/cli/program-word.ts';
import type { InboxQuestion, ListedRun, RunRecord, RunStep } from '../../src/client.ts';
import { accessOf, issue } from '../../src/serve/access.ts';
import { createApp } from '../../src/serve/app.ts';
import { printable } from '../../src/util/text/printable.ts';
import { injections } from '../support/injections.ts';

const owner = 'the-token-of-an-owner';
const url = 'http://127.0.0.1:8234';

const spent = { calls: 1, inputTokens: 2, cachedInputTokens: 0, outputTokens: 3, costUsd: 0.5 };

/** All that waits for a person, with a text in every place that an agent or a person fills. */
const waitingOf = (text: string): InboxQuestion[] =>
  (['question', 'approval', 'tool', 'key'] as const).map((kind) => ({
    workflowId: text,
    kind,
    questionId: `${kind}-${text}`,
    from: text,
    question: text,
    askedAt: '2026-11-26T08:00:00.000Z',
    expiresAt: null,
    ...(kind === 'tool' && {
      tool: text,
      arguments: JSON.stringify({ path: text, old_text: text, new_text: `${text} and more` }, undefined, 2),
    }),
  }));

const stepsOf = (text: string): RunStep[] => {
  const place = { at: '2026-11-26T08:00:00.000Z', turn: 1, part: text };
  return [
    { ...place, type: 'turn', text },
    { ...place, type: 'answer', agent: text, text, refused: text },
    { ...place, type: 'vote', agent: text, for: text, reason: text },
    {
      ...place,
      type: 'decision',
      agent: text,
      decision: 'restart',
      afterPresenting: false,
      reason: text,
      instructions: text,
    },
    { ...place, type: 'presented', agent: text, text },
    { ...place, type: 'asked', agent: text, question: text, error: text },
    { ...place, type: 'responded', agent: text, to: text, text },
    { ...place, type: 'said', agent: text, purpose: 'think', text },
    { ...place, type: 'tool', agent: text, tool: text, arguments: { [text]: text }, status: 'error', result: text },
    { ...place, type: 'submitted', agent: text, tool: text, fields: { [text]: text } },
    { ...place, type: 'finished', agent: text, status: 'failed', text },
    { ...place, type: 'searched', query: text, hits: [{ title: text, url: text }] },
    { ...place, type: 'page', url: text, failure: text },
    { ...place, type: 'failed', agent: text, purpose: text, reason: text },
    { ...place, type: 'signal', name: 'answer', input: { questionId: text, answer: text } },
    { ...place, type: 'signal', name: text, input: text },
    { ...place, type: 'turn_ended', messages: [text], failure: text },
  ];
};

/** A file's name with a text in it: a slash would make folders. */
const nameOf = (text: string): string => text.replaceAll('/', '|');

const recordOf = (text: string, change: Partial<RunRecord> = {}): RunRecord => ({
  id: text,
  workflow: 'research',
  status: 'running',
  outcome: text,
  failure: text,
  question: `${text}\n${text}`,
  startedAt: '2026-11-26T08:00:00.000Z',
  endedAt: null,
  result: null,
  workspace: {
    tree: text,
    files: 3,
    bytes: 10,
    count: 3,
    added: [`a/${nameOf(text)}`],
    changed: [`b/${nameOf(text)}`],
    removed: [`c/${nameOf(text)}`],
  },
  state: {
    workflow: 'research',
    phase: 'planning',
    criticism_score: null,
    should_restart_planning: false,
    restart_reason: text,
    planning_iteration: 1,
    max_planning_iterations: 2,
    idea: text,
    iterations: [
      {
        iteration: 1,
        idea: text,
        score: 3,
        verdict: text,
        restartReason: text,
        restartKind: 'person',
        similar: null,
        spent: { calls: 1, tokens: 2, costUsd: 3 },
      },
    ],
    agents: [{ id: text as 'planner', state: 'planning' }],
    usage: { ...spent, byAgent: {} },
  },
  waiting: waitingOf(text),
  steps: stepsOf(text),
  warnings: [text],
  usage: { ...spent, byAgent: { [text]: spent } },
  notes: [text],
  ...change,
});

const listedOf = (text: string): ListedRun => ({
  id: text,
  workflow: text,
  question: text,
  status: 'running',
  outcome: text,
  startedAt: '2026-11-26T08:00:00.000Z',
  endedAt: null,
  spent,
  isWaiting: true,
  waiting: waitingOf(text),
  state: null,
});

/** A server whose runs have a text in every place that an agent, a tool or a person fills. */
function serverOf(text: string, change: Partial<RunRecord> = {}) {
  const run = {
    show: async () => recordOf(text, change),
    assertOpen: async () => {},
    openType: async () => 'research',
    pendingQuestions: async () => waitingOf(text),
    events: async () => [],
  };
  const reprise = {
    list: async () => [listedOf(text)],
    inbox: async () => waitingOf(text),
    getRun: () => run,
    client: { withDeadline: (_: number, ask: () => unknown) => ask() },
  };
  const served = {
    reprise,
    ready: async () => reprise,
    configs: '/none',
    home: '/none',
    owner,
    url,
    port: 8234,
    origins: [],
  };
  const typed = (text: string): string => withProgramWord(text, 'npx reprise');
  const app = createApp({ ...served, feeds: undefined, typed, say: () => {} } as never);
  return (path: string, { headers = {}, method = 'GET' }: { headers?: Record<string, string>; method?: string } = {}) =>
    app.request(`${url}${path}`, {
      method,
      headers: { host: '127.0.0.1:8234', authorization: `Bearer ${owner}`, accept: 'text/html', ...headers },
    });
}

/** Every page on which a text of a run stands. */
const pagesOf = (text: string): string[] => {
  const id = encodeURIComponent(text);
  const waits = ['question', 'approval', 'tool', 'key'].map((kind) => `/runs/${id}/answer/${kind}-${id}`);
  return ['/', '/inbox', `/runs/${id}`, ...waits, `/runs/${id}/restart`, `/runs/${id}/cancel`];
};

/** What a page is made of besides its texts: its elements with their attributes, in which ids stand encoded. */
function skeletonOf(page: string, text: string): string[] {
  const { document } = parseHTML(page);
  return [...document.querySelectorAll('*')].map((element) => {
    const attributes = [...element.attributes]
      .map(({ name, value }) => {
        const ids = value.replaceAll(encodeURIComponent(text), 'ID').replaceAll(encodeURIComponent(nameOf(text)), 'ID');
        return `${name}=${ids}`;
      })
      .filter((each) => !each.startsWith('value='));
    return `${element.tagName} ${attributes.join(' ')}`;
  });
}

describe('nothing that comes from models, tools or people is anything but a text', async () => {
  const plain = 'plain';
  const request = serverOf(plain);
  const expected = await Promise.all(
    pagesOf(plain).map(async (path) => skeletonOf(await (await request(path)).text(), plain)),
  );

  test.each(injections.map((each) => [JSON.stringify(each).slice(0, 60), each]))('%s', async (_, text) => {
    const hostile = serverOf(text);
    for (const [index, path] of pagesOf(text).entries()) {
      const answer = await hostile(path);
      const page = await answer.text();
      expect([path, answer.status]).toEqual([path, 200]);
      expect(skeletonOf(page, text)).toEqual(expected[index]);
      const { document } = parseHTML(page);
      for (const element of document.querySelectorAll('[href], [action]')) {
        const target = element.getAttribute('href') ?? element.getAttribute('action') ?? '';
        expect(new URL(target, url).origin).toBe(url);
      }
      expect(page).toBe(printable(page));
    }
    const { document } = parseHTML(await (await hostile(`/runs/${encodeURIComponent(text)}`)).text());
    expect(document.body.textContent).toContain(printable(text).trim());
  });
});

test('a page may run nothing, load nothing but its own style, send forms only here, and stand in no other page', async () => {
  const { headers } = await serverOf('plain')('/');
  const policy = headers.get('content-security-policy') ?? '';
  expect(policy.replace(/sha256-[\w+/=]+/, 'HASH')).toBe(
    "default-src 'none'; style-src 'HASH'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
  );
  expect(headers.get('x-content-type-options')).toBe('nosniff');
  // By the door's policy a browser would send forms without the name of their origin.
  expect(headers.get('referrer-policy')).toBe('same-origin');
  expect((await serverOf('plain')('/nowhere')).headers.get('content-security-policy')).toBe(policy);
});

test('files of the answer are links, but one whose path would lead elsewhere', async () => {
  const workspace = {
    tree: 't',
    files: 3,
    bytes: 9,
    count: 4,
    added: ['a b/ä?#.md', '../x', 'c//d'],
    changed: [],
    removed: ['e'],
  };
  const page = await (await serverOf('r/1', { workspace })('/runs/r%2F1')).text();
  const links = [...parseHTML(page).document.querySelectorAll('a')].map((each) => each.getAttribute('href'));
  expect(links.filter((href) => href?.startsWith('/api'))).toEqual(['/api/v1/runs/r%2F1/files/a%20b/%C3%A4%3F%23.md']);
});

test('a page of what goes on is made again, unless it is to stay as it is; one into which something is typed never', async () => {
  const request = serverOf('r1');
  const refreshOf = async (path: string) => (await request(path)).headers.get('refresh');
  expect(await refreshOf('/runs/r1?done=answered')).toBe('10; url=/runs/r1');
  expect(await refreshOf('/runs/r1?still')).toBeNull();
  for (const path of pagesOf('r1').slice(3)) expect(await refreshOf(path)).toBeNull();
  expect((await serverOf('r1', { status: 'completed' })('/runs/r1')).headers.get('refresh')).toBeNull();
  expect(await (await request('/runs/r1')).text()).toMatch(/Made at \d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC/);
});

test('a token that may only read sees what runs, and no forms', async () => {
  const headers = { authorization: `Bearer ${issue(owner, { kind: 'read' })}` };
  const request = serverOf('r1');
  for (const path of ['/', '/inbox', '/runs/r1']) {
    const page = await (await request(path, { headers })).text();
    expect(page).not.toMatch(/<form|\/answer\/|\/cancel/);
  }
  for (const path of pagesOf('r1').slice(3)) expect((await request(path, { headers })).status).toBe(403);
});

test('a form that is sent when the login is over says what to do, and a page leads to where one logs in', async () => {
  const [request, headers] = [serverOf('r1'), { authorization: '' }];
  const led = await request('/runs/a%2Fb?still', { headers });
  expect([led.status, led.headers.get('location')]).toEqual([303, '/login?next=%2Fruns%2Fa%252Fb%3Fstill']);
  const sent = await request('/runs/r1/answer/q1', { headers, method: 'POST' });
  expect([sent.status, await sent.text()]).toEqual([401, expect.stringContaining('Your login is over')]);
});

test('an error is told to a browser as a page, in the words that others get as JSON', async () => {
  const request = serverOf('r1');
  const page = await request('/nowhere');
  expect([page.status, page.headers.get('content-type')]).toEqual([404, 'text/html; charset=utf-8']);
  expect(await page.text()).toContain('There is nothing at /nowhere');
  const json = await request('/nowhere', { headers: { accept: '*/*' } });
  expect(await json.json()).toMatchObject({
    status: 404,
    detail: expect.stringContaining('There is nothing at /nowhere'),
  });
});

test.each(['cross-site', 'same-site'])(
  'a link of a foreign page (%s) logs nobody in who does not say so',
  async (site) => {
    const token = issue(owner, { kind: 'start', names: ['theirs'] });
    const follow = (from: string) =>
      serverOf('r1')(`/login?token=${token}`, { headers: { authorization: '', 'sec-fetch-site': from } });
    expect((await follow('none')).headers.get('set-cookie')).toMatch(/; HttpOnly; SameSite=Lax$/);
    const foreign = await follow(site);
    expect([foreign.status, foreign.headers.get('set-cookie')]).toEqual([200, null]);
    expect(await foreign.text()).toContain(`value="${token}"`);
  },
);

test.each([
  ['a page for the login', '/login', {}, 'npx reprise token'],
  ['a refusal', '/api/v1/runs', { authorization: '', accept: 'application/json' }, 'npx reprise token'],
  ['the page of a run', '/runs/x', {}, '<p class="problem">Failed: Say npx reprise login X</p>'],
  [
    'the page of a run whose beginning is left out',
    '/runs/x',
    {},
    "<code>npx reprise show 'Say reprise login X'</code>",
  ],
  ['the inbox', '/inbox', {}, 'Say npx reprise login X'],
  ['the page where it is settled', '/runs/x/answer/key-Say reprise login X', {}, 'Say npx reprise login X'],
])('%s names commands such as can be typed where the server runs', async (_, path, headers, named) => {
  const steps = Array.from({ length: 30 }, () => stepsOf('x')).flat();
  const answer = await serverOf('Say reprise login X', { steps })(path, { headers });
  expect((await answer.text()).replaceAll('&#39;', "'")).toContain(named);
});

test.each(['/runs', '/api/v1/runs'])(
  'whoever may see only some runs is not told by %s where their folder is',
  async (path) => {
    const token = issue(owner, { kind: 'start', names: ['team'] });
    const id = `${accessOf(owner, token)?.prefix}x`;
    const others = 'https://none.example/none/a /nonetheless';
    const ask = serverOf(`there is no /none/tools/a.ts in /none,\n/none/b.ts ${others}`);
    const answer = await ask(`${path}/${id}`, { headers: { authorization: `Bearer ${token}` } });
    expect(answer.status).toBe(200);
    const text = await answer.text();
    expect(text).toContain('there is no tools/a.ts in .');
    expect(text).toContain(others);
    expect(text.replaceAll(others, '')).not.toContain('/none');
    expect(await (await ask(`${path}/${id}`)).text()).toContain('/none/tools/a.ts in /none');
  },
);
