import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { HumanReply } from '../../../src/protocol/questions.ts';
import {
  answer,
  ask,
  expire,
  newHumanInput,
  withdraw,
  type HumanInputState,
  type HumanInputEvent,
} from '../../../src/workflows/ask-others/human-input-queue.ts';

const room = 1000;

/** The questions to a person, with all events so far. */
function deskOf(history = newHumanInput().history) {
  let state: HumanInputState = newHumanInput(history);
  const events: HumanInputEvent[] = [];
  const take = (step: { state: HumanInputState; events: HumanInputEvent[] }): HumanInputEvent[] => {
    state = step.state;
    events.push(...step.events);
    return step.events;
  };
  return {
    events,
    get state() {
      return state;
    },
    ask: (id: string, conversation: string, question = `Question ${id}?`) =>
      take(ask(state, { id, conversation, question })),
    answer: (reply: HumanReply) => take(answer(state, reply, room)),
    expire: (id: string) => take(expire(state, id)),
    withdraw: (id: string) => take(withdraw(state, id)),
  };
}

/** What happened to which call, such as `q1 prompt` or `q2 deferred`. */
const told = (events: HumanInputEvent[]): string[] =>
  events.map((event) => {
    if (event.kind === 'end') return `${event.ask.id} ${event.end.status}`;
    if (event.kind === 'prompt' || event.kind === 'withdrawn') return `${event.ask.id} ${event.kind}`;
    return event.kind;
  });

test('when three ask at once, one prompts, and the others are deferred by its answer', () => {
  const { ask: asks, answer: answers } = deskOf();
  expect(told([...asks('q1', 'a'), ...asks('q2', 'b'), ...asks('q3', 'c')])).toEqual(['q1 prompt']);
  const events = answers({ answer: 'Dark mode' });
  expect(told(events)).toEqual(['q1 complete', 'q2 deferred', 'q3 deferred']);
  expect(events[1]).toMatchObject({ end: { history: [{ question: 'Question q1?', answer: 'Dark mode' }] } });
});

test('one that has been shown the history prompts with a different question, and is deferred with the same one', () => {
  const { ask: asks, answer: answers } = deskOf();
  asks('q1', 'a', 'What color theme?');
  asks('q2', 'b');
  answers({ answer: 'Dark mode' });
  expect(told(asks('q3', 'b', ' what  COLOR theme?'))).toEqual(['q3 deferred']);
  expect(told(asks('q4', 'b', 'Which font?'))).toEqual(['q4 prompt']);
  answers({ answer: 'Serif' });
  expect(told(asks('q5', 'a', 'Which size?'))).toEqual(['q5 deferred']);
  expect(told(asks('q6', 'a', 'Which size?'))).toEqual(['q6 prompt']);
});

test('a new conversation of the same agent is shown the history first', () => {
  const { ask: asks, answer: answers } = deskOf();
  asks('q1', 'attempt 1');
  answers({ answer: 'Yes' });
  expect(told(asks('q2', 'attempt 2'))).toEqual(['q2 deferred']);
});

test('an earlier history defers, and the first question after it is not the first of the session', () => {
  const { ask: asks, answer: answers } = deskOf([{ question: 'What?', answer: 'That.' }]);
  expect(told(answers({ answer: 'Too early' }))).toEqual(['ignored']);
  expect(told(asks('q1', 'a'))).toEqual(['q1 deferred']);
});

test.each([
  ['a skip', (state: ReturnType<typeof deskOf>) => state.answer({ answer: ' ' }), 'q1 skipped'],
  ['a withdrawal', (state: ReturnType<typeof deskOf>) => state.withdraw('q1'), 'q1 withdrawn'],
])('%s adds nothing to the history: the next asker prompts', (_, end, expected) => {
  const state = deskOf();
  state.ask('q1', 'a');
  state.ask('q2', 'b');
  expect(told(end(state))).toEqual([expected, 'q2 prompt']);
  expect(state.state.history).toEqual([]);
});

