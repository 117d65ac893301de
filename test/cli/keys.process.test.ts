import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { askingTeam, asks } from '../support/asking.ts';
import { hasTerminals, Home } from '../support/cli.ts';
import type { Script } from '../support/model-server.ts';
import { teamOf, teamScript } from '../support/team-script.ts';

let script: Script;
let home: Home;

beforeAll(async () => {
  home = await Home.withModel((seen) => script(seen));
  writeFileSync(join(home.folder, 'team.json'), JSON.stringify(teamOf(['agent_a', 'agent_b'], { type: 'openai' })));
  writeFileSync(join(home.folder, 'asking.json'), JSON.stringify(askingTeam(600)));
});
afterAll(() => home.remove());

const raw = 'The terminal is left raw';

/** The model says nothing to the agents' first requests until it is let go. */
function held(): { script: Script; letGo: () => void } {
  const gate = Promise.withResolvers<void>();
  const good = teamScript();
  return { script: (seen) => gate.promise.then(() => good(seen)), letGo: gate.resolve };
}

describe.skipIf(!hasTerminals)('while a run is shown on a terminal', () => {
  test('q leaves it running as Ctrl-C does, with the terminal as it was', async () => {
    const { letGo, script: silent } = held();
    script = silent;
    for (const [id, key] of [
      ['left', 'q'],
      ['interrupted', '\u0003'],
    ] as const) {
      const asking = home.startOnTerminal(['ask', 'Say it.', '--config', 'team.json', '--id', id]);
      await asking.says(/q leave, a answer, r restart, 1–9 an agent's text/);
      asking.type(key);
      const { status, stderr } = await asking.finished;
      expect(status).toBe(130);
      expect(stripVTControlCharacters(stderr)).toMatch(
        new RegExp(`The run goes on\\. Come back to it with: .*watch ${id}`),
      );
      expect(stderr).not.toContain(raw);
    }
    letGo();
    expect((await home.run(['watch', 'left'])).stdout).toContain('The final answer');
    await home.run(['watch', 'interrupted']);
  });

  test('a number shows the whole of what an agent has written', async () => {
    const gate = Promise.withResolvers<void>();
    script = teamScript({
      answer: async ({ agent }) => {
        if (agent === 'agent_b') await gate.promise;
        return { calls: [{ name: 'new_answer', arguments: { content: `First, by ${agent}.\nSecond, by ${agent}.` } }] };
      },
    });
    const asking = home.startOnTerminal(['ask', 'Say it.', '--config', 'team.json']);
    await asking.says(/✓ agent_a/);
    asking.type('1');
    await asking.says(/agent_a has written[^]*First, by agent_a\.[^]*Second, by agent_a\./);
    gate.resolve();
    const { status, stderr } = await asking.finished;
    expect(status).toBe(0);
    expect(stderr).not.toContain(raw);
  });

  test('r asks why and what to do otherwise, and has the team start over', async () => {
    const { letGo, script: silent } = held();
    script = silent;
    const asking = home.startOnTerminal(['ask', 'Say it.', '--config', 'team.json', '--json']);
    // With --json nobody is asked anything, so that keys do nothing either.
    await asking.says(/2 agent_|attempt 1/);
    expect(asking.stderr).not.toContain('leave it running');
    asking.signal('SIGTERM');
    await asking.finished;
    const typing = home.startOnTerminal(['ask', 'Say it.', '--config', 'team.json', '--id', 'anew']);
    await typing.says(/r restart/);
    typing.type('r');
    await typing.says(/Why should it start over\? /);
    typing.type('Only a plan\r');
    await typing.says(/What should be done otherwise\? /);
    typing.type('Do it\r');
    await typing.says(/Restart requested[^]*Attempt 2\/3/);
    letGo();
    expect((await typing.finished).status).toBe(0);
    expect(typing.stderr).not.toContain(raw);
    expect((await home.run(['show', 'anew'])).stdout).toMatch(/Only a plan[^]*Do it/);
  });

  test('a comes back to a question that was left with Ctrl-D', async () => {
    script = asks('What color theme?');
    const asking = home.startOnTerminal(['ask', 'Paint it.', '--config', 'asking.json']);
    const prompt = /Your response \(or Enter to skip\): /;
    await asking.says(prompt);
    asking.type('\u0004');
    await asking.says(/The question still waits[^]*a answer, r restart/);
    asking.type('a');
    await asking.says(/The question still waits[^]*Your response \(or Enter to skip\): /);
    asking.type('Dark\r');
    const { status, stdout, stderr } = await asking.finished;
    expect({ status, stdout }).toEqual({ status: 0, stdout: 'Told: Dark.\n' });
    expect(stderr).not.toContain(raw);
  });
});

test('where standard input is no terminal, keys do nothing and nobody is told of any', async () => {
  script = teamScript();
  const asking = home.start(['ask', 'Say it.', '--config', 'team.json']);
  asking.type('q1ar');
  const { status, stderr } = await asking.finished;
  expect(status).toBe(0);
  expect(stderr).not.toContain('leave it running');
});
