import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { hasTerminals, Home, type Running } from '../support/cli.ts';
import { askingTeam, asks } from '../support/asking.ts';
import { shownOn as screenOf } from '../support/screen.ts';
import type { Script } from '../support/model-server.ts';
import { teamScript } from '../support/team-script.ts';

const box = (left: string): string => `======================================================================
📢 BROADCAST FROM AGENT_A
======================================================================

What color theme?

──────────────────────────────────────────────────────────────────────
Options:
  • Type your response and press Enter
  • Press Enter alone to skip
  • You have ${left} to respond
======================================================================
Your response (or Enter to skip): `;

/** What the model says in the present test. */
let script: Script = teamScript();
let home: Home;
/** Nobody answers it, and its time is up while the other tests run. */
let unanswered: Running | undefined;

beforeAll(async () => {
  const other = asks('What color theme?');
  home = await Home.withModel((seen) => (seen.prompt.includes('Hurry.') ? other : script)(seen));
  await home.upHere();
  writeFileSync(join(home.folder, 'team.json'), JSON.stringify(askingTeam(600)));
  writeFileSync(join(home.folder, 'hasty.json'), JSON.stringify(askingTeam(30)));
  if (hasTerminals) unanswered = home.startOnTerminal(['ask', 'Hurry.', '--config', 'hasty.json']);
});
afterAll(async () => {
  await unanswered?.finished;
  await home.remove();
});
beforeEach(() => {
  script = asks('What color theme?');
});

const ask = (id: string, ...words: string[]): string[] => [
  'ask',
  'Paint it.',
  '--id',
  id,
  '--config',
  'team.json',
  ...words,
];

/** What a terminal has shown, without the codes that move the cursor. */
const shownOn = ({ stderr }: Running): string => stripVTControlCharacters(stderr).replaceAll('\r', '');

const prompt = /Your response \(or Enter to skip\): /;

