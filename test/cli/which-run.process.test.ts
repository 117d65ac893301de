import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { askingTeam, asks } from '../support/asking.ts';
import { Home } from '../support/cli.ts';
import { teamScript } from '../support/team-script.ts';

let home: Home;
beforeAll(async () => {
  const [painting, others] = [asks('What color theme?'), teamScript()];
  home = await Home.withModel((seen) => (seen.prompt.includes('Paint it.') ? painting : others)(seen));
  writeFileSync(join(home.folder, 'asking.json'), JSON.stringify(askingTeam(300)));
  writeFileSync(join(home.folder, 'note.txt'), 'Chains slip under load.');
  for (const id of ['blue-one', 'blue-two']) {
    const { status, stderr } = await home.run(['ask', 'Say it.', '--id', id]);
    if (status !== 0) throw new Error(stderr);
  }
});
afterAll(() => home.remove());

/** Starts a run, and waits until its question stands in the inbox. */
async function startAsking(id: string): Promise<void> {
  await home.run(['ask', '--config', 'asking.json', '--detach', '--id', id, '--', 'Paint', 'it.']);
  while (!(await home.run(['inbox', '--json'])).stdout.includes(id)) await pause(100);
}

describe('without an id', () => {
  test('show is about the newest run, and says which', async () => {
    const { status, stderr, stdout } = await home.run(['show']);
    expect({ status, stderr }).toEqual({ status: 0, stderr: 'The newest run: blue-two\n' });
    expect(stdout).toContain('blue-two');
  });

  test('answer and cancel are about the newest that it can be, and one word is an answer', async () => {
    await startAsking('waits');
    const answered = await home.run(['answer', 'Dark']);
    expect(answered).toMatchObject({ status: 0 });
    expect(answered.stderr).toMatch(
      /^The newest run that waits for a person: waits\nAnswer to question \S+ of waits sent/,
    );
    expect((await home.run(['watch'])).stdout).toContain('Told: Dark.');
    await startAsking('ends');
    expect((await home.run(['cancel'])).stderr).toMatch(/^The newest run that goes on: ends\nends is cancelled/);
  });

  test('answer is about the newest that asks a question, also where a newer one waits for something else', async () => {
    await startAsking('asks');
    const research = { research: { backend: { type: 'offline' }, approval: true } };
    writeFileSync(join(home.folder, 'research.json'), JSON.stringify(research));
    await home.run(['research', '--config', 'research.json', '--detach', '--id', 'decides', 'What is a restart?']);
    while (!(await home.run(['inbox', '--json'])).stdout.includes('decides')) await pause(100);
    expect(await home.run(['answer', 'Dark'])).toMatchObject({
      status: 0,
      stderr: expect.stringMatching(/^The newest run that asks a question: asks\nAnswer to question \S+ of asks sent/),
    });
    for (const id of ['asks', 'decides']) await home.run(['cancel', id]);
  });

  test('where there is none, that is said', async () => {
    for (const [words, said] of [
      [['cancel'], 'There is no run that goes on\n'],
      [['answer', 'Dark'], 'There is no run that waits for a person\n'],
      [['restart', '--reason', 'r', '--instructions', 'i'], 'There is no run that can be restarted\n'],
      [['decide', '--accept'], 'There is no research run that goes on\n'],
    ] as const)
      await expect.poll(() => home.run([...words])).toEqual({ status: 1, stdout: '', stderr: said });
  });
});

describe('the beginning of an id', () => {
  test('is enough where one run has it', async () => {
    expect(await home.run(['watch', 'blue-t'])).toMatchObject({ status: 0 });
    expect((await home.run(['cancel', 'blue-o'])).stderr).toBe('The run blue-one has ended (completed)\n');
  });

  test('of several runs is refused, with those that it may be', async () => {
    const { status, stderr } = await home.run(['show', 'blue']);
    expect(status).toBe(2);
    expect(stderr).toMatch(
      /^Several runs have ids that begin with blue; name more of one:\n {2}blue-two {2}.* ago\n {2}blue-one {2}/,
    );
  });
});

test('a task of several words is one task, and files come with every kind of run', async () => {
  const asked = await home.run(['ask', '--attach', 'note.txt', '--', 'When', 'do', 'chains', '--slip?']);
  expect(asked.stderr).toContain('Task: When do chains --slip?');
  for (const words of [['chat'], ['research', '--detach'], ['solve', '--detach']]) {
    const { stderr, status } = await home.run([...words, '--attach', 'none.txt', 'When?']);
    expect({ status, stderr }).toEqual({ status: 2, stderr: expect.stringContaining('none.txt: there is no file') });
  }
  for (const { stderr } of [asked, await home.run(['chat', '--attach', 'note.txt', 'When?'])])
    expect(stderr).toContain('📎 note.txt (text)');
  expect(home.model?.requests.filter(({ prompt }) => prompt.includes('Chains slip under load.'))).not.toEqual([]);
});

test('open prints the page of a run, or that of all, at the same port after down and up', async () => {
  const { stdout: before } = await home.run(['open', 'blue-t']);
  expect(before).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/namespaces\/default\/workflows\/blue-two\n$/);
  expect((await home.run(['open'])).stdout).toBe(before.replace('/blue-two', ''));
  expect(await home.run(['open', 'none'])).toMatchObject({ status: 1, stderr: 'There is no run of the id none\n' });
  const { address, uiAddress } = home.holder ?? {};
  await home.run(['down']);
  expect(home.holder).toBeUndefined();
  expect((await home.run(['open', 'blue-t'])).stdout).toBe(before);
  expect(home.holder).toMatchObject({ address, uiAddress });
});
