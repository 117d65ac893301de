import { existsSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { RunEvent } from '../../src/protocol/events.ts';
import type { OrchestrationResult } from '../../src/protocol/orchestration.ts';
import { call, toolResults } from '../support/agent-script.ts';
import type { Script, Seen } from '../support/model-server.ts';
import { sharedRunning } from '../support/running.ts';
import { answer, restart, submit, teamOf, teamScript, vote, type TeamRequest } from '../support/team-script.ts';
import { textsIn, writeFiles } from '../support/workspace-script.ts';

const running = sharedRunning();

const type = 'openai';
const inWorkspace = (ids: string[], coordination: object = {}, orchestrator: object = {}) => {
  const team = teamOf(ids, { type }, coordination);
  const agents = team.agents.map((agent, index) => ({ ...agent, backend: { type, cwd: `workspace${index + 1}` } }));
  return { ...team, agents, orchestrator: { ...team.orchestrator, ...orchestrator } };
};

const write = (path: string, content: string) => call('write_file', { path, content });
const view = (path: string) => call('view_file', { path });
const has = ({ tools }: Seen, name: string): boolean => tools.includes(name);
/** How many of its own calls a request's conversation has the results of. */
const done = (request: Seen): number => toolResults(request).filter((text) => text !== 'Recorded.').length;

async function play(
  script: Script,
  config: object,
  prepare: (home: string) => void = () => {},
): Promise<{ home: string; requests: Seen[]; result: OrchestrationResult; events: RunEvent[] }> {
  const run = running(script);
  prepare(run.home);
  const handle = await run.start({ task: 'Add a login to the shop.', config });
  const result = (await handle.result()) as OrchestrationResult;
  const { home } = run;
  return { home, requests: [...run.model.requests], result, events: await handle.query<RunEvent[]>('events') };
}

const shop = (home: string): void => {
  for (const name of ['workspace1', 'workspace2', 'snapshots'])
    rmSync(join(home, name), { recursive: true, force: true });
  writeFiles(join(home, 'workspace1'), { 'app.py': 'print("shop")\n' });
  writeFiles(join(home, 'workspace2'), { 'app.py': 'print("shop")\n' });
};

describe('the use cases of the orchestration document, with files', () => {
  test('planning to execution: the first attempt only plans, the judge restarts, the second changes the files', async () => {
    const script = teamScript({
      answer: (request) => {
        if (request.attempt === 1)
          return answer(
            request.agent === 'agent_1'
              ? 'I would modify app.py to add the login function...'
              : 'I would create a database migration to add the users table...',
          );
        if (done(request) > 0) return answer(`Done by ${request.agent}.`);
        return request.agent === 'agent_1'
          ? write('app.py', 'def login(): ...\n')
          : write('migrations/001_users.sql', 'CREATE TABLE users (id int);\n');
      },
      decide: ({ attempt }) =>
        attempt === 1
          ? restart(
              "Agents only planned but didn't execute implementation",
              'Please actually implement the changes by modifying the files and running necessary commands.',
            )
          : submit(),
    });
    const { events, home, requests, result } = await play(
      script,
      inWorkspace(['agent_1', 'agent_2'], { enable_planning_mode: true }),
      shop,
    );
    const planning = requests.filter((each) => has(each, 'new_answer') && !each.prompt.includes('This is attempt 2'));
    expect(planning.every((each) => has(each, 'view_file') && !has(each, 'write_file'))).toBe(true);
    expect(result).toMatchObject({ outcome: 'submitted', attempts: 2, finalAgent: 'agent_1', warnings: [] });
    expect(await textsIn(home, result.workspace?.tree ?? null)).toEqual({ 'app.py': 'def login(): ...\n' });
    expect(result.workspace).toMatchObject({ files: 1, count: 1, added: [], changed: ['app.py'], removed: [] });
    const [first, second] = result.snapshots ?? [];
    expect(await textsIn(home, first?.agents['agent_1'] ?? null)).toEqual({ 'app.py': 'print("shop")\n' });
    expect(await textsIn(home, second?.agents['agent_2'] ?? null)).toEqual({
      'app.py': 'print("shop")\n',
      'migrations/001_users.sql': 'CREATE TABLE users (id int);\n',
    });
    expect(events).toContainEqual(
      expect.objectContaining({ type: 'files', agent: 'agent_2', count: 1, paths: ['migrations/001_users.sql'] }),
    );
    // The user's own folder is where it began, and stays so.
    expect(readFileSync(join(home, 'workspace1', 'app.py'), 'utf8')).toBe('print("shop")\n');
  });

  test('multi-step task: a restart begins with a clean workspace, and with the steps in order', async () => {
    const script = teamScript({
      answer: (request) => {
        if (request.attempt === 1) return done(request) > 0 ? answer('Fixed.') : write('fix.patch', 'fix\n');
        const steps = [
          call('list_files', {}),
          write('repo/README.md', 'cloned\n'),
          write('repo/issue.md', 'analysed\n'),
          write('repo/app.py', 'fixed\n'),
        ];
        return steps[done(request)] ?? answer('Cloned, analysed and fixed.');
      },
      decide: ({ attempt }) =>
        attempt === 1
          ? restart(
              'Agents attempted to solve issue without cloning repository first',
              'Step 1: Clone the repository. Step 2: Analyze the issue. Step 3: Implement the fix.',
            )
          : submit(),
    });
    const { home, requests, result } = await play(script, inWorkspace(['agent_1']), shop);
    expect(Object.keys(await textsIn(home, result.workspace?.tree ?? null))).toEqual([
      'app.py',
      'repo/README.md',
      'repo/app.py',
      'repo/issue.md',
    ]);
    const listed = requests.flatMap(toolResults).find((text) => text.includes('app.py (14 bytes)'));
    // That of the earlier attempt is not the agent's own any more, and is there to be read.
    expect(listed?.split('\n').map((line) => line.split(' ')[0])).toEqual([
      'app.py',
      'temp_workspaces/agent2/app.py',
      'temp_workspaces/agent2/fix.patch',
    ]);
    const told = requests.find(({ prompt }) => prompt.includes('This is attempt 2 to solve'));
    expect(told?.prompt).toContain('The files of the best answer so far are in temp_workspaces/agent2/.');
  });

  test('incomplete solution: with `restart_workspace: winner` all go on where the winner has ended', async () => {
    const script = teamScript({
      answer: (request) => {
        if (request.attempt === 1)
          return done(request) > 0 ? answer(`Server by ${request.agent}.`) : write('server.conf', `${request.agent}\n`);
        return done(request) > 0
          ? answer(`Server and database by ${request.agent}.`)
          : write('postgres.conf', `${request.agent}\n`);
      },
      vote: () => vote('agent2'),
      decide: ({ attempt }) =>
        attempt === 1
          ? restart(
              'Server setup complete but database configuration missing',
              'In addition to server setup, please configure the PostgreSQL database.',
            )
          : submit(),
    });
    const config = inWorkspace(
      ['agent_1', 'agent_2'],
      { enable_post_presentation_evaluation: true },
      { restart_workspace: 'winner' },
    );
    const { home, requests, result } = await play(script, config, shop);
    expect(result.finalAgent).toBe('agent_2');
    expect(await textsIn(home, result.workspace?.tree ?? null)).toEqual({
      'app.py': 'print("shop")\n',
      'postgres.conf': 'agent_2\n',
      'server.conf': 'agent_2\n',
    });
    expect(await textsIn(home, result.snapshots?.[1]?.agents['agent_1'] ?? null)).toEqual({
      'app.py': 'print("shop")\n',
      'postgres.conf': 'agent_1\n',
      'server.conf': 'agent_2\n',
    });
    const voter = requests.find(({ prompt }) => prompt.includes('Vote for the best answer'));
    expect(voter?.prompt).toContain(
      '</answer>\n<files agent="agent2">\n- server.conf (new)\n\n--- server.conf\n@@ line 1 @@\n+agent_2\n</files>',
    );
    const judge = requests.findLast((each) => has(each, 'submit'));
    expect(judge?.prompt).toContain('## Files\n\n- postgres.conf (new)\n- server.conf (new)');
  });
});

describe('what an agent sees of the others', () => {
  const looks = (path: string) => ({
    answer: (request: TeamRequest) =>
      done(request) > 0 ? answer(`By ${request.agent}.`) : write('plan.md', `of ${request.agent}\n`),
    vote: (request: TeamRequest) => (done(request) > 1 ? vote('agent1') : view(path)),
  });

  test('are the files of the answers that it was shown, and not before', async () => {
    const early = teamScript({
      answer: (request) =>
        [write('plan.md', `of ${request.agent}\n`), view('temp_workspaces/agent2/plan.md')][done(request)] ??
        answer(`By ${request.agent}.`),
      vote: (request) => (done(request) > 2 ? vote('agent1') : view('temp_workspaces/agent2/plan.md')),
    });
    const { requests } = await play(
      early,
      inWorkspace(['agent_1', 'agent_2'], { max_orchestration_restarts: 0 }),
      shop,
    );
    const last = requests.findLast(({ prompt, tools }) => prompt.includes('I am agent_1.') && tools.includes('vote'));
    expect(toolResults(last!).filter((text) => text !== 'Recorded.')).toEqual([
      'plan.md is written, 11 bytes.',
      'Error: there is no file temp_workspaces/agent2/plan.md; list_files lists what there is',
      'of agent_2\n',
    ]);
  });

  test('it cannot change them', async () => {
    const script = teamScript({
      ...looks(''),
      vote: (request) => (done(request) > 1 ? vote('agent1') : write('temp_workspaces/agent2/plan.md', 'mine')),
    });
    const { requests } = await play(
      script,
      inWorkspace(['agent_1', 'agent_2'], { max_orchestration_restarts: 0 }),
      shop,
    );
    expect(requests.flatMap(toolResults)).toContain(
      'Error: temp_workspaces/agent2/plan.md can only be read: what is in temp_workspaces/ is not yours',
    );
  });

  test('they are where `agent_temporary_workspace` says, and the prompt says so to those who have a workspace', async () => {
    const team = inWorkspace(
      ['agent_1', 'agent_2'],
      { max_orchestration_restarts: 0 },
      { agent_temporary_workspace: 'others/' },
    );
    const [first, second] = team.agents;
    const config = { ...team, agents: [first, { ...second, backend: { type } }] };
    const script = teamScript({
      answer: (request) => (done(request) > 0 || !has(request, 'write_file') ? answer('Done.') : write('a.md', 'A\n')),
      vote: (request) =>
        has(request, 'view_file') && done(request) === 1 ? view('others/agent1/a.md') : vote('agent1'),
    });
    const { home, requests, result } = await play(script, config, shop);
    const told = (id: string) => requests.find(({ prompt }) => prompt.includes(`I am ${id}.`))?.prompt;
    expect(told('agent_1')).toContain('its files are in others/NAME/');
    expect(told('agent_2')).not.toContain('workspace');
    expect(Object.keys(await textsIn(home, result.workspace?.tree ?? null))).toEqual(['a.md', 'app.py']);
  });
});

describe('the final agent', () => {
  test('goes on with the files of the selected answer, and what it leaves is delivered', async () => {
    const script = teamScript({
      answer: (request) => (done(request) > 0 ? answer(`By ${request.agent}.`) : write('a.md', request.agent)),
      vote: () => vote('agent2'),
      present: (request) =>
        [view('a.md'), write('b.md', 'final\n')][done(request)] ?? { text: 'The final answer, with files.' },
    });
    const config = inWorkspace(['agent_1', 'agent_2'], { max_orchestration_restarts: 0 });
    const { home, requests, result } = await play(script, config, shop);
    expect(requests.findLast((each) => !has(each, 'vote'))?.prompt).toContain(
      'As you leave them, they are delivered with your answer.',
    );
    expect(await textsIn(home, result.workspace?.tree ?? null)).toEqual({
      'a.md': 'agent_2',
      'app.py': 'print("shop")\n',
      'b.md': 'final\n',
    });
    expect(await textsIn(home, result.snapshots?.[0]?.agents['agent_2'] ?? null)).not.toHaveProperty('b.md');
  });

  test('carries out what was planned where nobody restarts', async () => {
    const script = teamScript({
      present: (request) => (done(request) > 0 ? { text: 'Done.' } : write('app.py', 'login\n')),
    });
    const config = inWorkspace(['agent_1', 'agent_2'], { enable_planning_mode: true });
    const { home, result } = await play(script, config, shop);
    expect(result.attempts).toBe(1);
    expect(await textsIn(home, result.workspace?.tree ?? null)).toEqual({ 'app.py': 'login\n' });
  });
});

describe('folders of the configuration', () => {
  test('one that is not there makes an empty workspace, and is told', async () => {
    const { events, result } = await play(teamScript(), inWorkspace(['agent_1']), (home) =>
      rmSync(join(home, 'workspace1'), { recursive: true, force: true }),
    );
    expect(events).toContainEqual(
      expect.objectContaining({
        type: 'notice',
        text: 'agent agent_1 begins with an empty workspace: there is no folder workspace1 (cwd)',
      }),
    );
    expect(result.workspace).toMatchObject({ tree: null, files: 0, count: 0 });
  });

  test.each([
    ['..', /leads out of the folder of the configuration: name a folder in it/],
    ['/etc', /is absolute, and must be in the folder of the configuration/],
    ['a/../../b', /leads out/],
    ['out', /is a link that leads out/],
    ['file', /is not a folder; name a folder/],
  ])('cwd: %s is refused before any model is called', async (cwd, problem) => {
    const run = running(teamScript());
    rmSync(join(run.home, 'out'), { force: true });
    symlinkSync('/etc', join(run.home, 'out'));
    writeFiles(run.home, { file: 'text' });
    const team = teamOf(['agent_1'], { type, cwd });
    const failure = (await run.orchestrate({ task: 'T', config: team }).catch((error: unknown) => error)) as Error;
    expect(JSON.stringify([failure, failure.cause, (failure.cause as Error).cause], messages)).toMatch(problem);
    expect(run.model.requests).toEqual([]);
  });

  test('`snapshot_storage` gets the files of all attempts, and what is delivered', async () => {
    const script = teamScript({
      answer: (request) =>
        done(request) > 0 ? answer(`By ${request.agent}.`) : write('a.md', `${request.agent} ${request.attempt}\n`),
      decide: ({ attempt }) => (attempt === 1 ? restart('Again.', 'Better.') : submit()),
    });
    const config = inWorkspace(['agent_1', 'agent_2'], {}, { snapshot_storage: 'snapshots' });
    const { events, home } = await play(script, config, shop);
    const [said] = events.flatMap((each) => (each.type === 'notice' ? [each.text] : []));
    const [, place = ''] = /are in (\S+)$/.exec(said ?? '') ?? [];
    const text = (path: string): string => readFileSync(join(home, place, path), 'utf8');
    expect(place).toMatch(/^snapshots\//);
    expect(text('attempt1/agent_1/a.md')).toBe('agent_1 1\n');
    expect(text('attempt2/agent_2/a.md')).toBe('agent_2 2\n');
    expect(text('final/a.md')).toBe('agent_1 2\n');
    expect(existsSync(join(home, place, 'attempt3'))).toBe(false);
  });
});

const messages = (_: string, value: unknown): unknown => (value instanceof Error ? value.message : value);
