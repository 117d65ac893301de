import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { spendingText, typedOf } from '../../src/cli/commands/chat-commands.ts';
import type { SessionResult, TurnResult } from '../../src/protocol/session.ts';
import { askingTeam, asks } from '../support/asking.ts';
import { hasTerminals, Home } from '../support/cli.ts';
import type { Script } from '../support/model-server.ts';
import { answer, teamOf, teamScript } from '../support/team-script.ts';

/** What the model says in the present test. */
let script: Script = teamScript();
let home: Home;

/** Repeats what was said to it, earlier and now. */
const echo = teamScript({
  answer: () => answer('An echo.'),
  present: ({ prompt }) => ({
    text: `Heard: ${[...prompt.matchAll(/\bsay (\w+)/g)].map(([, word]) => word).join(' ')}.`,
  }),
});

beforeAll(async () => {
  home = await Home.withModel((seen) => script(seen));
  writeFileSync(join(home.folder, 'one.json'), JSON.stringify(teamOf(['agent_a'], { type: 'openai' })));
  writeFileSync(join(home.folder, 'asking.json'), JSON.stringify(askingTeam(300)));
  await home.upHere();
});
afterAll(() => home.remove());
beforeEach(() => {
  script = echo;
});

const chat = (...words: string[]): string[] => ['chat', '--config', 'one.json', ...words];

/** The prompt, with what moves the cursor behind it. */
const ready = /> \S*$/;

async function isOpen(id: string): Promise<boolean> {
  const reprise = await home.client();
  try {
    return await reprise.getRun(id).isOpen();
  } finally {
    await reprise.close();
  }
}

describe('one turn', () => {
  test('without an id the session takes its turn and completes', async () => {
    const { status, stdout, stderr } = await home.run(chat('Please say one.'));
    expect({ status, stdout }).toEqual({ status: 0, stdout: 'Heard: one.\n' });
    expect(stderr).toContain('💬 Turn 1: Please say one.');
    const id = /Run (chat-[\w-]+)/.exec(stderr)?.[1] ?? '';
    expect(await isOpen(id)).toBe(false);
  });

  test("--json prints the workflow's result", async () => {
    const { stdout } = await home.run(chat('--json', 'Please say one.'));
    expect(JSON.parse(stdout) as SessionResult).toMatchObject({
      answer: 'Heard: one.',
      messages: ['Heard: one.'],
      outcome: 'answered',
      usage: { calls: expect.any(Number) },
    });
  });

  test('--history is what was said before', async () => {
    const history = [
      { role: 'user', content: 'You should say zero.' },
      { role: 'assistant', content: 'Done.' },
    ];
    writeFileSync(join(home.folder, 'history.json'), JSON.stringify(history));
    const { stdout } = await home.run(chat('--history', 'history.json', 'Please say one.'));
    expect(stdout).toMatch(/^Heard: (zero )+.*one\.\n$/);
  });

  test('a turn that fails: status 1 with the reasons', async () => {
    script = () => ({ status: 401 });
    for (const words of [chat('Fail.'), chat('--id', 'failing', 'Fail.')]) {
      const { status, stdout, stderr } = await home.run(words);
      expect({ status, stdout }).toEqual({ status: 1, stdout: '' });
      expect(stderr).toMatch(/agent_a: .*401.*check OPENAI_API_KEY/);
    }
  });
});

