import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { InboxQuestion } from '../../src/client.ts';
import { agentOf, call, toolResults, writeKit } from '../support/agent-script.ts';
import { hasTerminals, Home, type Running } from '../support/cli.ts';
import type { Seen } from '../support/model-server.ts';

let home: Home;

/** What the command prints where the call ran as the agent made it; no terminal gets it. */
const wrote = 'It says: wrote one\u202E\u001B[31m\n';

/** Writes once, and says what came of it. */
const script = (seen: Seen) => {
  const [result] = toolResults(seen);
  return result === undefined ? call('write', { text: 'one\u202E\u001B[31m' }) : { text: `It says: ${result}` };
};

beforeAll(async () => {
  home = await Home.withModel(script);
  writeKit(home.folder);
  const write = (name: string, rest: object): void =>
    writeFileSync(join(home.folder, name), JSON.stringify(agentOf('openai', { simple: {} }, ['kit'], rest)));
  write('asks.json', { attended: true });
  write('plain.json', {});
  write('denies.json', { permissions: [{ tool: 'write', action: 'deny' }] });
  await home.upHere();
});
afterAll(() => home.remove());

/** Starts a turn that asks for approval, and waits until that stands in the inbox. */
async function startAsking(id: string): Promise<{ waiting: InboxQuestion; turn: Promise<string> }> {
  const chatting = home.start(['chat', '--config', 'asks.json', '--id', id, 'Go.']);
  for (;;) {
    const listed = JSON.parse((await home.run(['inbox', '--json'])).stdout) as InboxQuestion[];
    const waiting = listed.find(({ workflowId }) => workflowId === id);
    if (waiting !== undefined) return { waiting, turn: chatting.finished.then(({ stdout }) => stdout) };
    await pause(100);
  }
}

describe('inbox', () => {
  test('lists a call that needs approval with its arguments and with commands to paste, which work', async () => {
    const { turn, waiting } = await startAsking('listed');
    expect(waiting).toMatchObject({ kind: 'tool', questionId: 't1', from: 'agent', tool: 'write', expiresAt: null });
    const { stdout } = await home.run(['inbox']);
    expect(stdout).toContain(
      [
        'listed (Go.): agent asks for approval (t1)',
        '  May it run write?',
        '  {',
        '    "text": "one\\u202e\\u001b[31m"',
        '  }',
        '  reprise approve listed t1 --allow',
        '  reprise approve listed t1 --always',
        '  reprise approve listed t1 --deny "…"',
        `  reprise approve listed t1 --edit '{…}'`,
      ].join('\n'),
    );
    await expect
      .poll(async () => (await home.run(['list', '--open'])).stdout)
      .toMatch(/waits for a permission.*listed/);
    const [, command = ''] = /reprise (approve listed t1 --allow)$/m.exec(stdout) ?? [];
    expect(await home.run(command.split(' '))).toMatchObject({ status: 0 });
    expect(await turn).toBe(wrote);
  });
});

