import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { connect as open, createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test, type TestContext } from 'vitest';
import { connect, type Run } from '../../src/client.ts';
import { agentOf, call, toolResults, writeKit } from '../support/agent-script.ts';
import { browserPath } from '../support/browser.ts';
import { firstWords } from '../support/first-words.ts';
import { injections } from '../support/injections.ts';
import { killed } from '../support/killed.ts';
import { startModelServer, type Script } from '../support/model-server.ts';
import { runningMachine } from '../support/processes.ts';
import { ownerToken } from '../support/serving.ts';
import { answer, ask, restart, submit, teamOf, teamScript, vote } from '../support/team-script.ts';

if (browserPath === undefined)
  console.warn('SKIPPED: no chromium or google-chrome on the PATH, so that the pages are not tried in a browser');

/** Where pictures for the documentation go: `REPRISE_PICTURES=docs/pictures npm run test:all -- test/serve/pages`. */
const pictures = process.env['REPRISE_PICTURES'];

const serveMain = fileURLToPath(new URL('../support/serve-main.ts', import.meta.url));
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** The smallest telephone that people have, in pixels. */
const telephone = { width: 360, height: 640 };

/** Ends what was opened for the tests, the last one first. */
const ends: Array<() => unknown> = [];
afterAll(async () => {
  for (const end of ends.toReversed()) await end();
});