test('a person who lets the time run out is asked nothing else until there is a sign of them', () => {
  const state = deskOf();
  state.ask('q1', 'a');
  state.ask('q2', 'b');
  expect(told(state.expire('q1'))).toEqual(['q1 timeout', 'q2 timeout']);
  expect(told(state.ask('q3', 'c'))).toEqual(['q3 timeout']);
  expect(state.state.history).toEqual([]);
  expect(told(state.answer({ questionId: 'q1', answer: 'Late' }))).toEqual(['kept']);
  expect(told(state.ask('q4', 'c'))).toEqual(['q4 deferred']);
  expect(told(state.ask('q5', 'c'))).toEqual(['q5 prompt']);
});

test('a late answer that names its question enters the history under it, once, and does not disturb the open one', () => {
  const state = deskOf();
  state.ask('q1', 'a');
  state.ask('q2', 'b');
  state.answer({ questionId: 'q1', answer: '' });
  expect(told(state.answer({ questionId: 'q1', answer: 'Late' }))).toEqual(['kept']);
  expect(told(state.answer({ questionId: 'q1', answer: 'Again' }))).toEqual(['ignored']);
  expect(told(state.answer({ questionId: 'q2', answer: 'Mine' }))).toEqual(['q2 complete']);
  expect(state.state.history.map((entry) => entry.answer)).toEqual(['Late', 'Mine']);
  // `b` was shown its own answer, not the late one.
  expect(told(state.ask('q3', 'b'))).toEqual(['q3 deferred']);
});

test('an answer before anything was asked is kept for the first asker; a second one is ignored', () => {
  const state = deskOf();
  expect(told(state.answer({ answer: 'Dark mode' }))).toEqual(['kept']);
  expect(told(state.answer({ answer: 'Light mode' }))).toEqual(['ignored']);
  expect(told(state.ask('q1', 'a', 'What color theme?'))).toEqual(['q1 complete']);
  expect(state.state.history).toEqual([{ question: 'What color theme?', answer: 'Dark mode' }]);
});

test('an answer to a question that is shown before it is asked is kept for that question, the first one of two', () => {
  const state = deskOf();
  expect(told(state.answer({ questionId: 'q2', answer: 'Blue' }))).toEqual(['kept']);
  expect(told(state.answer({ questionId: 'q2', answer: 'Red' }))).toEqual(['ignored']);
  expect(told(state.ask('q1', 'a'))).toEqual(['q1 prompt']);
  expect(told(state.ask('q2', 'b'))).toEqual([]);
  expect(told(state.answer({ questionId: 'q3', answer: 'Green' }))).toEqual(['kept']);
  expect(told(state.expire('q1'))).toEqual(['q1 timeout', 'q2 complete']);
  expect(state.state.history).toEqual([{ question: 'Question q2?', answer: 'Blue' }]);
  expect(told(state.ask('q3', 'c', 'Which?'))).toEqual(['q3 complete']);
});

test('an answer to a question that waits for its turn is not lost where its asker goes', () => {
  const state = deskOf();
  state.ask('q1', 'a');
  state.ask('q2', 'b');
  expect(told(state.answer({ questionId: 'q2', answer: 'Blue' }))).toEqual(['kept']);
  state.withdraw('q2');
  expect(state.state.history).toEqual([{ question: 'Question q2?', answer: 'Blue' }]);
});

test.each([
  ['names a question that nobody has asked', { questionId: 'q99', answer: 'Yes' }],
  ['has no name and comes after the question', { answer: 'Yes' }],
  ['is empty', { answer: '' }],
])('an answer that %s is ignored', (_, reply) => {
  const state = deskOf();
  state.ask('q1', 'a');
  state.expire('q1');
  expect(told(state.answer(reply))).toEqual(['ignored']);
  expect(state.state.history).toEqual([]);
});

test('an answer that is too long is refused, and its question goes on waiting', () => {
  const state = deskOf();
  state.ask('q1', 'a');
  expect(state.answer({ answer: 'x'.repeat(room + 1) })).toEqual([
    { kind: 'ignored', why: expect.stringContaining('1001 characters') as string },
  ]);
  expect(told(state.answer({ answer: 'x'.repeat(room) }))).toEqual(['q1 complete']);
});

type Act =
  | { act: 'ask'; conversation: string; question: string }
  | { act: 'answer' | 'skip' | 'expire' | 'withdraw'; of: number }
  | { act: 'unnamed'; empty: boolean };

