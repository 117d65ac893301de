import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { nextText } from '../../src/cli/commands/start.ts';
import type { OrchestrationResult } from '../../src/protocol/orchestration.ts';
import { Home } from '../support/cli.ts';
import type { Script } from '../support/model-server.ts';
import { restart, submit, teamScript } from '../support/team-script.ts';

/** What the model says in the present test. */
let script: Script;
let home: Home;

beforeAll(async () => {
  home = await Home.withModel((seen) => script(seen));
  await home.upHere();
});
afterAll(() => home.remove());
beforeEach(() => {
  script = teamScript();
});
// The first run, before any test.
script = teamScript();

/** A promise, and what keeps it. */
function gate(): { passed: Promise<void>; open: () => void } {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { passed: promise, open: resolve };
}

/** A team whose final agent waits until somebody lets it decide. */
function heldAtDecision() {
  const reached = gate();
  const held = gate();
  script = teamScript({
    decide: async () => {
      reached.open();
      await held.passed;
      return submit();
    },
  });
  return { reached: reached.passed, release: held.open };
}

const finalAnswer = /^The final answer, by .*\.\n$/;

describe('ask', () => {
  test('the answer alone goes to standard output, and what the run says to standard error and to the log', async () => {
    script = teamScript({
      decide: ({ attempt }) => (attempt === 1 ? restart('Only a plan.', 'Do it.') : submit()),
    });
    const { status, stdout, stderr } = await home.run(['ask', 'Do\nit.', '--id', 'said']);
    expect(status).toBe(0);
    expect(stdout).toMatch(finalAnswer);
    const log = home.read('logs/log.txt');
    for (const said of [
      'Task: Do',
      '🔄 Handling orchestration restart (attempt 1 -> 2)',
      '🔄 Orchestration Restart - Attempt 2/3',
      '🏁 Done: submitted',
    ]) {
      expect(stderr).toContain(said);
      expect(log).toContain(said);
    }
    expect(stderr).toMatch(/^\[\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\] .*Handling orchestration restart/m);
    expect(stderr.match(/Only a plan\./g)).toHaveLength(1);
    expect(stderr).toMatch(/2 attempts, \d+ s, 15 calls, (?:about )?[\d,]+ tokens, \$\d/);
  });

  test('the first question is followed by three commands to go on with, on standard error and not with --json', async () => {
    const { status, stdout, stderr } = await home.run(['start', '--id', 'begun']);
    expect(status).toBe(0);
    expect(stdout).toMatch(finalAnswer);
    expect(stderr.split('\nWhat next:\n')[1]?.split('\n')).toEqual([
      '  reprise ask "…"     a question of your own',
      '  reprise show begun  every answer, vote and cost of this run',
      '  reprise init mine   a team, tools and a test of your own',
      '',
    ]);
    const json = await home.run(['start', '--id', 'begun-json', '--json']);
    expect(json.stderr).not.toContain('What next');
    expect((await home.run(['ask', 'Say it.'])).stderr).not.toContain('What next');
  });

  test('without a key the first of them names a model, and the variables of the keys', () => {
    expect(nextText('it is', true)).toBe(
      [
        '',
        'What next:',
        '  reprise ask --model ollama/qwen3:8b "…"  a question of your own, to a real model',
        "  reprise show 'it is'                     every answer, vote and cost of this run",
        '  reprise init mine                        a team, tools and a test of your own',
        'Real models answer as soon as OPENAI_API_KEY, ANTHROPIC_API_KEY or GEMINI_API_KEY is set.',
      ].join('\n'),
    );
  });

  test('a key that is not set is named once, with all who need it', async () => {
    const file = join(home.folder, 'keys.json');
    const agents = ['claude', 'openai', 'claude'].map((type, index) => ({ id: `agent_${index}`, backend: { type } }));
    writeFileSync(file, JSON.stringify({ agents }));
    const { status, stderr } = await home.run(['ask', 'Say it.', '--config', file], { OPENAI_API_KEY: '' });
    expect(status).toBe(2);
    expect(stderr.trim().split('\n')).toEqual([
      'agent agent_0, agent agent_2: each of their backends needs ANTHROPIC_API_KEY, which is not set',
      'agent agent_1: its backend "openai" needs OPENAI_API_KEY, which is not set',
    ]);
  });

  test("--json prints the workflow's result alone", async () => {
    const { status, stdout } = await home.run(['ask', 'Say it in JSON.', '--json', '--id', 'json']);
    expect(status).toBe(0);
    const result = JSON.parse(stdout) as OrchestrationResult;
    expect(result).toMatchObject({ outcome: 'submitted', attempts: 1, restarts: [] });
    const reprise = await home.client();
    expect(result).toEqual(await reprise.getOrchestration('json').result());
    await reprise.close();
  });

  test('--plain has no emoji', async () => {
    const { stderr } = await home.run(['ask', 'Be plain.', '--plain']);
    expect(stderr).toContain('Starting multi-agent coordination...');
    expect(stderr).not.toMatch(/\p{Extended_Pictographic}/u);
  });

  test('what a model writes cannot steer the terminal', async () => {
    script = teamScript({ decide: () => restart('\u001B[2J\u001B]0;title\u0007gone', 'x') });
    const { stderr } = await home.run(['ask', 'Be wild.']);
    expect(stderr).toContain('Reason: gone');
    // oxlint-disable-next-line no-control-regex
    expect(stderr).not.toMatch(/[\0-\x08\x0B-\x1F]/);
  });

  test('--detach prints the id and leaves; watch shows the run from its beginning, and its answer', async () => {
    const { reached, release } = heldAtDecision();
    const detached = await home.run(['ask', 'Take your time.', '--detach', '--id', 'detached']);
    expect(detached).toMatchObject({ status: 0, stdout: 'detached\n' });
    expect(detached.stderr).toContain('reprise watch detached');
    await reached;
    const watching = home.start(['watch', 'detached']);
    await watching.says(/Final agent selected/);
    release();
    const watched = await watching.finished;
    expect(watched.status).toBe(0);
    expect(watched.stdout).toMatch(finalAnswer);
    expect(watched.stderr).toContain('Task: Take your time.');

    const again = await home.run(['watch', 'detached']);
    expect(again.stdout).toBe(watched.stdout);
    expect(again.stderr).toContain('🏁 Done: submitted');
  });

  test('Ctrl-C leaves with status 130 and the way back; the run goes on', async () => {
    const { reached, release } = heldAtDecision();
    const asking = home.start(['ask', 'I may leave.', '--id', 'left']);
    await asking.says(/Final agent selected/);
    await reached;
    asking.signal('SIGINT');
    const { status, stdout, stderr } = await asking.finished;
    expect({ status, stdout }).toEqual({ status: 130, stdout: '' });
    expect(stderr).toContain('reprise watch left');
    release();
    expect(await home.run(['watch', 'left'])).toMatchObject({
      status: 0,
      stdout: expect.stringMatching(finalAnswer),
    });
  });

  test('an id that is in use is refused', async () => {
    const { release } = heldAtDecision();
    await home.run(['ask', 'First.', '--detach', '--id', 'twice']);
    const second = await home.run(['ask', 'Second.', '--id', 'twice']);
    expect(second.status).toBe(2);
    expect(second.stderr).toContain('There is a run of the id twice already');
    release();
    await home.run(['watch', 'twice']);
  });

  test('a run that fails: status 1 and the reason of all agents, once in the log and once at the end, with the variable to check', async () => {
    script = () => ({ status: 401 });
    const { status, stdout, stderr } = await home.run(['ask', 'Let me in.']);
    expect({ status, stdout }).toEqual({ status: 1, stdout: '' });
    expect(stderr).toMatch(/^agent_a, agent_b, agent_c: .*401.*check OPENAI_API_KEY/m);
    expect(stderr.split('\n').filter((line) => line.includes('401'))).toHaveLength(2);
    expect(stderr).not.toContain('test-key-openai');
  });

  test('a failed try is told once while the run goes on, with the address, the next try, the time and how to end it', async () => {
    let failed = false;
    const good = teamScript();
    const told = gate();
    script = async (seen) => {
      if (!failed) {
        failed = true;
        return { status: 503, headers: { 'retry-after': '2' } };
      }
      await told.passed;
      return good(seen);
    };
    const asking = home.start(['ask', 'Try again.']);
    await asking.says(/503/);
    told.open();
    const { status, stderr } = await asking.finished;
    expect(status).toBe(0);
    expect(stderr.split('\n').filter((line) => line.includes('503'))).toEqual([
      expect.stringMatching(
        /⚠️ \[agent_\w\] openai \S+ at http:\S+: 503 .*; try 2 (in [12] s|is under way), and more for up to (10 min|9 min \d+ s)\. To end the run: .*reprise cancel /,
      ),
    ]);
  });
});