describe('--id', () => {
  test('keeps the session open, and continues it', async () => {
    const first = await home.run(chat('--id', 'kept', '--json', 'Please say one.'));
    expect(JSON.parse(first.stdout) as TurnResult).toEqual({
      answer: 'Heard: one.',
      messages: ['Heard: one.'],
      turn: 1,
      warnings: [],
    });
    expect(await isOpen('kept')).toBe(true);
    const second = await home.run(['chat', '--id', 'kept', 'Please say two.']);
    expect(second.stdout).toMatch(/^Heard: one .*two\.\n$/);
    expect(second.stderr).toContain('Turn 2: Please say two.');
    expect(second.stderr).not.toContain('Turn 1');
  });

  test('of an open session: its own configuration and history hold, and it says so', async () => {
    await home.run(chat('--id', 'own', 'Please say one.'));
    const { status, stderr } = await home.run(chat('--id', 'own', 'Please say two.'));
    expect(status).toBe(0);
    expect(stderr).toContain('it goes on with its own configuration and history');
  });

  test('of a session that has ended begins a new one, and says so', async () => {
    await home.run(chat('--id', 'over', 'Please say one.'));
    const reprise = await home.client();
    const session = reprise.getSession('over');
    await session.close();
    expect((await session.result()).turns).toBe(1);
    await reprise.close();
    const { stdout, stderr } = await home.run(chat('--id', 'over', 'Please say two.'));
    expect(stdout).toBe('Heard: two.\n');
    expect(stderr).toContain('The run over has ended; a new session begins under its id');
    expect(stderr).toContain('Turn 1: Please say two.');
  });

  test('of a run that is no session is refused', async () => {
    script = asks('Wait?');
    await home.run(['ask', 'Wait.', '--config', 'asking.json', '--id', 'team', '--detach']);
    const { status, stderr } = await home.run(chat('--id', 'team', 'Hi.'));
    expect(status).toBe(2);
    expect(stderr).toContain('The run team is no session: its type is orchestration');
    const watching = home.start(['watch', 'team']);
    await watching.says(/To skip: /);
    await home.run(['answer', 'team', '--skip']);
    await watching.finished;
  });
});

