import { expect, test } from 'vitest';
import { checkTeam } from '../../src/config/kinds.ts';
import { completeTeam, tooManyAnswers } from '../../src/config/team.ts';

const teamOf = (count: number, model: string, rest: object = {}) => ({
  agents: Array.from({ length: count }, (_, index) => ({
    id: `a${index}`,
    backend: { type: 'openai' as const, model },
  })),
  ...rest,
});

const said = (config: object): string[] => {
  const checked = checkTeam(config);
  if (!checked.ok) throw new Error(JSON.stringify(checked));
  return tooManyAnswers(completeTeam(checked.value, {}));
};

test.each([
  ['fifty agents with 8,192 tokens', teamOf(50, 'gpt-4'), 0],
  ['a hundred agents with 8,192 tokens', teamOf(100, 'gpt-4'), 1],
  ['a hundred agents with a long context', teamOf(100, 'gpt-5.1'), 0],
  [
    'a judge with a short one',
    teamOf(100, 'gpt-5.1', { final_agent: { backend: { type: 'openai', model: 'gpt-4' } } }),
    1,
  ],
])('%s: what a model cannot even be shown the beginnings of is told before anything is spent', (_, config, notices) => {
  const told = said(config);
  expect(told).toHaveLength(notices);
  if (notices > 0)
    expect(told[0]).toMatch(/^The context of gpt-4 \(8192 tokens\) cannot show the answers of 100 agents/);
});

test('a team has at most 200 agents, whose calls one message to the server can hold', () => {
  expect(checkTeam(teamOf(200, 'gpt-5.1'))).toMatchObject({ ok: true });
  expect(JSON.stringify(checkTeam(teamOf(201, 'gpt-5.1')))).toMatch(/agents.*200/);
});
