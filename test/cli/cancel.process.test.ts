import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { Home } from '../support/cli.ts';
import type { Script, Scripted } from '../support/model-server.ts';
import { teamOf, teamScript } from '../support/team-script.ts';

let script: Script = teamScript();
let home: Home;
beforeAll(async () => {
  home = await Home.withModel((seen) => script(seen));
  await home.upHere();
});
afterAll(() => home.remove());

/** Is settled when a model is asked for what it never gives. */
let asked: Promise<void>;
beforeEach(() => {
  const { promise, resolve } = Promise.withResolvers<void>();
  asked = promise;
  script = teamScript({
    present: () => {
      resolve();
      return new Promise<Scripted>(() => {});
    },
  });
});

async function start(id: string): Promise<void> {
  const reprise = await home.client();
  const config = teamOf(['agent_a', 'agent_b'], { type: 'openai' });
  await reprise.startOrchestration({ task: 'Wait.', config }, { id });
  await reprise.close();
  await asked;
}

describe('cancel', () => {
  test('ends a run, prints its best answer and says the outcome; who follows it sees the same', async () => {
    await start('c1');
    const watching = home.start(['watch', 'c1']);
    await watching.says(/Task: Wait\./);
    const { status, stdout, stderr } = await home.run(['cancel', 'c1']);
    expect({ status, stdout }).toEqual({ status: 0, stdout: 'Answer of agent_a in attempt 1.\n' });
    expect(stderr).toMatch(/^c1 is cancelled, \d+ calls, (?:about )?[\d,]+ tokens, \$\d/m);
    const watched = await watching.finished;
    expect(watched).toMatchObject({ status: 0, stdout });
    expect(watched.stderr).toContain('The run is cancelled: the best answer so far is delivered');

    const again = await home.run(['cancel', 'c1']);
    expect(again).toMatchObject({ status: 1, stdout: '' });
    expect(again.stderr).toContain('The run c1 has ended (completed)');
  });

  test('--json prints the result; the line after Ctrl-C names the command', async () => {
    await start('c2');
    const watching = home.start(['watch', 'c2']);
    await watching.says(/Task: Wait\./);
    watching.signal('SIGINT');
    expect((await watching.finished).stderr).toContain(
      'The run goes on. Come back to it with: reprise watch c2; end it with: reprise cancel c2',
    );
    const { status, stdout } = await home.run(['cancel', 'c2', '--json']);
    expect(status).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ workflow: 'orchestration', outcome: 'cancelled', warnings: [] });
  });

  test('counts among the runs of stats', async () => {
    await start('c3');
    await home.run(['cancel', 'c3']);
    const { status, stdout } = await home.run(['stats', '--json']);
    expect(status).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ unread: 0 });
  });

  test('a run that there is not: status 1', async () => {
    const { status, stderr } = await home.run(['cancel', 'nobody']);
    expect(status).toBe(1);
    expect(stderr).toContain('There is no run of the id nobody');
  });
});