/** A Temporal server, a worker, an HTTP server behind a balancer, each a process, and a browser that has logged in. */
async function stage(script: Script) {
  const onTestFinished: TestContext['onTestFinished'] = (end) => void ends.push(end as () => unknown);
  const machine = await runningMachine({ onTestFinished }, await startModelServer(script), writeKit);
  let served: ChildProcess | undefined;
  let port = 0;
  const balancer = createServer((socket) => {
    const other = open(port, '127.0.0.1');
    socket.on('error', () => other.destroy()).pipe(other);
    other.on('error', () => socket.destroy()).pipe(socket);
  }).listen(0, '127.0.0.1');
  await once(balancer, 'listening');
  const url = `http://127.0.0.1:${(balancer.address() as AddressInfo).port}`;
  ends.push(
    () => killed(served),
    () => balancer.close(),
  );
  /** Starts an HTTP server in place of the one before, which is killed. */
  const serve = async (): Promise<void> => {
    await killed(served);
    served = spawn(process.execPath, [serveMain, machine.address, machine.home, ownerToken, url], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    port = Number(new URL(await firstWords(served)).port);
  };
  await serve();
  const reprise = await connect({ address: machine.address, plain: true, home: machine.home });
  ends.push(() => reprise.close());
  const browser = await chromium.launch({ executablePath: browserPath ?? '', args: ['--no-sandbox'] });
  ends.push(() => browser.close());
  const page = await browser.newPage({ viewport: telephone });
  const seen: string[] = [];
  page.on('dialog', (dialog) => {
    seen.push(`a dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on('request', (request) => seen.push(new URL(request.url()).origin));
  await page.goto(`${url}/login?token=${ownerToken}`);
  return { machine, page, reprise, seen, serve, url };
}

/** What has the focus is called so: by its label, or by its own text. */
const focused = `(({ activeElement: at }) => (at.labels?.[0] ?? at).textContent.trim())(document)`;

/** Goes by the keyboard to what is called so. @throws where it is not reached */
async function tabTo(page: Page, name: string): Promise<void> {
  for (let presses = 0; presses < 60; presses++) {
    await page.keyboard.press('Tab');
    const called = await page.evaluate<string>(focused);
    if (called === name) return;
  }
  throw new Error(`The keyboard does not reach "${name}": ${await page.innerText('body')}`);
}

const press = async (page: Page, name: string): Promise<void> => {
  await tabTo(page, name);
  await Promise.all([page.waitForNavigation(), page.keyboard.press('Enter')]);
};

const widths = '(({ clientWidth, scrollWidth }) => ({ clientWidth, scrollWidth }))(document.documentElement)';

/** What axe finds that is serious, and whether the page is wider than its window. */
async function problemsOf(page: Page): Promise<string[]> {
  await page.evaluate(axe);
  const { violations } = await page.evaluate<{ violations: Found[] }>('axe.run()');
  const { clientWidth, scrollWidth } = await page.evaluate<Widths>(widths);
  const serious = violations.filter(({ impact }) => impact === 'serious' || impact === 'critical');
  return [
    ...serious.map(({ help, id, nodes }) => `${id}: ${help} ${nodes[0]?.html}`),
    ...(scrollWidth > clientWidth ? ['too wide'] : []),
  ];
}

type Widths = Record<'clientWidth' | 'scrollWidth', number>;

interface Found {
  id: string;
  help: string;
  impact: string;
  nodes: Array<{ html: string }>;
}

/** The elements and the attributes of a page that run something, load something or lead elsewhere. */
const hostile = `(() => {
  const all = [...document.querySelectorAll('*')];
  const active = /script|img|svg|math|iframe|object|embed|base|link|video|marquee|template/;
  return {
    active: all.map(({ localName }) => localName).filter((name) => active.test(name)),
    attributes: all
      .flatMap((each) => [...each.attributes])
      .filter(({ name, value }) => name.startsWith('on') || /^\\s*(?:javascript|data|https?):/i.test(value))
      .map(({ name }) => name),
  };
})()`;

const waits = (run: Run) => expect.poll(async () => (await run.pendingQuestions()).length).toBe(1);

const all = injections.join('\n');

const scripts: Record<string, Script> = {
  team: teamScript({
    answer: ({ agent, attempt, messages }) => {
      if (agent === 'agent_b') return answer('PostgreSQL: it grows with the team.');
      if (!messages.some(({ role }) => role === 'tool')) return ask('Is there somebody who looks after a server?');
      return answer(`SQLite: one file, no server.${attempt === 2 ? ' Copy it each night.' : ''}`);
    },
    vote: () => vote('agent1', 'It needs nobody who looks after it.'),
    decide: ({ attempt }) =>
      attempt === 1 ? restart('Nothing is said of backups.', 'Say how it is kept safe.') : submit(),
    present: () => ({ text: 'Take SQLite: one file, and no server. Copy the file each night.' }),
  }),
  'scripted-1': (seen) => {
    const [result] = toolResults(seen);
    return result === undefined ? call('write', { path: 'a', text: 'one' }) : { text: `It says: ${result}` };
  },
  hostile: teamScript({
    answer: ({ messages }) => {
      const results = messages.filter(({ role }) => role === 'tool').length;
      if (results === 0) return call('echo', { text: all }, all);
      return results === 1 ? ask(all) : answer(all);
    },
    vote: () => vote('agent1', all),
    decide: ({ attempt }) => (attempt === 1 ? restart(all, all) : submit()),
    present: () => ({ text: all }),
  }),
};

let staged: Awaited<ReturnType<typeof stage>>;
beforeAll(async () => {
  if (browserPath !== undefined) staged = await stage((seen) => scripts[seen.model]?.(seen) ?? { text: '' });
});

const price = { input: 2, cachedInput: 0.5, output: 8 };

/** A team that may ask a person. */
const teamWith = (model: string) =>
  teamOf(['agent_a', 'agent_b'], { type: 'openai', model }, { broadcast: 'human' }, { prices: { [model]: price } });

test.skipIf(browserPath === undefined)(
  'on a telephone and by keyboard alone a question is answered and a tool call allowed, worker and server killed in between',
  async () => {
    const { machine, page, reprise, serve, url } = staged;
    const killAll = async (): Promise<void> => {
      await machine.killWorker();
      await Promise.all([serve(), machine.startWorker()]);
    };

    const task = 'Which database suits a team of five?';
    const question = await reprise.startOrchestration({ task, config: teamWith('team') }, { id: 'database' });
    await waits(question);
    await page.goto(url);
    expect(await problemsOf(page)).toEqual([]);
    await press(page, task);
    await press(page, 'Answer (q1)');
    expect(await problemsOf(page)).toEqual([]);
    await tabTo(page, 'Your answer');
    await page.keyboard.type('Nobody, so far.');
    await killAll();
    await press(page, 'Send the answer');
    expect(await page.innerText('main')).toMatch(/has arrived|It is sent/);
    const { humanQa, restarts } = await question.result();
    expect([humanQa[0]?.answer, restarts.length]).toEqual(['Nobody, so far.', 1]);

    const writing = agentOf('openai', { simple: {} }, ['kit'], { attended: true });
    const session = await reprise.startSession({ config: writing, text: 'Write it down.' }, { id: 'writing' });
    await waits(session);
    await page.goto(`${url}/inbox`);
    expect(await problemsOf(page)).toEqual([]);
    await press(page, 'Allow or deny (t1)');
    expect(await problemsOf(page)).toEqual([]);
    await killAll();
    await press(page, 'Allow write');
    expect(await page.innerText('main')).toMatch(/is allowed|It is sent/);
    expect((await session.result()).answer).toContain('wrote one');

    await page.emulateMedia({ colorScheme: 'dark' });
    for (const path of ['/start', '/login', '/runs/database']) {
      await page.goto(`${url}${path}`);
      expect([path, ...(await problemsOf(page))]).toEqual([path]);
    }
    await page.emulateMedia({ colorScheme: 'light' });
    if (pictures === undefined) return;
    await page.setViewportSize({ width: 620, height: 900 });
    await page.screenshot({ path: join(pictures, 'page.png') });
    await page.setViewportSize(telephone);
  },
);

test.skipIf(browserPath === undefined)(
  'texts of models and people that would be more run nothing, load nothing and lead nowhere',
  async () => {
    const { page, reprise, seen, url } = staged;
    const config = teamWith('hostile');
    for (const agent of config.agents) Object.assign(agent, { tool_packages: ['kit'] });
    const run = await reprise.startOrchestration({ task: all, config }, { id: 'hostile' });
    await waits(run);
    for (const path of ['/', '/inbox', '/runs/hostile', '/runs/hostile/answer/q1']) await look(path);
    await run.answer({ questionId: 'q1', answer: all });
    await run.result();
    await look('/runs/hostile');
    expect(new Set(seen)).toEqual(new Set([url]));

    async function look(path: string): Promise<void> {
      await page.goto(`${url}${path}`);
      expect(await page.textContent('body')).toContain('<script>alert(1)</script>');
      const { active, attributes } = await page.evaluate<Record<'active' | 'attributes', string[]>>(hostile);
      expect({ path, active, attributes }).toEqual({ path, active: [], attributes: [] });
      for (const summary of await page.$$('summary')) await summary.click();
      const { clientWidth, scrollWidth } = await page.evaluate<Widths>(widths);
      expect([path, scrollWidth]).toEqual([path, clientWidth]);
      expect(page.url()).toBe(`${url}${path}`);
    }
  },
);