const acts: fc.Arbitrary<Act[]> = fc.array(
  fc.oneof(
    fc.record({
      act: fc.constant('ask' as const),
      conversation: fc.constantFrom('a', 'b', 'c', 'd'),
      question: fc.constantFrom('Red?', ' red? ', 'Blue?', 'Green?'),
    }),
    fc.record({
      act: fc.constantFrom('answer' as const, 'skip' as const, 'expire' as const, 'withdraw' as const),
      of: fc.nat(14),
    }),
    fc.record({ act: fc.constant('unnamed' as const), empty: fc.boolean() }),
  ),
  { maxLength: 40 },
);

test('however askers and the person interleave: one prompt at a time, each call ends once, no answer lost or misplaced', () => {
  fc.assert(
    fc.property(acts, (script) => {
      const state = deskOf();
      const asked = new Map<string, Extract<Act, { act: 'ask' }>>();
      const open = new Set<string>();
      const ended = new Map<string, string>();
      const accepted: string[] = [];
      const shown = new Map<string, Set<string>>();
      const shownTo = (id: string): Set<string> => {
        const { conversation } = asked.get(id) ?? { conversation: '' };
        return shown.get(conversation) ?? shown.set(conversation, new Set()).get(conversation)!;
      };
      let replies = 0;
      let isSilent = false;
      const check = (events: HumanInputEvent[], reply?: { questionId?: string; text: string }): void => {
        for (const event of events) {
          if (event.kind === 'prompt') {
            expect(open.size).toBe(0);
            expect(isSilent).toBe(false);
            open.add(event.ask.id);
          } else if (event.kind === 'withdrawn') {
            expect(open.delete(event.ask.id)).toBe(true);
          } else if (event.kind === 'end') {
            const { id } = event.ask;
            expect(ended.has(id)).toBe(false);
            ended.set(id, event.end.status);
            expect(open.delete(id)).toBe(event.wasOpen);
            if (event.end.status === 'complete' && event.wasOpen) {
              expect(event.end.answer).toBe(reply?.text);
              expect(reply?.questionId ?? id).toBe(id);
            }
            if (event.end.status === 'complete') {
              if (event.wasOpen) accepted.push(event.end.answer);
              shownTo(id).add(event.end.answer);
            }
            if (event.end.status === 'deferred') {
              const entries = event.end.history;
              expect(entries.length).toBeGreaterThan(0);
              const seen = shownTo(id);
              const question = asked.get(id)?.question.trim().toLowerCase();
              expect(
                entries.some((entry) => !seen.has(entry.answer) || entry.question.trim().toLowerCase() === question),
              ).toBe(true);
              for (const entry of entries) seen.add(entry.answer);
            }
          } else if (event.kind === 'kept') accepted.push(event.answer);
        }
        expect(open.size).toBeLessThanOrEqual(1);
        expect([...open]).toEqual(state.state.open === undefined ? [] : [state.state.open.id]);
      };
      for (const step of script) {
        if (step.act === 'ask') {
          const id = `q${asked.size + 1}`;
          asked.set(id, step);
          check(state.ask(id, step.conversation, step.question));
        } else if (step.act === 'unnamed') {
          const text = step.empty ? '' : `answer ${replies++}`;
          isSilent = false;
          check(state.answer({ answer: text }), { text });
        } else {
          const questionId = `q${step.of}`;
          if (step.act === 'expire') {
            isSilent ||= open.has(questionId);
            check(state.expire(questionId));
          } else if (step.act === 'withdraw') check(state.withdraw(questionId));
          else {
            const text = step.act === 'skip' ? '' : `answer ${replies++}`;
            isSilent = false;
            check(state.answer({ questionId, answer: text }), { questionId, text });
          }
        }
      }
      const { early, history, kept } = state.state;
      const ahead = [...Object.values(early), ...(kept === undefined ? [] : [kept])];
      const held = [...history.map((entry) => entry.answer), ...ahead];
      expect(held.toSorted()).toEqual(accepted.toSorted());
      // Nobody waits in the queue unless a question is open.
      expect(state.state.open === undefined ? state.state.queue : []).toEqual([]);
    }),
    { numRuns: 1000 },
  );
});
