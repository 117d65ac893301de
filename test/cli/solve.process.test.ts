import { mkdirSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { SolveResult } from '../../src/client.ts';
import { Home } from '../support/cli.ts';
import type { Script } from '../support/model-server.ts';
import { completed, failed, invalid, solveScript, subtasks, valid } from '../support/solve-script.ts';

describe('wrong usage or configuration: status 2 with what is wrong, nothing is started', () => {
  // 192.0.2.0/24 is reserved for documentation: nobody answers there.
  const elsewhere = ['--temporal', '192.0.2.1:7233'];
  let home: Home;
  beforeAll(async () => {
    home = await Home.make();
    const file = (name: string, content: string | Buffer): void => writeFileSync(join(home.folder, name), content);
    file('plan.yaml', 'plan: {}\n');
    file('team.yaml', 'agents:\n  - id: a\n');
    file('agent.yaml', 'modules: []\nexchange: []\n');
    file('research.yaml', 'research: {}\n');
    file('typo.yaml', 'plan:\n  max_retires: 3\n');
    file('keyless.yaml', 'plan:\n  validator: {backend: {type: claude}}\n');
    file('good.csv', 'a,b\n1,2\n');
    file('program.exe', Buffer.from([0x4d, 0x5a, 0, 0xff]));
    file('large.txt', '');
    truncateSync(join(home.folder, 'large.txt'), 20_000_001);
    file('half.txt', 'x'.repeat(750_001));
    mkdirSync(join(home.folder, 'data'));
  });
  afterAll(() => home.remove());

  const solve = (...words: string[]): string[] => ['solve', 'Solve it.', ...words];
  const attach = (...files: string[]): string[] => solve(...files.flatMap((file) => ['--attach', file]));
  const wrong: Array<[what: string, words: string[], said: RegExp]> = [
    ['an empty problem', ['solve', ' \n'], /^PROBLEM is empty$/m],
    ['no problem', ['solve'], /missing required argument 'problem'/],
    ['an attachment that is not there', attach('none.csv'), /^none\.csv: there is no file \/.*\/none\.csv$/m],
    ['a folder', attach('data'), /^data: is a folder; attach the files in it one by one$/m],
    ['one that is too large', attach('large.txt'), /^large\.txt: has 20,000,001 bytes; at most 20,000,000 /m],
    ['several, each with its fault', attach('good.csv', 'none.csv', 'data'), /^none\.csv: .*\ndata: /m],
    ['too many', attach(...Array.from({ length: 21 }, () => 'good.csv')), /^21 files .* at most 20$/m],
    [
      'more than travels to a worker elsewhere',
      [...attach('half.txt', 'half.txt'), ...elsewhere],
      /^The attachments have 1,500,002 bytes together; .* at most 1,500,000\. .*worker's machine/m,
    ],
    [
      'a file that is not there, for a worker elsewhere',
      [...attach('none.csv'), ...elsewhere],
      /^none\.csv: there is no file/m,
    ],
    ['no configuration file', solve('--config', 'none.yaml'), /^none\.yaml: no such file$/m],
    [
      'an unknown key',
      solve('--config', 'typo.yaml'),
      /^typo\.yaml:2: .*max_retires: unknown key; did you mean max_retries\?/m,
    ],
    ['a missing key of a role', solve('--config', 'keyless.yaml'), /^validator: .*"claude" needs ANTHROPIC_API_KEY/m],
    [
      "a team's file",
      solve('--config', 'team.yaml'),
      /^team\.yaml:1: .*under the key plan; this is a configuration of a team$/m,
    ],
    [
      "an agent's file",
      solve('--config', 'agent.yaml'),
      /^agent\.yaml:1: modules: .*under the key plan; .*kind "agent"$/m,
    ],
    [
      'a research configuration',
      solve('--config', 'research.yaml'),
      /^research\.yaml:1: research: .*under the key plan; .*kind "research"$/m,
    ],
    ...['ask', 'chat'].map((command): [string, string[], RegExp] => [
      `a plan's file for ${command}`,
      [command, 'hi', '--config', 'plan.yaml'],
      /^plan\.yaml:1: plan: a plan takes a problem: give it to reprise solve/m,
    ]),
    [
      "a plan's file for research",
      ['research', 'hi', '--config', 'plan.yaml'],
      /^plan\.yaml:1: plan: .*under the key research; .*kind "plan"$/m,
    ],
  ];
  test.for(wrong)('%s', async ([, words, said]) => {
    const { status, stdout, stderr } = await home.run(words);
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
    expect(stderr).toMatch(said);
    expect(home.holder).toBeUndefined();
  });

  test('validate describes a plan with every default', async () => {
    const { status, stdout } = await home.run(['validate', 'plan.yaml']);
    expect(status).toBe(0);
    expect(stdout.trimEnd().split('\n')).toEqual([
      'plan.yaml is valid.',
      'A plan:',
      ...['planner', 'validator', 'synthesis', 'executor'].map((role) => `  ${role}: offline`),
      'Subtasks: simple_tool, up to 60 model calls a turn.',
      'Tools: builtin.web (loaded by the worker).',
      'Up to 50 subtasks, 5 at a time, and 2 rounds of repetition.',
    ]);
  });
});

describe('with a scripted model', () => {
  /** What the model says in the present test. */
  let script: Script;
  let home: Home;

  beforeAll(async () => {
    script = solveScript();
    home = await Home.withModel((seen) => script(seen));
    await home.upHere();
  });
  afterAll(() => home.remove());
  beforeEach(() => {
    script = solveScript();
  });

  /** What the log holds that some text stands in, as `grep` prints it. */
  const grep = (text: string): string[] =>
    home
      .read('logs/log.txt')
      .split('\n')
      .filter((line) => line.includes(text));

  test('the answer alone goes to standard output; what failed is repeated, and what is missing is added', async () => {
    script = solveScript({
      plan: ({ time }) => (time === 1 ? subtasks('step_1', 'step_2') : subtasks('step_3')),
      work: ({ id, time }) => (id === 'step_2' && time === 1 ? failed('Not found.') : completed(`${id}.`)),
      validate: ({ time }) => (time <= 2 ? invalid('Figure labels') : valid),
    });
    const { status, stdout, stderr } = await home.run(['solve', 'Find\nit.', '--id', 'said']);
    expect({ status, stdout }).toEqual({ status: 0, stdout: 'The answer.\n' });
    const log = home.read('logs/log.txt');
    for (const said of [
      'Task: Find',
      '=== Phase 4: EXECUTION ===',
      '❌ Failed subtask: step_2 (Not found.)',
      "Found 1 failed subtask(s) to retry: ['step_2']",
      '=== Phase 4 (RETRY): EXECUTE FAILED SUBTASKS ===',
      'Retry execution complete: 1 subtask(s) retried',
      "Creating improved plan to address: ['Figure labels']",
      '=== Phase 4 (RETRY): EXECUTE NEW PLAN ===',
      'New plan execution complete: 1 results',
      '🏁 Done: complete',
    ]) {
      expect(stderr).toContain(said);
      expect(log).toContain(said);
    }
    expect(stderr).toMatch(
      /^3 of 3 subtasks completed, 4 executions, 2 retries, complete, \d+ s, \d+ calls, (?:about )?[\d,]+ tokens, \$\d/m,
    );
    const stamp = '\\[\\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d:\\d\\d\\]';
    for (const [text, line] of [
      ['Retrying failed subtask', 'Retrying failed subtask: step_2 - Do step_2\\.\\.\\.'],
      [
        'No failed subtasks found',
        'No failed subtasks found. Creating additional subtasks for missing requirements...',
      ],
      ['Successfully retried', 'Successfully retried subtask: step_2'],
    ] as const)
      expect(grep(text)).toEqual([expect.stringMatching(new RegExp(`^${stamp} ${line}\\trun=said$`))]);
  });

  test("--json prints the workflow's result alone; a partial one is no failure", async () => {
    script = solveScript({
      plan: () => subtasks('step_1', 'step_2'),
      work: ({ id }) => (id === 'step_2' ? failed('Not there.') : completed('Yes.')),
      validate: () => invalid('More'),
    });
    const { status, stdout, stderr } = await home.run(['solve', 'Find it.', '--json', '--id', 'json']);
    expect(status).toBe(0);
    const result = JSON.parse(stdout) as SolveResult;
    expect(result).toMatchObject({
      answer: 'The answer.',
      outcome: 'partial',
      executions: 4,
      retries: 2,
      subtasks: [
        { id: 'step_1', status: 'completed', executions: 1 },
        { id: 'step_2', status: 'failed', executions: 3, error: 'Not there.' },
      ],
      stateSummary: { subtasks_completed: 1, subtasks_failed: 1, dead_ends: 1 },
    });
    expect(stderr).toMatch(/^1 of 2 subtasks completed, 4 executions, 2 retries, partial, /m);
    const reprise = await home.client();
    expect(result).toEqual(await reprise.getSolve('json').result());
    await reprise.close();
  });

  test('--detach prints the id and leaves; watch shows the run from its beginning, --plain without emoji', async () => {
    const detached = await home.run(['solve', 'Take your time.', '--detach', '--id', 'detached']);
    expect(detached).toMatchObject({ status: 0, stdout: 'detached\n' });
    expect(detached.stderr).toContain('reprise watch detached');
    const { status, stdout, stderr } = await home.run(['watch', 'detached', '--plain']);
    expect({ status, stdout }).toEqual({ status: 0, stdout: 'The answer.\n' });
    expect(stderr).toContain('Task: Take your time.');
    expect(stderr).toContain('Completed subtask: step_1');
    expect(stderr).toMatch(/^1 of 1 subtask completed, 1 execution, complete, /m);
    expect(stderr).not.toMatch(/\p{Extended_Pictographic}/u);
  });

  test('a configuration is kept to: no repetition', async () => {
    writeFileSync(join(home.folder, 'once.yaml'), 'plan:\n  max_retries: 0\n');
    script = solveScript({ work: () => failed('No.'), validate: () => invalid('All') });
    const { stdout } = await home.run(['solve', 'Find it.', '--json', '--config', 'once.yaml']);
    expect(JSON.parse(stdout)).toMatchObject({ outcome: 'partial', retries: 0, executions: 1 });
  });

  test('a subtask asks, and what a person answers from another terminal reaches it', async () => {
    writeFileSync(join(home.folder, 'asking.yaml'), 'plan: {}\ncoordination: {broadcast: human}\n');
    script = solveScript({
      work: ({ prompt }) =>
        prompt.includes('The second one.')
          ? completed('The second.')
          : { calls: [{ name: 'ask_others', arguments: { question: 'Which edition?' } }] },
    });
    const running = home.start(['solve', 'Find it.', '--config', 'asking.yaml', '--id', 'asking']);
    await running.says(/Which edition\?/);
    expect((await home.run(['inbox'])).stdout).toMatch(/^asking \(Find it\.\): step_1 asks/);
    expect(await home.run(['answer', 'asking', 'The second one.'])).toMatchObject({ status: 0 });
    expect((await running.finished).stdout).toBe('The answer.\n');
  });

  test('a run that fails: status 1 with the reason and the variable to check', async () => {
    script = () => ({ status: 401 });
    const { status, stdout, stderr } = await home.run(['solve', 'Let me in.']);
    expect({ status, stdout }).toEqual({ status: 1, stdout: '' });
    expect(stderr).toMatch(/^planner: .*401.*check OPENAI_API_KEY/m);
    expect(stderr).not.toContain('test-key-openai');
  });

  describe('attachments', () => {
    const table = 'town,people\nAnk,300\nBor,200\n';
    const attach = ['--attach', 'towns.csv', '--attach', join('notes', 'about.md')];
    beforeAll(() => {
      writeFileSync(join(home.folder, 'towns.csv'), table);
      mkdirSync(join(home.folder, 'notes'));
      writeFileSync(join(home.folder, 'notes', 'about.md'), '# About\n\nCounted in May.\n');
    });

    /** What a run was started with. */
    async function inputOf(id: string): Promise<unknown> {
      const reprise = await home.client();
      const { client } = reprise;
      const { events } = await client.workflow.getHandle(id).fetchHistory();
      const [payload] = events?.[0]?.workflowExecutionStartedEventAttributes?.input?.payloads ?? [];
      await reprise.close();
      return JSON.parse(Buffer.from(payload?.data ?? []).toString());
    }

    /** What planner and subtask were told in the last run, whose requests were analysis, plan, work, answer, validation. */
    const told = (): string[] => [-5, -3].map((place) => home.model!.requests.at(place)?.prompt ?? '');

    // Another name of this machine, which the command takes for another machine.
    const elsewhere = (): string[] => ['--temporal', home.address.replace('127.0.0.1', '0.0.0.0')];

    test('a worker here reads them by their absolute paths; planner and subtasks know them', async () => {
      const { status, stderr } = await home.run(['solve', 'Who leads?', '--id', 'here', ...attach]);
      expect(status).toBe(0);
      expect(stderr).toContain('📎 towns.csv (table)');
      expect(stderr).toContain('📎 about.md (text)');
      expect(await inputOf('here')).toEqual({
        problem: 'Who leads?',
        attachments: [join(home.folder, 'towns.csv'), join(home.folder, 'notes', 'about.md')],
        signature: expect.any(String),
      });
      for (const prompt of told()) {
        expect(prompt).toContain(`### towns.csv (table, ${table.length} bytes)`);
        expect(prompt).toContain('Counted in May.');
      }
    });

    test('to a worker elsewhere their content travels', async () => {
      const words = ['solve', 'Who leads?', '--id', 'there', ...attach, ...elsewhere()];
      const { status, stderr } = await home.run(words);
      expect(status).toBe(0);
      expect(stderr).toContain('📎 towns.csv (table)');
      expect(await inputOf('there')).toMatchObject({
        attachments: [{ name: 'towns.csv', data: Buffer.from(table).toString('base64') }, { name: 'about.md' }],
      });
      for (const prompt of told()) expect(prompt).toContain('Counted in May.');
    });

    test('as much as travels at most arrives whole', async () => {
      writeFileSync(join(home.folder, 'large.txt'), 'x'.repeat(1_500_000));
      const { status } = await home.run(['solve', 'How long?', '--attach', 'large.txt', ...elsewhere()]);
      expect(status).toBe(0);
      for (const prompt of told()) expect(prompt).toContain('### large.txt (text, 1500000 bytes)');
    });
  });
});
