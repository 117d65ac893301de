import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, beforeEach, describe, expect, inject, test } from 'vitest';
import type { InboxQuestion } from '../../src/client.ts';
import { askingTeam, asks } from '../support/asking.ts';
import { Home } from '../support/cli.ts';
import type { Script } from '../support/model-server.ts';
import { teamScript } from '../support/team-script.ts';

/** What the model says in the present test. */
let script: Script = teamScript();
let home: Home;

beforeAll(async () => {
  home = await Home.withModel((seen) => script(seen));
  await home.upHere();
});
afterAll(() => home.remove());
beforeEach(() => {
  script = asks('What color theme?');
});

/** Starts a run that asks, and waits until its question stands in the inbox. */
async function startAsking(id: string): Promise<InboxQuestion> {
  const reprise = await home.client();
  try {
    await reprise.startOrchestration({ task: 'Paint it.', config: askingTeam(300) }, { id });
    for (;;) {
      const found = (await reprise.inbox()).find(({ workflowId }) => workflowId === id);
      if (found !== undefined) return found;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  } finally {
    await reprise.close();
  }
}

async function resultOf(id: string) {
  const reprise = await home.client();
  try {
    return await reprise.getOrchestration(id).result();
  } finally {
    await reprise.close();
  }
}

describe('inbox', () => {
  test('is empty where nobody waits', async () => {
    const { status, stdout, stderr } = await home.run(['inbox']);
    expect({ status, stdout }).toEqual({ status: 0, stdout: '' });
    expect(stderr).toContain('Nobody waits for a person');
    expect((await home.run(['inbox', '--json'])).stdout).toBe('[]\n');
  });

  test('lists each question with the line that answers it, and that line works', async () => {
    const { questionId } = await startAsking('listed');
    const { stdout } = await home.run(['inbox']);
    expect(stdout).toMatch(
      /^listed \(Paint it\.\): agent_a asks \(.*\), \d min( \d+ s)? left\n {2}What color theme\?\n/m,
    );
    const command = `reprise answer listed --question ${questionId}`;
    expect(stdout).toContain(`  ${command} "…"`);
    const listed = JSON.parse((await home.run(['inbox', '--json'])).stdout) as InboxQuestion[];
    expect(listed).toEqual([
      {
        workflowId: 'listed',
        task: 'Paint it.',
        kind: 'question',
        questionId,
        from: 'agent_a',
        question: 'What color theme?',
        askedAt: expect.any(String),
        expiresAt: expect.any(String),
      },
    ]);

    const answered = await home.run([...command.split(' ').slice(1), 'Dark mode']);
    expect(answered).toMatchObject({ status: 0, stdout: '' });
    expect(await resultOf('listed')).toMatchObject({
      answer: 'Told: Dark mode.',
      humanQa: [{ question: 'What color theme?', answer: 'Dark mode' }],
    });
  });

  test('--watch prints each new question once, and runs --notify for it', async () => {
    const told = join(home.folder, 'told');
    const notify = `printf '%s|%s|%s|%s|' "$REPRISE_WORKFLOW_ID" "$REPRISE_QUESTION_ID" "$REPRISE_FROM" "$REPRISE_QUESTION" >> ${told}; cat >> ${told}`;
    const watching = home.start(['inbox', '--watch', '--json', '--notify', notify]);
    await watching.says(/Waiting for questions/);
    const question = await startAsking('watched');
    await watching.prints(/\n/);
    await home.run(['answer', 'watched', 'Light']);
    await resultOf('watched');
    watching.signal('SIGINT');
    const { status, stdout } = await watching.finished;
    expect(status).toBe(130);
    expect(stdout).toBe(`${JSON.stringify(question)}\n`);
    expect(readFileSync(told, 'utf8')).toBe(
      `watched|${question.questionId}|agent_a|What color theme?|${JSON.stringify(question)}\n`,
    );
  });
});

describe('answer', () => {
  const refused: Array<[what: string, words: string[], status: number, said: RegExp]> = [
    ['an unknown run', ['nobody', 'Hi'], 1, /There is no run of the id nobody/],
    ['an empty TEXT', ['nobody', ' '], 2, /The answer is empty.*--skip/],
    ['TEXT and --skip', ['nobody', 'Hi', '--skip'], 2, /TEXT and --skip/],
    ['one word that names no run, and is an answer to none', ['nobody'], 1, /There is no run that waits for a person/],
    ['a server that is not there', ['nobody', 'Hi', '--temporal', '192.0.2.1:7233'], 3, /does not answer/],
  ];
  test.for(refused)('%s is refused', async ([, words, status, said]) => {
    const finished = await home.run(['answer', ...words]);
    expect(finished).toMatchObject({ status, stdout: '', stderr: expect.stringMatching(said) });
  });

  test('a run that has ended takes no answer', async () => {
    script = teamScript();
    const reprise = await home.client();
    await (await reprise.startOrchestration({ task: 'Be quick.' }, { id: 'ended' })).result();
    await reprise.close();
    const { status, stderr } = await home.run(['answer', 'ended', 'Hi']);
    expect(status).toBe(1);
    expect(stderr).toContain('The run ended has ended (completed)');
  });

  test('of a run that was terminated nobody is asked any more', async () => {
    await startAsking('terminated');
    const reprise = await home.client();
    await reprise.client.workflow.getHandle('terminated').terminate('No more');
    await reprise.close();
    const { status, stderr } = await home.run(['watch', 'terminated']);
    expect(status).toBe(1);
    expect(stderr).toContain('agent_a waits for a person');
    expect(stderr).not.toContain('To answer:');
  });

  test('TEXT may come by standard input; one that no run would take is refused before anything is sent', async () => {
    const { questionId } = await startAsking('piped');
    const long = home.start(['answer', 'piped', '-']);
    long.type('x'.repeat(3_000_000));
    long.endInput();
    const { status, stderr } = await long.finished;
    expect(status).toBe(2);
    expect(stderr).toMatch(/The answer has 3,000,000 characters.*500,000/);

    const short = home.start(['answer', 'piped', '-', '--question', questionId]);
    short.type('Dark\nmode\n');
    short.endInput();
    expect((await short.finished).status).toBe(0);
    expect((await resultOf('piped')).humanQa).toEqual([{ question: 'What color theme?', answer: 'Dark\nmode' }]);
  });

  test('--skip passes: the agent goes on without an answer', async () => {
    await startAsking('skipped');
    const { status, stderr } = await home.run(['answer', 'skipped', '--skip']);
    expect(status).toBe(0);
    expect(stderr).toMatch(/Question \S+ of skipped is skipped/);
    expect((await resultOf('skipped')).humanQa).toEqual([]);
  });

  test('an answer goes to the question that was read, never to a later one', async () => {
    script = asks('What color theme?', 'Which font?');
    const first = await startAsking('moved');
    const named = ['--question', first.questionId];
    await home.run(['answer', 'moved', 'Dark', ...named]);
    const watching = home.start(['watch', 'moved']);
    await watching.says(/Which font\?\n\n─/);
    const again = await home.run(['answer', 'moved', 'Light', ...named]);
    expect(again.status).toBe(1);
    expect(again.stderr).toContain(`Question ${first.questionId} was answered already: Dark`);
    const unknown = await home.run(['answer', 'moved', 'Light', '--question', 'q99']);
    expect(unknown.status).toBe(1);
    expect(unknown.stderr).toMatch(/moved has no question q99; those that wait:\n.*Which font\?/);
    await home.run(['answer', 'moved', 'Serif']);
    expect((await resultOf('moved')).humanQa).toEqual([
      { question: 'What color theme?', answer: 'Dark' },
      { question: 'Which font?', answer: 'Serif' },
    ]);
    await watching.finished;
  });

  test('where no question waits it says why, and how a late answer still counts', async () => {
    const decided = Promise.withResolvers<void>();
    const asking = asks('What color theme?');
    script = async (seen) => {
      if (seen.tools.includes('submit')) await decided.promise;
      return asking(seen);
    };
    await using reprise = await home.client();
    const run = await reprise.startOrchestration({ task: 'Paint it.', config: askingTeam(1) }, { id: 'late' });
    const watching = home.start(['watch', 'late']);
    await watching.says(/Final agent selected/);
    const questionId = (await run.events()).find((event) => event.type === 'question')?.questionId ?? '';
    const none = await home.run(['answer', 'late', 'Dark']);
    expect(none.status).toBe(1);
    expect(none.stderr).toContain(`has closed (timeout)`);
    expect(none.stderr).toContain(`--question ${questionId}`);
    const late = await home.run(['answer', 'late', 'Dark', '--question', questionId]);
    expect(late.status).toBe(0);
    expect(late.stderr).toContain('the answer is kept for those who ask next');
    decided.resolve();
    await watching.finished;
    expect((await resultOf('late')).humanQa).toEqual([{ question: 'What color theme?', answer: 'Dark' }]);
  });
});

const execute = promisify(execFile);

describe('scripts answer', () => {
  const place = (name: string) => fileURLToPath(new URL(`../../examples/${name}`, import.meta.url));
  test.each([
    ['with the Temporal CLI', 'sh', 'answer.sh'],
    ['with the client library', process.execPath, 'answer.ts'],
  ])('%s', async (_, program, file) => {
    const id = `by-${file}`;
    const { questionId } = await startAsking(id);
    const env = {
      PATH: process.env['PATH'],
      HOME: home.folder,
      ...home.temporal,
      TEMPORAL_CLI_PATH: inject('temporal').cli,
      // As `npm run example` has it: nothing is compiled here.
      NODE_OPTIONS: '--conditions=reprise-source',
    };
    const listed = await execute(program, [place(file)], { env });
    expect(listed.stdout).toContain(id);
    expect(listed.stdout).toContain(questionId);
    expect(listed.stdout).toContain('What color theme?');
    await execute(program, [place(file), id, questionId, 'Dark, "very" dark\n\\o/'], { env });
    expect((await resultOf(id)).humanQa).toEqual([
      { question: 'What color theme?', answer: 'Dark, "very" dark\n\\o/' },
    ]);
  });
});
