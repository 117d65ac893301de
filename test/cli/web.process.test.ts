import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { call, toolResults } from '../support/agent-script.ts';
import { Home } from '../support/cli.ts';
import { startModelServer, type ModelServer, type Script, type Seen } from '../support/model-server.ts';
import { startSearchServer, type SearchServer } from '../support/search-server.ts';
import { completed, solveScript } from '../support/solve-script.ts';
import { answer, teamScript } from '../support/team-script.ts';

let script: Script;
let model: ModelServer;
let service: SearchServer;
let home: Home;
beforeAll(async () => {
  model = await startModelServer((seen) => script(seen));
  service = await startSearchServer(() => ({
    results: [{ title: 'Rye', url: 'https://rye.example/', content: 'Twelve hours.' }],
  }));
  home = await Home.make({ OPENAI_API_KEY: 'test-key-openai', OPENAI_BASE_URL: model.openai });
});
afterAll(async () => {
  await home.remove();
  await Promise.all([model.close(), service.close()]);
});
beforeEach(() => {
  model.requests.length = 0;
  service.searches.length = 0;
});

const brave = (): Record<string, string> => ({ BRAVE_API_KEY: 'test-key-brave', BRAVE_BASE_URL: service.brave });
const everyday = ['web_search', 'fetch_page', 'read_attachment', 'query_table', 'save_file'];
const isAbout = (seen: Seen, text: string): boolean => toolResults(seen).some((result) => result.includes(text));
const noService =
  /web_search has no search service, and agents are told so: set SEARXNG_URL, .* or GEMINI_API_KEY; SearXNG needs no key: docker run /;

describe('--tools', () => {
  test('lets one agent search', async () => {
    script = (seen) =>
      isAbout(seen, 'https://rye.example/')
        ? { text: 'It rests for twelve hours.' }
        : call('web_search', { query: 'rye dough rest' });
    const { status, stdout, stderr } = await home.run(['chat', '--tools', 'How long?'], brave());
    expect({ status, stdout }).toEqual({ status: 0, stdout: 'It rests for twelve hours.\n' });
    expect(stderr).toContain('web_search');
    expect(stderr).not.toMatch(noService);
    expect(model.requests[0]?.tools).toEqual(expect.arrayContaining(everyday));
    expect(service.searches).toMatchObject([{ service: 'brave', query: 'rye dough rest' }]);
  });

  test('lets every agent of a team do so', async () => {
    script = teamScript({
      answer: (request) =>
        isAbout(request, 'Twelve hours.')
          ? answer(`Answer of ${request.agent}.`)
          : call('web_search', { query: 'rye' }),
    });
    const { status } = await home.run(['ask', '--tools', '--agents', '2', '--json', 'How long?'], brave());
    expect(status).toBe(0);
    expect(service.searches).toHaveLength(2);
  });

  test('is refused where the configuration of the worker elsewhere is not known', async () => {
    const elsewhere = ['--temporal', '192.0.2.1:7233'];
    expect(await home.run(['chat', '--tools', 'Hello', ...elsewhere])).toMatchObject({
      status: 2,
      stderr: expect.stringMatching(/^--tools needs --model or --config here, since the worker is elsewhere$/m),
    });
  });

  test('is said by the help of each command that has it', async () => {
    for (const command of ['ask', 'chat', 'solve'])
      expect((await home.run([command, '--help'])).stdout).toMatch(/--tools +every agent may search and read the web/);
    expect((await home.run(['research', '--help'])).stdout).not.toContain('--tools');
  });
});

describe('solve without a configuration', () => {
  test('has the web, and says what to set where nothing searches it', async () => {
    let denied = '';
    script = solveScript({
      work: (request) => {
        [denied = ''] = toolResults(request);
        return denied === '' ? call('web_search', { query: 'rye' }) : completed('Twelve hours.');
      },
    });
    const local = ['--model', `${model.openai}#scripted`];
    const { status, stderr } = await home.run(['solve', 'How long?', ...local], { OPENAI_API_KEY: '' });
    expect(status).toBe(0);
    expect(stderr).toMatch(noService);
    expect(denied).toMatch(/^Error: this worker has no search service, so nothing was searched/);
    const [planning] = model.requests;
    expect(planning?.prompt).toContain('- web_search: CANNOT SEARCH HERE');
    const working = model.requests.find(({ tools }) => tools.includes('finish_subtask'));
    expect(working?.tools).toEqual(expect.arrayContaining(['web_search', 'fetch_page']));
  });

  test('has no tools where the configuration says so', async () => {
    writeFileSync(join(home.folder, 'bare.yaml'), 'plan: {executor: {tool_packages: []}}\n');
    script = solveScript();
    const { stderr } = await home.run(['solve', 'How long?', '--config', 'bare.yaml']);
    expect(stderr).not.toMatch(noService);
    expect(model.requests.flatMap(({ tools }) => tools)).not.toContain('web_search');
  });
});

test('validate warns, and knows what is set', async () => {
  writeFileSync(join(home.folder, 'plan.yaml'), 'plan: {}\n');
  const local = `plan: {backend: {type: chatcompletion, model: m, base_url: '${model.openai}'}}\n`;
  writeFileSync(join(home.folder, 'local.yaml'), local);
  expect((await home.run(['validate', 'local.yaml'], { OPENAI_API_KEY: '' })).stderr).toMatch(noService);
  expect((await home.run(['validate', 'plan.yaml'])).stderr).not.toMatch(noService);
  expect((await home.run(['validate', 'plan.yaml'], { TAVILY_API_KEY: 'k' })).stderr).not.toMatch(/web_search/);
});