describe('watch', () => {
  test('of an unknown id: status 1', async () => {
    const { status, stdout, stderr } = await home.run(['watch', 'nobody']);
    expect({ status, stdout }).toEqual({ status: 1, stdout: '' });
    expect(stderr).toContain('There is no run of the id nobody');
  });

  test('of a run that was refused for its input: status 1, since whoever looks did nothing wrong, with what is', async () => {
    const reprise = await home.client();
    // @ts-expect-error -- a key that there is not
    const run = await reprise.startOrchestration({ task: 'x', config: { agnets: [] } }, { id: 'refused' });
    await reprise.close();
    const { status, stderr } = await home.run(['watch', run.id]);
    expect(status).toBe(1);
    expect(stderr).toMatch(/agnets.*did you mean agents/);
  });

  test('of a run that was terminated: status 1 with the reason', async () => {
    const { reached, release } = heldAtDecision();
    await home.run(['ask', 'Stop me.', '--detach', '--id', 'stopped']);
    await reached;
    const watching = home.start(['watch', 'stopped']);
    await watching.says(/Final agent selected/);
    const reprise = await home.client();
    await reprise.client.workflow.getHandle('stopped').terminate('nobody needs it');
    await reprise.close();
    const { status, stderr } = await watching.finished;
    release();
    expect(status).toBe(1);
    expect(stderr).toContain('The run was terminated: nobody needs it');
  });
});

describe('restart', () => {
  test("a person's restart cancels what is under way and starts the next attempt", async () => {
    const { reached, release } = heldAtDecision();
    const asking = home.start(['ask', 'Do it.', '--id', 'again']);
    await reached;
    script = teamScript();
    const asked = await home.run(['restart', 'again', '--reason', 'Too short.', '--instructions', 'Say more.']);
    expect(asked).toMatchObject({ status: 0, stdout: '' });
    const { status, stderr } = await asking.finished;
    release();
    expect(status).toBe(0);
    expect(stderr).toContain('Orchestration restart requested by a person');
    expect(stderr).toContain('Reason: Too short.');
    expect(stderr).toContain('Attempt 2/3');
  });

  test('of a run that is unknown or has ended: status 1', async () => {
    const why = { nobody: 'There is no run of the id nobody', said: 'The run said has ended (completed)' };
    for (const [id, said] of Object.entries(why)) {
      const words = ['restart', id, '--reason', 'r', '--instructions', 'i'];
      const { status, stderr } = await home.run(words);
      expect(status).toBe(1);
      expect(stderr).toContain(said);
    }
  });
});
