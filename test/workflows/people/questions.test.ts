import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { HumanAnswer } from '../../../src/protocol/orchestration.ts';
import { maxAnswerChars, type HumanReply } from '../../../src/protocol/questions.ts';
import type { PendingRequests } from '../../../src/workflows/people/pending-requests.ts';
import { plain, Questions, type AskEnd } from '../../../src/workflows/people/questions.ts';

type Happened =
  | { kind: 'prompt' | 'withdrawn'; id: string }
  /** `wasOpen`: the question had been put to the person. */
  | { kind: 'end'; id: string; end: AskEnd; wasOpen: boolean }
  | { kind: 'kept'; answer: string }
  | { kind: 'ignored'; why: string };

/** The questions to a person who lets time run out where `expire` says so, with what happens at each step. */
function deskOf(history: HumanAnswer[] = []) {
  let happened: Happened[] = [];
  let isSilent = false;
  const open = new Map<string, () => void>();
  const opened = new Set<string>();
  const requests: Pick<PendingRequests, 'open' | 'wait' | 'isSilent'> = {
    isSilent: () => isSilent,
    wait: (end) => end,
    open(asked, { closed, onTimeout }) {
      const id = asked.questionId;
      happened.push({ kind: 'prompt', id });
      opened.add(id);
      open.set(id, () => {
        isSilent = true;
        onTimeout?.();
      });
      const pending = { ...asked, askedAt: '', expiresAt: null };
      const close = (end: never): void => {
        open.delete(id);
        if ((end as { status: string }).status === 'withdrawn') happened.push({ kind: 'withdrawn', id });
        closed?.(end);
      };
      return { pending, close, end: new Promise(() => {}), scope: undefined as never };
    },
  };
  const questions = new Questions(
    requests,
    (event) => event.type === 'answer_kept' && happened.push({ kind: 'kept', answer: event.answer }),
    { asks: true, timeout: 1 },
    { history },
  );
  const step = (act: () => void): Happened[] => {
    happened = [];
    act();
    return happened;
  };
  return {
    open,
    record: questions.record,
    ask: (id: string, conversation: string, question = `Question ${id}?`, isForm = false) =>
      step(() => {
        const settle = (end: AskEnd): number => happened.push({ kind: 'end', id, end, wasOpen: opened.has(id) });
        questions.put({ id, conversation, from: 'agent', question, settle, ...(isForm && { isForm }) });
      }),
    answer: (reply: HumanReply) =>
      step(() => {
        isSilent = false;
        const why = questions.answer(reply);
        if (why !== undefined) happened.push({ kind: 'ignored', why });
      }),
    expire: (id: string) => step(() => open.get(id)?.()),
    withdraw: (id: string) => step(() => questions.withdraw(id)),
  };
}

/** What happened to which call, such as `q1 prompt` or `q2 deferred`. */
const told = (happened: Happened[]): string[] =>
  happened.map((each) => {
    if (each.kind === 'end') return `${each.id} ${each.end.status}`;
    return each.kind === 'prompt' || each.kind === 'withdrawn' ? `${each.id} ${each.kind}` : each.kind;
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
  expect(state.record.history).toEqual([]);
});

test('a person who lets the time run out is asked nothing else until there is a sign of them', () => {
  const state = deskOf();
  state.ask('q1', 'a');
  state.ask('q2', 'b');
  expect(told(state.expire('q1'))).toEqual(['q1 timeout', 'q2 timeout']);
  expect(told(state.ask('q3', 'c'))).toEqual(['q3 timeout']);
  expect(state.record.history).toEqual([]);
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
  expect(state.record.history.map((entry) => entry.answer)).toEqual(['Late', 'Mine']);
  // `b` was shown its own answer, not the late one.
  expect(told(state.ask('q3', 'b'))).toEqual(['q3 deferred']);
});

test('an answer to a question that has closed answers the open one that asks the same, and none that asks something else', () => {
  const state = deskOf();
  state.ask('q1', 'a', 'Which color?');
  state.answer({ questionId: 'q1', answer: '' });
  state.ask('q2', 'b', 'which  color?');
  expect(told(state.answer({ questionId: 'q1', answer: 'Blue' }))).toEqual(['q2 complete']);
  expect(state.record.history).toEqual([{ question: 'which  color?', answer: 'Blue' }]);
  expect(told(state.answer({ questionId: 'q1', answer: 'Again' }))).toEqual(['ignored']);
});

test('an answer before anything was asked is kept for the first asker; a second one is ignored', () => {
  const state = deskOf();
  expect(told(state.answer({ answer: 'Dark mode' }))).toEqual(['kept']);
  expect(told(state.answer({ answer: 'Light mode' }))).toEqual(['ignored']);
  expect(told(state.ask('q1', 'a', 'What color theme?'))).toEqual(['q1 complete']);
  expect(state.record.history).toEqual([{ question: 'What color theme?', answer: 'Dark mode' }]);
});

test('an answer before anything was asked is no other question’s, even if the first one has an answer of its own', () => {
  const state = deskOf();
  expect(told(state.answer({ answer: 'Dark mode' }))).toEqual(['kept']);
  expect(told(state.answer({ questionId: 'q1', answer: 'Light mode' }))).toEqual(['kept']);
  expect(told(state.ask('q1', 'a'))).toEqual(['q1 complete']);
  expect(told(state.ask('q2', 'a'))).toEqual(['q2 deferred']);
  expect(state.record.history).toEqual([
    { question: 'Question q1?', answer: 'Dark mode' },
    { question: 'Question q1?', answer: 'Light mode' },
  ]);
});

