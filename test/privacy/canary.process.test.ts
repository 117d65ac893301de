import { randomBytes } from 'node:crypto';
import { rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { connect, type Reprise } from '../../src/client.ts';
import { canary, decodedRun, foundBelow, foundIn } from '../support/canaries.ts';
import { Home, type Running } from '../support/cli.ts';
import { configOf, folderOf, orchestrator } from '../support/extensions.ts';
import { startGitHubServer, type GitHubServer } from '../support/github-server.ts';
import { startModelServer, type ModelServer, type Scripted, type Seen } from '../support/model-server.ts';
import { criticism, plan, report, researchScript } from '../support/research-script.ts';
import { startSearchServer, type SearchServer } from '../support/search-server.ts';
import { analysis, completed, solveScript, subtasks } from '../support/solve-script.ts';
import { answer, ask, restart, submit, teamOf, teamScript, vote } from '../support/team-script.ts';

const encryptionKey = randomBytes(32).toString('base64');

/** What belongs to the worker alone, by where it stands. */
const secrets = {
  openaiKey: `sk-${canary('openai')}`,
  anthropicKey: canary('anthropic'),
  githubToken: canary('github'),
  gateToken: canary('gate'),
  searchPassword: canary('search'),
  databasePassword: canary('database'),
  queryKey: canary('query'),
  encryptionKey,
};

/** What runs are about, by where it stands. */
const content = Object.fromEntries(
  (
    'task persona argument toolResult toolError answer reason restart question reply final providerWords turn chat idea ' +
    'plan hit criticism report problem attachment requirement subtask result synthesis badConfig'
  )
    .split(' ')
    .map((name) => [name, canary(name)]),
) as Record<string, string>;
const c = (name: string): string => content[name] ?? '';

const everything = fileURLToPath(import.meta.resolve('@modelcontextprotocol/server-everything/dist/index.js'));

/** A server of tools that prints what it was given, and has a tool that returns it. */
const gate = {
  name: 'gate',
  command: 'sh',
  args: ['-c', 'echo "the gate has $GATE_TOKEN and $PLACE" >&2; exec "$0" "$1" stdio', process.execPath, everything],
  env: { GATE_TOKEN: '${GATE_TOKEN}', PLACE: '${OTHER_DATABASE_URL}' },
};

/** Tools that give away what they can. */
const leakingTools = `export const tools = [
  { name: 'leak', description: 'leaks', parameters: { type: 'object', properties: { text: { type: 'string' } } },
    sideEffects: false,
    execute: ({ text }: { text: string }) => text + ' ${c('toolResult')} ' + JSON.stringify(process.env) +
      Buffer.from('user:' + process.env.GATE_TOKEN).toString('base64') },
  { name: 'break', description: 'breaks', parameters: { type: 'object', properties: {} }, sideEffects: false,
    execute: () => {
      const cause = new Error('caused by ' + process.env.OPENAI_API_KEY);
      throw new Error('${c('toolError')}: ' + process.env.OTHER_DATABASE_URL + ' ' + process.env.GITHUB_TOKEN, { cause });
    } },
];`;

const team = (): object => ({
  ...teamOf(
    ['agent_a', 'agent_b'],
    { type: 'openai', model: 'gpt-test', mcp_servers: [gate], headers: { 'X-Gate': '${GATE_TOKEN}' } },
    { broadcast: 'human', enable_post_presentation_evaluation: false },
  ),
  permissions: [{ tool: '*', action: 'allow' }],
});

const teamConfig = (): object => {
  const config = team() as { agents: Array<Record<string, unknown>> };
  const agents = config.agents.map((agent) => ({
    ...agent,
    system_message: `${String(agent['system_message'])} ${c('persona')}`,
    tool_packages: ['tools.leaking'],
  }));
  return { ...config, agents };
};

/** A provider that shows a whole request, key and all, in its refusal. */
const echo = ({ headers }: Seen): Scripted => ({
  status: 400,
  errorBody: JSON.stringify({
    error: {
      type: 'invalid_request_error',
      message:
        `${c('providerWords')}: Authorization: ${headers.authorization}; ` +
        `${Buffer.from(`x:${secrets.openaiKey}`).toString('base64')}; X-Gate ${String(headers['x-gate'])}; ` +
        `https://me:${secrets.databasePassword}@host/?key=${secrets.queryKey}`,
    },
  }),
});

function script(): (seen: Seen) => Scripted | Promise<Scripted> {
  const done = new Map<string, number>();
  const time = (what: string): number => {
    done.set(what, (done.get(what) ?? 0) + 1);
    return done.get(what) ?? 0;
  };
  const inTeam = teamScript({
    answer(request) {
      if (request.agent === 'agent_b' && request.attempt === 1) return echo(request);
      const steps: Scripted[] = [
        { calls: [{ name: 'leak', arguments: { text: c('argument') } }] },
        { calls: [{ name: 'break', arguments: {} }] },
        { calls: [{ name: 'get-env', arguments: {} }] },
        ask(`${c('question')}?`),
      ];
      return steps[time(`answer ${request.agent} ${request.attempt}`) - 1] ?? answer(c('answer'));
    },
    vote: () => vote('agent1', c('reason')),
    decide: ({ attempt }) => (attempt === 1 ? restart(c('restart'), 'again') : submit()),
    present: () => ({ text: c('final') }),
  });
  const inResearch = researchScript({
    plan: () => plan(c('plan')),
    criticise: () => criticism(72, { criticism: c('criticism') }),
    synthesise: () => report(c('report'), 'So it is said [1.1].'),
  });
  const inPlan = solveScript({
    analyse: () => analysis([c('requirement')]),
    plan: () => subtasks({ id: 'step_1', description: c('subtask') }),
    work: () => completed(c('result')),
    synthesise: () => ({ text: c('synthesis') }),
  });
  return (seen) => {
    const { prompt } = seen;
    if (prompt.includes(c('turn'))) return { text: c('chat') };
    if (prompt.includes(c('idea')) || prompt.includes(c('plan'))) return inResearch(seen);
    if (prompt.includes(c('problem'))) return inPlan(seen);
    return inTeam(seen);
  };
}

describe.each([
  ['without encryption', {}, ''],
  ['with encryption', { REPRISE_ENCRYPTION_KEY: encryptionKey }, encryptionKey],
])('%s', (_, variables: Record<string, string>, key) => {
  let home: Home;
  let model: ModelServer;
  let github: GitHubServer;
  let search: SearchServer;
  let extensions: string;
  let up: Running;
  let reprise: Reprise;
  const runs: string[] = [];
  /** What the library and the command line have shown of the runs. */
  let shown = '';
  let said = '';

  beforeAll(async () => {
    model = await startModelServer(script());
    github = await startGitHubServer();
    search = await startSearchServer(() => ({
      results: [{ title: c('hit'), url: 'https://one.example', content: 'One.' }],
    }));
    extensions = folderOf({
      'tools/leaking.ts': leakingTools,
      'mine.ts': orchestrator(`return (await llm.generate([{ role: 'user', content: text }])).content;`),
      'team.json': JSON.stringify(teamConfig()),
      'mine.json': JSON.stringify(configOf('./mine.ts')),
      'study.json': JSON.stringify({
        research: {
          backend: { type: 'openai' },
          github_issue: { repo: 'owner/name' },
          search: { provider: 'searxng' },
        },
      }),
      'plan.json': JSON.stringify({ plan: { backend: { type: 'openai' } } }),
    });
    home = await Home.make({
      OPENAI_API_KEY: secrets.openaiKey,
      OPENAI_BASE_URL: model.openai,
      ANTHROPIC_API_KEY: secrets.anthropicKey,
      GITHUB_TOKEN: secrets.githubToken,
      GITHUB_API_URL: github.url,
      GATE_TOKEN: secrets.gateToken,
      OTHER_DATABASE_URL: `postgres://me:${secrets.databasePassword}@127.0.0.1:1/runs?key=${secrets.queryKey}`,
      SEARXNG_URL: search.url.replace('://', `://me:${secrets.searchPassword}@`),
      ...variables,
    });
    up = home.startProcess(['up', '--extensions', extensions]);
    await up.says(/Ready\./);
    reprise = await connect({ address: home.holder?.address ?? '', plain: true, encryptionKey: key });
    await runAll();
    await reprise.close();
    const listed = home.start(['list', '--all']);
    const { stderr, stdout } = await listed.finished;
    shown += stdout;
    said += stderr;
    up.signal('SIGTERM');
    const ended = await up.finished;
    said += ended.stdout + ended.stderr;
  });

  afterAll(async () => {
    await home?.remove();
    await Promise.all([model?.close(), github?.close(), search?.close()]);
    rmSync(extensions, { recursive: true, force: true });
  });

  async function runAll(): Promise<void> {
    const orchestration = await reprise.startOrchestration({ task: c('task'), config: 'team' });
    const session = await reprise.startSession({ text: c('turn'), config: 'mine' });
    const research = await reprise.startResearch({ idea: c('idea'), config: 'study' });
    const solve = await reprise.startSolve({
      problem: c('problem'),
      config: 'plan',
      attachments: [{ name: 'notes.txt', data: Buffer.from(`${c('attachment')}\n`).toString('base64') }],
    });
    const refused = await reprise.startOrchestration({ task: c('task'), config: { [c('badConfig')]: 1 } });
    const literal = { agents: [{ id: 'a', backend: { type: 'openai', api_key_env: secrets.openaiKey } }] };
    // What is refused was not sent.
    await expect(reprise.startOrchestration({ task: 'x', config: literal as never })).rejects.toThrow(
      'config.agents[0].backend.api_key_env: is no name of a variable',
    );
    for await (const { state } of orchestration.watch()) {
      if (state === undefined) continue;
      for (const { questionId } of await orchestration.pendingQuestions().catch(() => []))
        await orchestration.answer({ questionId, answer: c('reply') }).catch(() => {});
    }
    for (const run of [orchestration, session, research, solve, refused]) {
      const result = await run
        .result()
        .catch((error: Error) => `${String(error.cause)} ${String((error.cause as Error).cause)}`);
      const record = await run.show({ prompts: true, home: home.path });
      shown += JSON.stringify([result, record]);
      runs.push(run.id);
    }
    const histories = await Promise.all(runs.map((id) => decodedRun(reprise, id)));
    decoded = Buffer.concat(histories);
  }
  let decoded: Buffer;

  test('what is looked for was there', () => {
    expect(model.requests.some(({ headers }) => headers.authorization === `Bearer ${secrets.openaiKey}`)).toBe(true);
    expect(github.requests.some(({ authorization }) => authorization?.includes(secrets.githubToken))).toBe(true);
    // The server of tools has returned what it was given, and the provider has shown what it was sent.
    expect(shown).toMatch(/GATE_TOKEN[^,]*\[redacted\]/);
    expect(shown).toMatch(/Authorization: Bearer \[redacted\]/);
    const known = foundIn(Buffer.from(shown), content);
    expect(Object.keys(content).filter((name) => !known.includes(name))).toEqual([]);
  });

  test('no secret of the worker is in what a run is, decoded: history, memo, search attributes, results', () => {
    expect(foundIn(decoded, secrets)).toEqual([]);
    expect(foundIn(Buffer.from(shown), secrets)).toEqual([]);
  });

  test('nor in a file of the home: the databases of Temporal and of the store, and logs', () => {
    expect(foundBelow(home.path, secrets)).toEqual([]);
  });

  test('nor in what the worker and the commands have printed', () => {
    expect(foundIn(Buffer.from(said), secrets)).toEqual([]);
  });

  test('nor in an issue', () => {
    expect(foundIn(Buffer.from(JSON.stringify(github.issues)), secrets)).toEqual([]);
  });

  test.skipIf(key === '')('and nothing that runs are about is in a file of the home, or was printed', () => {
    expect(foundBelow(home.path, content)).toEqual([]);
    expect(foundIn(Buffer.from(said), content)).toEqual([]);
  });
});
