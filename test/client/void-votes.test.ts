import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { HistoryRecord } from '../../src/client/show/history.ts';
import { stepsOf } from '../../src/client/show/steps.ts';
import { Texts } from '../../src/client/show/texts.ts';

const call = fc.record({
  name: fc.constantFrom('new_answer', 'vote'),
  attempt: fc.constantFrom(1, 2),
  turn: fc.constantFrom(1, 2),
  refused: fc.boolean(),
});
type Call = typeof call extends fc.Arbitrary<infer T> ? T : never;

/** The reply with a call, and what the agent was told of it before its next one. */
const recordOf = ({ attempt, name, turn }: Call, index: number, all: Call[]): HistoryRecord => {
  const told = all[index - 1]?.refused ? 'It was refused.' : 'Recorded.';
  return {
    kind: 'activity',
    type: 'callModel',
    summary: `agent_a · ${name === 'vote' ? 'vote' : 'answer'} · attempt ${attempt} · model`,
    at: '2026-01-01T00:00:00.000Z',
    since: '2026-01-01T00:00:00.000Z',
    turn,
    input: {
      transcript: { id: `segment-${index - 1}` },
      append: [{ role: 'tool', callId: `call-${index - 1}`, content: told }],
    },
    result: {
      reply: { content: '', calls: [{ id: `call-${index}`, name, input: { content: 'Blue.', agent_id: 'agent1' } }] },
      transcript: { id: `segment-${index}` },
    },
  };
};

test('a vote is void where an answer that was not refused came after it in the same turn and attempt', () => {
  fc.assert(
    fc.property(fc.array(call, { maxLength: 12 }), (calls) => {
      const isVoid = ({ attempt, name, turn }: Call, index: number): boolean =>
        name === 'vote' &&
        calls.some(
          (later, place) =>
            place > index &&
            later.name === 'new_answer' &&
            later.attempt === attempt &&
            later.turn === turn &&
            // Nobody has been told anything of the last one.
            (!later.refused || place === calls.length - 1),
        );
      const steps = stepsOf(calls.map(recordOf), new Texts([], () => undefined), ['agent_a']);
      expect(steps.map((step) => 'isVoid' in step)).toEqual(calls.map(isVoid));
    }),
  );
});
