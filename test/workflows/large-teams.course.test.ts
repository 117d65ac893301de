import { expect, test } from 'vitest';
import type { RunEvent } from '../../src/protocol/events.ts';
import { sharedRunning } from '../support/running.ts';
import { answer, teamOf, teamScript, vote } from '../support/team-script.ts';

const running = sharedRunning();

const names = (count: number): string[] => Array.from({ length: count }, (_, index) => `a${index + 1}`);

// Each too short, in characters, to be named: together they are more than the 4 MB that a message to the server may have.
test('a hundred agents with answers of several bytes a character all vote, and the store has the list once', async () => {
  const text = (name: string): string => `${name}的回答。`.padEnd(390, '这是对的。');
  const run = running(
    teamScript({ answer: ({ agent }) => answer(text(agent)), vote: () => vote('agent7', 'It is the best.') }),
  );
  const config = teamOf(names(100), { type: 'openai' }, { max_orchestration_restarts: 0 });
  const handle = await run.start({ task: 'T', config });
  expect(await handle.result()).toMatchObject({ finalAgent: 'a7', outcome: 'submitted' });
  const votes = run.model.requests.filter(({ prompt }) => prompt.includes('Vote for the best answer'));
  expect(votes).toHaveLength(100);
  for (const { prompt } of votes) expect(prompt).toContain(text('a100'));
  const { historySize = 0 } = await handle.describe();
  expect(historySize).toBeLessThan(1_500_000);
});

test('answers that are more than a voter’s context are cut for it, and it votes all the same', async () => {
  const run = running(
    teamScript({
      answer: ({ agent }) => answer(`Begin ${agent}. ${'x'.repeat(4000)} End ${agent}.`),
      vote: () => vote('agent2', 'r'),
    }),
  );
  const config = teamOf(names(20), { type: 'openai', model: 'gpt-4' }, { max_orchestration_restarts: 0 });
  const handle = await run.start({ task: 'T', config });
  expect(await handle.result()).toMatchObject({ finalAgent: 'a2' });
  const [first] = run.model.requests.filter(({ prompt }) => prompt.includes('Vote for the best answer'));
  for (const name of names(20))
    expect(first?.prompt).toMatch(new RegExp(`Begin ${name}\\. x+\\n\\[… [\\d,]+ characters were left out here`));
  const events = await handle.query<RunEvent[]>('events');
  expect(events.filter(({ type }) => type === 'out')).toEqual([]);
  expect(events).toContainEqual(
    expect.objectContaining({
      type: 'notice',
      text: expect.stringContaining('shortened to fit the context of gpt-4') as string,
    }),
  );
});

test('a team that no context could be shown is told so before it is asked for anything', async () => {
  const run = running(teamScript());
  const handle = await run.start({
    task: 'T',
    config: teamOf(names(100), { type: 'openai', model: 'gpt-4' }, { max_orchestration_restarts: 0 }),
  });
  await expect
    .poll(() => handle.query<RunEvent[]>('events'))
    .toContainEqual(
      expect.objectContaining({
        type: 'notice',
        text: expect.stringContaining('cannot show the answers of 100 agents') as string,
      }),
    );
  await handle.terminate();
});