test('an answer to a question that is shown before it is asked is kept for that question, the first one of two', () => {
  const state = deskOf();
  expect(told(state.answer({ questionId: 'q2', answer: 'Blue' }))).toEqual(['kept']);
  expect(told(state.answer({ questionId: 'q2', answer: 'Red' }))).toEqual(['ignored']);
  expect(told(state.ask('q1', 'a'))).toEqual(['q1 prompt']);
  expect(told(state.ask('q2', 'b'))).toEqual([]);
  expect(told(state.answer({ questionId: 'q3', answer: 'Green' }))).toEqual(['kept']);
  expect(told(state.expire('q1'))).toEqual(['q1 timeout', 'q2 complete']);
  expect(state.record.history).toEqual([{ question: 'Question q2?', answer: 'Blue' }]);
  expect(told(state.ask('q3', 'c', 'Which?'))).toEqual(['q3 complete']);
});

test('an answer to a question that waits for its turn is not lost where its asker goes', () => {
  const state = deskOf();
  state.ask('q1', 'a');
  state.ask('q2', 'b');
  expect(told(state.answer({ questionId: 'q2', answer: 'Blue' }))).toEqual(['kept']);
  state.withdraw('q2');
  expect(state.record.history).toEqual([{ question: 'Question q2?', answer: 'Blue' }]);
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
  expect(state.record.history).toEqual([]);
});

test('an answer that is too long is refused, and its question goes on waiting', () => {
  const state = deskOf();
  state.ask('q1', 'a');
  expect(state.answer({ answer: 'x'.repeat(maxAnswerChars + 1) })).toEqual([
    { kind: 'ignored', why: expect.stringContaining(`${maxAnswerChars + 1} characters`) as string },
  ]);
  expect(told(state.answer({ answer: 'x'.repeat(maxAnswerChars) }))).toEqual(['q1 complete']);
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
      const withdrawn = new Set<string>();
      const accepted: string[] = [];
      const shown = new Map<string, Set<string>>();
      const shownTo = (id: string): Set<string> => {
        const { conversation } = asked.get(id) ?? { conversation: '' };
        return shown.get(conversation) ?? shown.set(conversation, new Set()).get(conversation)!;
      };
      let replies = 0;
      let isSilent = false;
      const check = (events: Happened[], reply?: { questionId?: string; text: string }): void => {
        for (const event of events) {
          if (event.kind === 'prompt') {
            expect(open.size).toBe(0);
            expect(isSilent).toBe(false);
            open.add(event.id);
          } else if (event.kind === 'withdrawn') {
            expect(open.delete(event.id)).toBe(true);
          } else if (event.kind === 'end') {
            const { id } = event;
            expect(ended.has(id)).toBe(false);
            ended.set(id, event.end.status);
            expect(open.delete(id)).toBe(event.wasOpen);
            if (event.end.status === 'complete' && event.wasOpen) {
              expect(event.end.answer).toBe(reply?.text);
              const questionOf = (of: string): string => plain(asked.get(of)?.question ?? of);
              expect(questionOf(reply?.questionId ?? id)).toBe(questionOf(id));
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
        expect([...open]).toEqual([...state.open.keys()]);
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
          } else if (step.act === 'withdraw') {
            withdrawn.add(questionId);
            check(state.withdraw(questionId));
          } else {
            const text = step.act === 'skip' ? '' : `answer ${replies++}`;
            isSilent = false;
            check(state.answer({ questionId, answer: text }), { questionId, text });
          }
        }
      }
      const { early, history } = state.record;
      const held = [...history.map((entry) => entry.answer), ...Object.values(early)];
      expect(held.toSorted()).toEqual(accepted.toSorted());
      // Nobody waits in the queue unless a question is open.
      if (state.open.size === 0) expect([...asked.keys()].every((id) => ended.has(id) || withdrawn.has(id))).toBe(true);
    }),
    { numRuns: 1000 },
  );
});

test('what a tool asks for is put to the person whatever they have answered before', () => {
  const state = deskOf([{ question: 'What for q1?', answer: 'Red' }]);
  expect(told(state.ask('q1', 'agent', 'What for q1?', true))).toEqual(['q1 prompt']);
});

test('an answer that came before any question is not for a tool, and the answer to a tool is for nobody else', () => {
  const state = deskOf();
  state.answer({ answer: 'Dark mode' });
  expect(told(state.ask('q1', 'agent', 'What?', true))).toEqual(['q1 prompt']);
  expect(told(state.answer({ answer: 'Red' }))).toEqual(['q1 complete']);
  expect(state.record.history).toEqual([]);
  expect(state.ask('q2', 'other')).toMatchObject([{ kind: 'end', end: { answer: 'Dark mode' } }]);
});

test('a late answer to a tool is ignored, and a person who is silent is not asked by a tool either', () => {
  const state = deskOf();
  state.ask('q1', 'agent', 'What?', true);
  state.expire('q1');
  expect(state.ask('q2', 'agent', 'What?', true)).toMatchObject([{ end: { status: 'timeout', silent: true } }]);
  expect(state.answer({ questionId: 'q1', answer: 'Red' })).toEqual([
    { kind: 'ignored', why: 'no question q1 waits for an answer' },
  ]);
  expect(state.record.history).toEqual([]);
});

test('a tool waits its turn behind what agents ask', () => {
  const state = deskOf();
  state.ask('q1', 'other');
  expect(told(state.ask('q2', 'agent', 'What?', true))).toEqual([]);
  expect(told(state.answer({ answer: 'Blue' }))).toEqual(['q1 complete', 'q2 prompt']);
});
