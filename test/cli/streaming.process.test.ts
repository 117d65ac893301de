import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ownDocs } from '../../src/config/search-services.ts';
import { hasTerminals, Home, type Running } from '../support/cli.ts';
import type { Script } from '../support/model-server.ts';
import { report, researchScript } from '../support/research-script.ts';
import { shownOn } from '../support/screen.ts';
import { restart, submit, teamOf, teamScript } from '../support/team-script.ts';

/** Each line is one of the pieces in which the model sends it. */
const lines = ['one', 'two', 'three', 'four', 'five'].map((name) => `The line ${name} of an answer`.padEnd(39, '.'));
const answer = lines.join('\n');

const clipboard = 'Look.\x1B]52;c;cm0gLXJmIH4vKgo=\x07 \x1B[31mRed\x1B[0m \u202Eback\u202C.';

/** What the model says in the present test. */
let script: Script = teamScript();
let home: Home;

/** A reply that stops behind its second piece until it is let go on. */
function held() {
  const { promise, resolve: goOn } = Promise.withResolvers<void>();
  // The text, or the arguments, begin with the fifth event.
  const hold = async (index: number): Promise<void> => (index === 5 ? promise : undefined);
  return { goOn, hold };
}

/** Has the model present an answer that stops behind its second line. @returns lets it go on */
function presentHeld(): () => void {
  const { goOn, hold } = held();
  script = teamScript({ present: () => ({ text: answer, hold }) });
  return goOn;
}

beforeAll(async () => {
  home = await Home.withModel((seen) => script(seen));
  const budget = { calls: 40, usd: 0.5 };
  writeFileSync(join(home.folder, 'research.json'), JSON.stringify({ research: { search: { folder: ownDocs } } }));
  writeFileSync(
    join(home.folder, 'team.json'),
    JSON.stringify(teamOf(['agent_a'], { type: 'openai' }, {}, { budget })),
  );
  await home.upHere();
});
afterAll(() => home.remove());

const ask = (...words: string[]): string[] => ['ask', 'Say it.', '--config', 'team.json', ...words];

/** The terminal has standard output too. */
const onScreen = { WHOLE_TERMINAL: '120' };

/** How often a line stands on the terminal, wherever in a row. */
const countOn = ({ stderr }: Running, line: string): number =>
  shownOn(stderr).filter((row) => row.includes(line)).length;

