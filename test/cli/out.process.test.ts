import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { OrchestrationResult, TurnResult } from '../../src/client.ts';
import { agentOf, call, toolResults } from '../support/agent-script.ts';
import { Home } from '../support/cli.ts';
import type { Script, Seen } from '../support/model-server.ts';
import { completed, solveScript } from '../support/solve-script.ts';
import { answer, restart, submit, teamScript } from '../support/team-script.ts';
import { writeFiles } from '../support/workspace-script.ts';

const done = (request: Seen): number => toolResults(request).filter((text) => text !== 'Recorded.').length;
const write = (path: string, content: string) => call('write_file', { path, content });

const team = `
agents:
  - id: agent_1
    system_message: I am agent_1.
    backend: { type: openai, cwd: workspace1 }
  - id: agent_2
    system_message: I am agent_2.
    backend: { type: openai, cwd: workspace2 }
orchestrator:
  coordination: { enable_planning_mode: true }
`;

/** The first example of the document: the first attempt only plans, the second changes files. */
const planThenAct = teamScript({
  answer: (request) => {
    if (request.attempt === 1) return answer(`I would change files, says ${request.agent}.`);
    if (done(request) > 0) return answer(`Done by ${request.agent}.`);
    return request.agent === 'agent_1'
      ? write('app.py', 'def login(): ...\n')
      : write('db/users.sql', 'CREATE TABLE\n');
  },
  decide: ({ attempt }) =>
    attempt === 1
      ? restart("Agents only planned but didn't execute implementation", 'Please actually implement the changes.')
      : submit(),
});

let script: Script;
let home: Home;
beforeAll(async () => {
  home = await Home.withModel((seen) => script(seen));
  writeFiles(home.folder, {
    'team.yaml': team,
    'plain.yaml': 'agents:\n  - id: a\n    backend: {type: openai}\n',
    'agent.yaml': JSON.stringify(agentOf('openai', { simple: {} }, ['builtin.workspace'])),
    'plan.yaml': 'plan: {backend: {type: openai, cwd: workspace1}}\n',
    'workspace1/app.py': 'print("shop")\n',
    'workspace1/lib/util.py': 'pass\n',
    'taken.txt': 'a file',
  });
  await home.upHere();
});
afterAll(() => home.remove());

const textOf = (path: string): string => readFileSync(join(home.folder, path), 'utf8');

describe('--out DIR', () => {
  test('has the files of the winner, after the first attempt has only planned; the folder of `cwd` stays as it was', async () => {
    script = planThenAct;
    const words = ['ask', 'Add a login.', '--config', 'team.yaml', '--id', 'shop', '--out', 'result'];
    const { status, stderr, stdout } = await home.run(words);
    expect({ status, stdout }).toEqual({ status: 0, stdout: 'The final answer, by agent_1.\n' });
    expect(textOf('result/app.py')).toBe('def login(): ...\n');
    expect(textOf('result/lib/util.py')).toBe('pass\n');
    expect(textOf('workspace1/app.py')).toBe('print("shop")\n');
    expect(stderr).toContain('2 files written to result\n  app.py\n  lib/util.py\n');
    expect(stderr).toContain('agent agent_2 begins with an empty workspace: there is no folder workspace2 (cwd)');
    expect(stderr).toMatch(/\[agent_2\] changed 1 file: db\/users\.sql$/m);
  });

  test('of `show` writes them later; what is there already is not written again', async () => {
    const { status, stderr, stdout } = await home.run(['show', 'shop', '--out', 'result']);
    expect(status).toBe(0);
    expect(stderr).toContain('0 files written to result, 2 there already');
    expect(stdout).toMatch(
      /^ +2 files, \d+ bytes\n +- app\.py \(changed\)\n +Attempt 1: agent_1 [0-9a-f]{12}, agent_2 none$/m,
    );
  });

  test('writes over no other file: nothing is written, and the choices are named', async () => {
    writeFiles(home.folder, { 'mine/app.py': 'mine\n' });
    const { status, stderr } = await home.run(['show', 'shop', '--out', 'mine']);
    expect(status).toBe(1);
    expect(stderr).toMatch(
      /mine has other files of these names: app\.py\. Nothing was written there; .*reprise show shop --out DIR/,
    );
    expect(textOf('mine/app.py')).toBe('mine\n');
    expect(existsSync(join(home.folder, 'mine', 'lib'))).toBe(false);
  });

  test('replaces what the same run has written, but not what was changed since', async () => {
    const chat = (): Promise<{ status: number | null; stderr: string; stdout: string }> =>
      home.run(['chat', 'Go on.', '--config', 'agent.yaml', '--id', 'talk', '--out', 'notes', '--json']);
    script = (seen) =>
      seen.messages.at(-1)?.role === 'tool' ? { text: 'Written.' } : write('note.md', `${toolResults(seen).length}\n`);
    const first = JSON.parse((await chat()).stdout) as TurnResult;
    expect(first.workspace).toMatchObject({ files: 1, added: ['note.md'] });
    expect(textOf('notes/note.md')).toBe('0\n');
    expect((await chat()).status).toBe(0);
    expect(textOf('notes/note.md')).toBe('1\n');
    writeFileSync(join(home.folder, 'notes', 'note.md'), 'my own\n');
    expect((await chat()).status).toBe(1);
    expect(textOf('notes/note.md')).toBe('my own\n');
  });

  test('says so where the answer has no files', async () => {
    script = () => ({ text: 'Nothing to write.' });
    const words = ['chat', 'Go.', '--config', 'agent.yaml', '--id', 'idle', '--out', 'empty'];
    const { status, stderr } = await home.run(words);
    expect(status).toBe(0);
    expect(stderr).toContain('The answer has no files, so that nothing is written to empty\n');
  });

  test('of `solve` has what the completed subtasks have left; the JSON names the files', async () => {
    script = solveScript({
      work: (request) => (done(request) > 0 ? completed('Made.') : write('report.md', 'Report\n')),
    });
    const { status, stdout } = await home.run([
      'solve',
      'Write it.',
      '--config',
      'plan.yaml',
      '--out',
      'solved',
      '--json',
    ]);
    expect(status).toBe(0);
    expect((JSON.parse(stdout) as OrchestrationResult).workspace).toMatchObject({ files: 3, added: ['report.md'] });
    expect(textOf('solved/report.md')).toBe('Report\n');
  });

  test.each([
    ['a file', ['ask', 'T', '--out', 'taken.txt'], /--out taken\.txt: is a file, not a folder/],
    ['with --detach', ['ask', 'T', '--out', 'o', '--detach'], /--out waits for the end of the run.*show ID --out DIR/],
  ])('is refused before anything starts: %s', async (_, words, said) => {
    const { status, stderr } = await home.run(words);
    expect(status).toBe(2);
    expect(stderr).toMatch(said);
  });

  test('of a run without files says so', async () => {
    script = teamScript();
    const { status, stderr } = await home.run(['ask', 'T', '--config', 'plain.yaml', '--out', 'none']);
    expect(status).toBe(0);
    expect(stderr).toContain('There are no files to write');
    expect(existsSync(join(home.folder, 'none'))).toBe(false);
  });

  test('says where the files are if they are not in this home', async () => {
    mkdirSync(join(home.folder, 'elsewhere'), { recursive: true });
    const { status, stderr } = await home.run(['show', 'shop', '--out', 'other'], {
      REPRISE_HOME: join(home.folder, 'elsewhere'),
    });
    expect(status).toBe(1);
    expect(stderr).toMatch(/the files are in the store of the run's worker, and not in .*elsewhere/);
  });
});