describe.skipIf(!hasTerminals)('on a terminal', () => {
  test('a question is put in a box, and the line that is typed answers it', async () => {
    const asking = home.startOnTerminal(ask('typed'));
    await asking.says(prompt);
    const shown = /={70}\n📢[^]*$/.exec(shownOn(asking))?.[0] ?? '';
    const left = /You have (\d+ seconds) to respond/.exec(shown)?.[1] ?? '';
    expect(shown).toBe(box(left));
    asking.type('Dark mode\r');
    const { status, stdout } = await asking.finished;
    expect({ status, stdout }).toEqual({ status: 0, stdout: 'Told: Dark mode.\n' });
  });

  test('neither the box nor what the run has come to is wider than the terminal, and lines break between words', async () => {
    script = asks('What color theme should the page have, 東京 or 京都 of the nineties?');
    const asking = home.startOnTerminal(ask('narrow'), { WHOLE_TERMINAL: '40' });
    await asking.says(prompt);
    const shown = screenOf(asking.stderr);
    const from = shown.findLastIndex((row) => row.includes('BROADCAST'));
    expect(shown.slice(from - 1, from + 6)).toEqual([
      '='.repeat(40),
      '📢 BROADCAST FROM AGENT_A',
      '='.repeat(40),
      '',
      'What color theme should the page have,',
      '東京 or 京都 of the nineties?',
      '',
    ]);
    asking.type('Dark\r');
    const { status, stderr } = await asking.finished;
    expect(status).toBe(0);
    expect(screenOf(stderr).filter((row) => /\$|tokens|calls/.test(row))).toEqual([
      expect.stringMatching(/^1 attempt, \d+ s, 5 calls, \d+ tokens,$/),
      expect.stringMatching(/^\$0\.\d+$/),
    ]);
  });

  test('Enter alone skips, and the next question is put after it', async () => {
    script = asks('What color theme?', 'Which font?');
    const asking = home.startOnTerminal(ask('both'));
    await asking.says(prompt);
    asking.type('\r');
    await asking.says(/Which font\?[^]*Your response/);
    asking.type('Serif\r');
    expect((await asking.finished).stdout).toBe('Told: Serif.\n');
  });

  test('what was typed before the question stood there neither answers nor skips it', async () => {
    const held = Promise.withResolvers<void>();
    const asking = asks('What color theme?');
    script = async (seen) => {
      await held.promise;
      return asking(seen);
    };
    const running = home.startOnTerminal(ask('early'));
    await running.says(/answering/);
    running.type('\r\r');
    held.resolve();
    await running.says(prompt);
    running.type('Dark\r');
    expect((await running.finished).stdout).toBe('Told: Dark.\n');
  });

  test('answered elsewhere, the prompt goes away and says so', async () => {
    const asking = home.startOnTerminal(ask('elsewhere'));
    await asking.says(prompt);
    asking.type('Half an ans');
    await asking.says(/Half an ans/);
    await home.run(['answer', 'elsewhere', 'Light']);
    await asking.says(/was answered elsewhere: Light/);
    expect((await asking.finished).stdout).toBe('Told: Light.\n');
  });

  test('when the run ends under it, the prompt goes away', async () => {
    const asking = home.startOnTerminal(ask('gone'));
    await asking.says(prompt);
    const reprise = await home.client();
    await reprise.client.workflow.getHandle('gone').terminate('nobody needs it');
    await reprise.close();
    const { status, stderr } = await asking.finished;
    expect(status).toBe(1);
    expect(stderr).toMatch(/The run waits no longer[^]*The run was terminated: nobody needs it/);
  });

  test('Ctrl-C at the prompt leaves with status 130, and the question waits on', async () => {
    const asking = home.startOnTerminal(ask('left'));
    await asking.says(prompt);
    asking.type('\u0003');
    expect((await asking.finished).status).toBe(130);
    expect(asking.stderr).toContain('reprise watch left');
    const watching = home.startOnTerminal(['watch', 'left', '--plain']);
    await watching.says(prompt);
    expect(shownOn(watching)).not.toMatch(/\p{Extended_Pictographic}/u);
    watching.type('Dark\r');
    expect((await watching.finished).stdout).toBe('Told: Dark.\n');
  });

  test('Ctrl-D leaves the question to somebody else, and the run is shown on', async () => {
    const asking = home.startOnTerminal(ask('passed'));
    await asking.says(prompt);
    asking.type('\u0004');
    await asking.says(/The question still waits; answer it with: reprise answer passed/);
    await home.run(['answer', 'passed', 'Light']);
    expect((await asking.finished).stdout).toBe('Told: Light.\n');
  });

  test('answer without TEXT prompts for it', async () => {
    await home.run(ask('asked', '--detach'));
    const watching = home.start(['watch', 'asked']);
    await watching.says(/BROADCAST FROM/);
    const answering = home.startOnTerminal(['answer', 'asked']);
    await answering.says(prompt);
    expect(shownOn(answering)).toContain('📢 BROADCAST FROM AGENT_A');
    answering.type('Dark\r');
    expect((await answering.finished).status).toBe(0);
    expect((await watching.finished).stdout).toBe('Told: Dark.\n');
  });

  test('when the time is up, the prompt goes away and says so', async () => {
    const { status, stderr, stdout } = await unanswered!.finished;
    expect({ status, stdout }).toEqual({ status: 0, stdout: 'Told: nothing.\n' });
    expect(stderr).toMatch(/Your response \(or Enter to skip\): [^]*Time is up: no answer to question/);
  });
});

describe('without a terminal', () => {
  test('the box says what to type elsewhere, and nothing is read', async () => {
    const asking = home.start(ask('noticed'));
    await asking.says(/={70}\n📢 BROADCAST FROM AGENT_A\n[^]*seconds to respond\n={70}\n/);
    expect(asking.stderr).not.toContain('Your response');
    const command = /To answer: (reprise answer noticed --question \S+) "…"/.exec(asking.stderr)?.[1] ?? '';
    asking.type('Not this\n');
    await home.run([...command.split(' ').slice(1), 'Dark']);
    expect((await asking.finished).stdout).toBe('Told: Dark.\n');
  });

  test('--notify runs a command once for each question; one that fails is one warning', async () => {
    const asking = home.start(ask('warned', '--notify', 'echo "$REPRISE_QUESTION" >&2; exit 3'));
    await asking.says(/--notify: .*: status 3 \(What color theme\?\)/);
    await home.run(['answer', 'warned', 'Dark']);
    const { status, stderr } = await asking.finished;
    expect(status).toBe(0);
    expect(stderr.match(/--notify: /g)).toHaveLength(1);
  });
});