describe.skipIf(!hasTerminals)('on a terminal', () => {
  test('the final answer grows, and stands there once at the end', async () => {
    const goOn = presentHeld();
    const asking = home.startOnTerminal(ask(), onScreen);
    await asking.says(/agent_a is writing the final answer:[^]*The line two/);
    goOn();
    expect(asking.stderr).toMatch(/presenting, \d+ s of 30 min, 4 of 40 calls, \d+ tokens, \$0\.\d{4} of \$0\.50/);
    const { status } = await asking.finished;
    expect(status).toBe(0);
    for (const line of lines) expect(countOn(asking, line)).toBe(1);
    expect(shownOn(asking.stderr).slice(-lines.length)).toEqual(lines);
    expect(countOn(asking, 'is writing')).toBe(0);
  });

  test('standard output in a file gets the answer alone, and nothing of its growing', async () => {
    const goOn = presentHeld();
    const asking = home.startOnTerminal(ask());
    await asking.says(/is writing the final answer:[^]*The line two/);
    goOn();
    const { stdout } = await asking.finished;
    expect(stdout).toBe(`${answer}\n`);
    for (const line of lines) expect(countOn(asking, line)).toBe(0);
  });

  test('what was presented goes away when it is judged not to be good enough', async () => {
    let presented = 0;
    const { goOn, hold } = held();
    script = teamScript({
      decide: ({ attempt }) => (attempt === 1 ? restart('Only a plan.', 'Do it.') : submit()),
      present: () => (presented++ === 0 ? { text: answer, hold } : { text: 'Done.' }),
    });
    const coordination = { enable_post_presentation_evaluation: true };
    writeFileSync(
      join(home.folder, 'evaluating.json'),
      JSON.stringify(teamOf(['agent_a'], { type: 'openai' }, coordination)),
    );
    const asking = home.startOnTerminal(['ask', 'Do it.', '--config', 'evaluating.json'], onScreen);
    await asking.says(/is writing the final answer:[^]*The line two/);
    goOn();
    await asking.finished;
    for (const line of lines) expect(countOn(asking, line)).toBe(0);
    expect(shownOn(asking.stderr).at(-1)).toBe('Done.');
    expect(countOn(asking, 'Only a plan.')).toBe(1);
  });

  test('a report grows as it will read, not as the JSON in which it comes', async () => {
    const { goOn, hold } = held();
    script = researchScript({ synthesise: () => ({ ...report('On rain', answer), hold }) });
    const researching = home.startOnTerminal(['research', 'Rain', '--config', 'research.json'], onScreen);
    await researching.says(/writer is writing the final answer:[^]*# On rain[^]*The line one/);
    goOn();
    const { status } = await researching.finished;
    expect(status).toBe(0);
    expect(countOn(researching, '"summary"')).toBe(0);
  });

  test('a chat shows what was typed and what was answered, and nothing else of the turn', async () => {
    const goOn = presentHeld();
    const chatting = home.startOnTerminal(['chat', '--config', 'team.json'], onScreen);
    await chatting.says(/> \S*$/);
    chatting.type('Please say it.\r');
    await chatting.says(/The line two/);
    goOn();
    await chatting.says(/The line five[^]*> \S*$/);
    chatting.type('\u0004');
    await chatting.finished;
    const screen = shownOn(chatting.stderr);
    const from = screen.findIndex((row) => row.includes('> Please say it.'));
    expect(from).toBeGreaterThan(0);
    expect(screen.slice(-lines.length - 3)).toEqual(['', ...lines, '', '>']);
    expect(screen.slice(from).join('\n')).not.toMatch(/💬|🏁/u);
  });

  test('an answer cannot steer the terminal, and a file gets it to the letter', async () => {
    script = teamScript({ present: () => ({ text: clipboard }) });
    const asking = home.startOnTerminal(ask(), onScreen);
    await asking.finished;
    expect(asking.stderr).not.toMatch(/\]52|\[31mRed|\u202E/);
    expect(shownOn(asking.stderr).at(-1)).toBe('Look. Red back.');
    const { stdout } = await home.run(ask());
    expect(stdout).toBe(`${clipboard}\n`);
  });

  test('nor can a provider by its errors, nor a question, nor a name', async () => {
    script = () => ({ status: 401, errorBody: JSON.stringify({ error: { message: `No.${clipboard}` } }) });
    const asking = home.startOnTerminal(ask('--id', `a\x1B]0;title\x07b`), onScreen);
    expect((await asking.finished).status).toBe(1);
    expect(asking.stderr).toContain('Look.');
    expect(asking.stderr).not.toMatch(/\]52|\]0;title|\u202E/);
  });

  test('a terminal that has no size shows whole lines', async () => {
    const goOn = presentHeld();
    const asking = home.startOnTerminal(ask(), { WHOLE_TERMINAL: '0' });
    await asking.says(/The line two/);
    goOn();
    const { status } = await asking.finished;
    expect(status).toBe(0);
    expect(shownOn(asking.stderr).filter((row) => row.length === 1)).toEqual([]);
    expect(shownOn(asking.stderr).slice(-lines.length)).toEqual(lines);
  });
});

describe('without a terminal', () => {
  test('nothing of the answer is shown before it is whole', async () => {
    const goOn = presentHeld();
    const asking = home.start(ask('--id', 'unseen'));
    await asking.says(/Task: Say it\./);
    await using reprise = await home.client();
    for await (const { texts } of reprise.getRun('unseen').watch())
      if (texts.some(({ text }) => text.includes('The line two'))) goOn();
    const { stdout, stderr } = await asking.finished;
    expect(stdout).toBe(`${answer}\n`);
    expect(stderr).not.toContain('The line');
  });

  test('JSON escapes what could steer a terminal, and means the same', async () => {
    script = teamScript({ present: () => ({ text: `${clipboard}\x9B2J` }) });
    const { stdout } = await home.run(ask('--json'));
    // oxlint-disable-next-line no-control-regex
    expect(stdout).not.toMatch(/[\x1B\x9B\u202E]/);
    expect((JSON.parse(stdout) as { answer: string }).answer).toBe(`${clipboard}\x9B2J`);
  });
});
