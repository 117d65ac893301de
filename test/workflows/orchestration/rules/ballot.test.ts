import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { anonymousName, winnerOf } from '../../../../src/workflows/orchestration/rules/team-settings.ts';

const vote = (agent: string) => ({ voter: 'someone', agent, reason: '' });

describe('ballot', () => {
  test('anonymous names count from 1 in the order of configuration', () => {
    expect([0, 1, 2].map(anonymousName)).toEqual(['agent1', 'agent2', 'agent3']);
  });

  test.each([
    { rule: 'most votes win', candidates: ['a', 'b', 'c'], votes: ['b', 'b', 'c'], winner: 'b' },
    {
      rule: 'a tie goes to the first configured of those tied',
      candidates: ['a', 'b', 'c'],
      votes: ['c', 'b'],
      winner: 'b',
    },
    { rule: 'no votes: the first configured agent with an answer', candidates: ['b', 'c'], votes: [], winner: 'b' },
    { rule: 'a plurality is enough', candidates: ['a', 'b', 'c'], votes: ['a', 'b', 'c', 'c'], winner: 'c' },
    { rule: 'no candidate: no winner', candidates: [], votes: [], winner: undefined },
  ])('$rule', ({ candidates, votes, winner }) => {
    expect(winnerOf(candidates, votes.map(vote))).toBe(winner);
  });

  test('nobody has more votes than the winner, and nobody configured before it has as many', () => {
    const candidates = ['a', 'b', 'c', 'd'];
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...candidates)), (names) => {
        const count = (agent: string) => names.filter((name) => name === agent).length;
        const winner = winnerOf(candidates, names.map(vote)) ?? '';
        const place = candidates.indexOf(winner);
        candidates.forEach((other, index) => {
          if (index < place) expect(count(other)).toBeLessThan(count(winner));
          else expect(count(other)).toBeLessThanOrEqual(count(winner));
        });
      }),
    );
  });
});