describe('approve', () => {
  test.for<[what: string, words: string[], status: number, said: RegExp]>([
    ['nothing decided', ['nobody'], 2, /What is decided\?.*--deny/],
    ['two decisions', ['nobody', '--allow', '--deny'], 2, /exclude each other/],
    ['arguments that are no JSON', ['nobody', '--edit', '{text'], 2, /--edit: .*no JSON/],
    ['arguments that are no object', ['nobody', '--edit', '[1]'], 2, /--edit: .*one JSON object/],
    ['--edit with --always', ['nobody', '--edit', '{}', '--always'], 2, /about one call/],
    ['an unknown run', ['nobody', '--allow'], 1, /There is no run of the id nobody/],
  ])('%s is refused', async ([, words, status, said]) => {
    expect(await home.run(['approve', ...words])).toMatchObject({ status, stderr: expect.stringMatching(said) });
  });

  test.for<[what: string, words: string[], answer: RegExp, said: string]>([
    ['--allow', ['--allow'], /^It says: wrote one/, 't1 (write) is allowed'],
    ['--always', ['--always'], /^It says: wrote one/, 't1 (write) is allowed, for all of this run'],
    ['--deny REASON', ['t1', '--deny', 'Too late'], /a person refused it: Too late/, 't1 (write) is denied'],
    ['--deny', ['t1', '--deny'], /a person refused it$/m, 't1 (write) is denied'],
    ['--edit', ['t1', '--edit', '{"text": "two"}'], /^It says: wrote two\n\n\[A person/, 't1 (write) is allowed with'],
  ])('%s', async ([what, words, answer, said]) => {
    const id = `by-${what.replaceAll(/\W/g, '')}-${words.length}`;
    const { turn } = await startAsking(id);
    const sent = await home.run(['approve', id, ...words]);
    expect(sent.stderr).toContain(said);
    expect(sent.status).toBe(0);
    expect(await turn).toMatch(answer);
    const again = await home.run(['approve', id, 't1', '--allow']);
    expect(again.status).toBe(1);
    expect(again.stderr).toContain('write (t1) waits no longer');
    expect((await home.run(['approve', id, '--allow'])).stderr).toContain(`No tool call of ${id} waits for approval`);
  });

  test("--edit is checked against the tool's parameters before it is sent", async () => {
    const { turn } = await startAsking('misedited');
    const refused = await home.run(['approve', '--edit', '{"txet": 2}']);
    expect(refused).toMatchObject({ status: 2, stdout: '' });
    expect(refused.stderr).toContain('The newest run that waits for a person: misedited');
    expect(refused.stderr).toMatch(
      /--edit: the arguments of write do not fit: text: it is missing, and must be a text/,
    );
    await home.run(['approve', 'misedited', '--edit', '{"text": "two"}']);
    expect(await turn).toMatch(/^It says: wrote two/);
  });

  test('answer takes yes and no about a call, and says how to decide about it otherwise', async () => {
    const { turn } = await startAsking('answered');
    const refused = await home.run(['answer', 'answered', 'Perhaps']);
    expect(refused.status).toBe(2);
    expect(refused.stderr).toContain('answered asks no question: agent waits for approval to run write');
    expect(refused.stderr).toContain('reprise approve answered t1 --allow');
    expect((await home.run(['answer', 'answered', 'no, thanks'])).status).toBe(0);
    expect(await turn).toContain('a person refused it: thanks');
  });

  test('show tells who has decided what', async () => {
    const { turn } = await startAsking('shown');
    await home.run(['approve', 'shown', '--edit', '{"text": "two"}']);
    await turn;
    const { stdout } = await home.run(['show', 'shown']);
    expect(stdout).toMatch(/A person changes the arguments of the tool call t1\n[^]*"text": "two"/);
    expect(stdout.match(/wrote two/g)).not.toBeNull();
  });
});

describe('where no terminal is there', () => {
  test('a call is denied, and the command says how to allow it', async () => {
    const { stderr, stdout } = await home.run(['chat', '--config', 'plain.json', 'Go.']);
    expect(stdout).toContain('nobody is there to allow it');
    expect(stderr).toMatch(/write was not run.*--yes/);
  });

  test('--yes allows it, but not what a rule denies', async () => {
    const allowed = await home.run(['chat', '--config', 'plain.json', '--yes', 'Go.']);
    expect(allowed.stdout).toBe(wrote);
    const denied = await home.run(['chat', '--config', 'denies.json', '--yes', 'Go.']);
    expect(denied.stdout).toContain('the permissions of this run do not allow it');
  });

  test('with attended in the configuration the box names the commands', async () => {
    const chatting = home.start(['chat', '--config', 'asks.json', 'Go.']);
    await chatting.says(/To deny: reprise approve \S+ t1 --deny "…"/);
    const [, id = ''] = /To allow: reprise approve (\S+) t1 --allow/.exec(chatting.stderr) ?? [];
    expect(chatting.stderr).toContain('🔒 agent ASKS FOR APPROVAL TO RUN write');
    await home.run(['approve', id, '--allow']);
    expect((await chatting.finished).stdout).toBe(wrote);
  });
});

const shownOn = ({ stderr }: Running): string => stripVTControlCharacters(stderr).replaceAll('\r', '');

describe.skipIf(!hasTerminals)('on a terminal', () => {
  const prompt = /Allow it\? \(y, n, n REASON, e to edit, always\): /;
  const ask = (config = 'plain.json', ...words: string[]) =>
    home.startOnTerminal(['chat', '--config', config, ...words, 'Go.']);

  test('a call is put in a box, with arguments that cannot steer the terminal, and y allows it', async () => {
    const chatting = ask();
    await chatting.says(prompt);
    expect(shownOn(chatting)).toContain(
      [
        '🔒 agent ASKS FOR APPROVAL TO RUN write',
        '='.repeat(70),
        '',
        'May it run write?',
        '{',
        '  "text": "one\\u202e\\u001b[31m"',
        '}',
        '',
        '─'.repeat(70),
        'Options:',
        '  • y allows it, always does so for all of this run',
        '  • n or n REASON denies it',
        '  • e changes its arguments',
        '='.repeat(70),
      ].join('\n'),
    );
    chatting.type('y\r');
    expect((await chatting.finished).stdout).toBe(wrote);
  });

  test('Enter alone decides nothing, and n denies with a reason', async () => {
    const chatting = ask();
    await chatting.says(prompt);
    chatting.type('\r');
    await chatting.says(/Type y to allow it[^]*Allow it\?/);
    chatting.type('n wrong text\r');
    expect((await chatting.finished).stdout).toContain('a person refused it: wrong text');
  });

  test('e puts the arguments there to be changed, until they are JSON', async () => {
    const chatting = ask();
    await chatting.says(prompt);
    chatting.type('e\r');
    await chatting.says(/Arguments as JSON: [^]*\{ "text": "one\\u202e\\u001b\[31m" \}/);
    chatting.type('oops\r');
    await chatting.says(/These arguments are no JSON[^]*Allow it/);
    chatting.type('e\r');
    await chatting.says(/no JSON[^]*Arguments as JSON: /);
    chatting.type('\u0015{"text": "two"}\r');
    expect((await chatting.finished).stdout).toMatch(/^It says: wrote two/);
  });

  test('the prompt disappears when the call is decided elsewhere', async () => {
    const chatting = ask('plain.json', '--id', 'elsewhere');
    await chatting.says(prompt);
    await home.run(['approve', 'elsewhere', '--allow']);
    await chatting.says(/write \(t1\) waits no longer: allowed/);
    expect((await chatting.finished).stdout).toBe(wrote);
  });

  test('approve without a decision prompts for it', async () => {
    const { turn } = await startAsking('prompted');
    const approving = home.startOnTerminal(['approve', 'prompted']);
    await approving.says(prompt);
    approving.type('y\r');
    await approving.says(/Sent to prompted: t1 \(write\) is allowed/);
    expect(await turn).toBe(wrote);
  });
});