describe('wrong usage: status 2, and nothing is started', () => {
  const wrong: Array<[what: string, content: string, said: RegExp]> = [
    ['no JSON', '{]', /bad\.json: is no JSON: .*\nA history is \[\{"role"/],
    ['no list', '{}', /bad\.json: \{\} is not a list\nA history is/],
    [
      'an unknown role',
      '[{"role": "bot", "content": ""}]',
      /bad\.json: \[0\]\.role: "bot" is not one of system \| user/,
    ],
    ['an unknown key', '[{"role": "user", "text": ""}]', /\[0\]\.text: unknown key.*valid keys: role, content/],
  ];
  test.for(wrong)('a history file with %s', async ([, content, said]) => {
    writeFileSync(join(home.folder, 'bad.json'), content);
    const requests = home.model!.requests.length;
    const { status, stdout, stderr } = await home.run(chat('--history', 'bad.json', 'Hi.'));
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
    expect(stderr).toMatch(said);
    expect(home.model!.requests.length).toBe(requests);
  });

  test('a history file that is not there', async () => {
    const { status, stderr } = await home.run(chat('--history', 'none.json', 'Hi.'));
    expect(status).toBe(2);
    expect(stderr).toContain('none.json: no such file');
  });

  test('a text that is too long', async () => {
    const chatting = home.start(chat());
    chatting.type(`${'x'.repeat(3_000_000)}\n`);
    const { status, stderr } = await chatting.finished;
    expect(status).toBe(2);
    expect(stderr).toMatch(/TEXT: "x+… is too large \(at most 1000000\)/);
  });

  test('an empty TEXT, and a missing key', async () => {
    expect(await home.run(chat(' '))).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('TEXT is empty'),
    });
    const noKey = await home.run(chat('Hi.'), { OPENAI_API_KEY: '' });
    expect(noKey).toMatchObject({ status: 2, stderr: expect.stringContaining('OPENAI_API_KEY') });
  });
});

describe('commands of a conversation', () => {
  const converse = async (typed: string, ...words: string[]) => {
    const chatting = home.start(chat(...words));
    chatting.type(typed);
    chatting.endInput();
    return chatting.finished;
  };

  test('cost nothing, and begin no session', async () => {
    const requests = home.model!.requests.length;
    const { status, stdout, stderr } = await converse('/help\n/model\n/cost\n/nonsense now\n/quit\nNot reached.\n');
    expect({ status, stdout }).toEqual({ status: 0, stdout: '' });
    expect(stderr).toMatch(/\/help +lists these commands\n[^]*\/model [^]*\/cost [^]*\/exit .*\/quit/);
    expect(stderr).toMatch(/agent_a: openai gpt-\S+\nA session keeps its model.*\n {2}reprise chat --model NAME/);
    const help = /\n {2}\/help[^]*begins with \/\/\./.exec(stderr)?.[0].split('\n') ?? [];
    expect(help.filter((line) => line.length >= 80)).toEqual([]);
    expect(stderr).toContain('Nothing is known: the session begins with the first turn');
    expect(stderr).toMatch(/There is no command \/nonsense\.\n {2}\/help/);
    expect(home.model!.requests.length).toBe(requests);
    const reprise = await home.client();
    await expect(reprise.getRun(/Run (chat-[\w-]+)/.exec(stderr)?.[1] ?? '').isOpen()).rejects.toThrow('not found');
    await reprise.close();
  });

  test('/cost says what the turns have cost, and /model which model has answered, also of a session that was open', async () => {
    const first = await converse('Please say one.\n/cost\n/model\n', '--id', 'counted');
    expect(first.stdout).toBe('Heard: one.\n');
    expect(first.stderr).toMatch(/^4 calls, 60 tokens, \$0\.\d{4}$/m);
    expect(first.stderr).toMatch(/^agent_a: gpt-\S+$/m);
    const requests = home.model!.requests.length;
    const again = await converse('/cost\n/model\n', '--id', 'counted');
    expect(again.stderr).toMatch(/^4 calls, 60 tokens, \$0\.\d{4}$/m);
    expect(again.stderr).toMatch(/^agent_a: gpt-\S+$/m);
    expect(home.model!.requests.length).toBe(requests);
  });

  test('// begins a text that begins with /', async () => {
    const { stdout, stderr } = await converse('//tmp, please say one.\n');
    expect(stdout).toBe('Heard: one.\n');
    expect(stderr).toContain('Turn 1: /tmp, please say one.');
  });

  test('/cost names the limits, what came from a cache, and the agents of a team', () => {
    const figures = { calls: 1, inputTokens: 900, cachedInputTokens: 0, outputTokens: 100, costUsd: 0.001 };
    const all = { ...figures, calls: 2, inputTokens: 1800, cachedInputTokens: 500, outputTokens: 200, costUsd: 0.002 };
    const usage = { ...all, byAgent: { agent_a: figures, agent_b: figures } };
    expect(spendingText({ usage, limits: { startedAt: 0, calls: 1, usd: 0.5 } }).split('\n')).toEqual([
      '2 calls, 2,000 tokens, $0.0020 (of at most 1 call, $0.5000)',
      '  500 of the tokens from a cache',
      '  agent_a: 1 call, 1,000 tokens, $0.0010',
      '  agent_b: 1 call, 1,000 tokens, $0.0010',
    ]);
    expect(spendingText({ usage: null })).toBe('Nothing so far.');
  });

  test.each([
    ['', { kind: 'nothing' }],
    ['  ', { kind: 'nothing' }],
    ['Hello /exit', { kind: 'turn', text: 'Hello /exit' }],
    [' //usr ', { kind: 'turn', text: '/usr' }],
    ['///', { kind: 'turn', text: '//' }],
    ['/exit', { kind: 'exit' }],
    ['/quit now', { kind: 'exit' }],
    ['/exits', { kind: 'command', name: '/exits' }],
    ['/', { kind: 'command', name: '/' }],
  ])('%j', (line, typed) => {
    expect(typedOf(line)).toEqual(typed);
  });
});

describe('a conversation', () => {
  test('takes a turn for each line of its input, and closes the session at the end', async () => {
    const chatting = home.start(chat());
    chatting.type('Please say one.\n\nPlease say two.\n');
    chatting.endInput();
    const { status, stdout, stderr } = await chatting.finished;
    expect(status).toBe(0);
    expect(stdout).toMatch(/^Heard: one\.\nHeard: one .*two\.\n$/);
    expect(stderr).not.toContain('> ');
    const reprise = await home.client();
    const session = reprise.getSession(/Run (chat-[\w-]+)/.exec(stderr)?.[1] ?? '');
    expect(await session.result()).toMatchObject({ turns: 2 });
    await reprise.close();
  });

  test.skipIf(!hasTerminals)('on a terminal: prompts, puts questions, and says how to come back', async () => {
    script = asks('What color theme?');
    const chatting = home.startOnTerminal(['chat', '--config', 'asking.json', '--id', 'typed']);
    await chatting.says(ready);
    chatting.type('Please paint it.\r');
    await chatting.says(/Your response \(or Enter to skip\): /);
    chatting.type('Dark\r');
    await chatting.prints(/Told: Dark\.\n/);
    await chatting.says(ready);
    chatting.type('/exit\r');
    expect((await chatting.finished).status).toBe(0);
    expect(chatting.stderr).toContain('stays open. Come back to it with: reprise chat --id typed');
    expect(await isOpen('typed')).toBe(true);
  });

  test.skipIf(!hasTerminals).each([
    [
      'lines that come at once are turns one after the other',
      'Please say one.\rPlease say two.\r',
      /^Heard: one\.\nHeard: one .*two\.\n$/,
    ],
    ['what is pasted is one turn', '\u001B[200~Please say one.\rPlease say two.\u001B[201~\r', /^Heard: one.*two\.\n$/],
  ])('%s', async (_, typed, heard) => {
    const chatting = home.startOnTerminal(chat());
    await chatting.says(ready);
    chatting.type(`${typed}/exit\r`);
    const { status, stdout } = await chatting.finished;
    expect(status).toBe(0);
    expect(stdout).toMatch(heard);
  });

  test.skipIf(!hasTerminals)('a failed turn is told, and the conversation goes on', async () => {
    script = () => ({ status: 401 });
    const chatting = home.startOnTerminal(chat());
    await chatting.says(ready);
    chatting.type('Please say one.\r');
    await chatting.says(/agent_a: .*401[^]*> \S*$/);
    script = echo;
    chatting.type('Please say two.\r');
    await chatting.prints(/Heard: .*two\.\n/);
    await chatting.says(ready);
    chatting.type('\u0004');
    const { status, stderr } = await chatting.finished;
    expect(status).toBe(0);
    const reprise = await home.client();
    const session = reprise.getSession(/Run (chat-[\w-]+)/.exec(stderr)?.[1] ?? '');
    expect(await session.result()).toMatchObject({ turns: 2 });
    await reprise.close();
  });

  test.skipIf(!hasTerminals)(
    'Ctrl-C ends the turn and not the chat, and --id shows the last exchange, also one that was interrupted',
    async () => {
      const stalled = (): Promise<never> => new Promise(() => {});
      script = stalled;
      const chatting = home.startOnTerminal(chat('--id', 'stopped'));
      await chatting.says(ready);
      chatting.type('Please say two.\r');
      await chatting.says(/agent_a[^]*answering/);
      chatting.type('\u0003');
      await chatting.says(/Ending the turn; Ctrl-C again leaves[^]*> \S*$/);
      expect(await isOpen('stopped')).toBe(true);
      script = echo;
      chatting.type('Please say one.\r');
      await chatting.prints(/Heard: .*one\.\n/);
      await chatting.says(ready);
      chatting.type('\u0004');
      expect((await chatting.finished).status).toBe(0);

      const later = home.startOnTerminal(['chat', '--id', 'stopped']);
      await later.says(/> Please say one\.\s+Heard: .*one\.[^]*> \S*$/);
      script = stalled;
      later.type('Please say two.\r');
      await later.says(/agent_a[^]*answering/);
      later.process.kill('SIGKILL');
      const last = home.startOnTerminal(['chat', '--id', 'stopped']);
      await last.says(/> Please say two\.[^]*answering/);
      last.type('\u0003');
      await last.says(/Ending the turn[^]*> \S*$/);
      last.type('/exit\r');
      expect((await last.finished).status).toBe(0);
    },
  );

  test.skipIf(!hasTerminals)('Ctrl-C twice at the prompt leaves with status 130, and the session goes on', async () => {
    const chatting = home.startOnTerminal(chat('--id', 'left'));
    await chatting.says(ready);
    chatting.type('Please say one.\r');
    await chatting.prints(/Heard: one\.\n/);
    await chatting.says(ready);
    chatting.type('\u0003');
    await chatting.says(/Ctrl-C again leaves the conversation, Ctrl-D ends it[^]*> \S*$/);
    chatting.type('\u0003');
    expect((await chatting.finished).status).toBe(130);
    expect(chatting.stderr).toContain('Continue it with: reprise chat --id left');
    expect(await isOpen('left')).toBe(true);
  });
});
