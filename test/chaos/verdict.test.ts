import { describe, expect, test } from 'vitest';
import { verdictLines } from '../../scripts/chaos/verdict-lines.ts';
import { isKept, verdictOf, type Account, type PaidRequest, type RunEnd } from '../../scripts/chaos/verdict.ts';

const request = (reply: number, rest: Partial<PaidRequest> = {}): PaidRequest => ({
  reply,
  call: `call ${reply}`,
  run: 'team-0',
  at: reply * 1000,
  answered: true,
  told: [],
  ...rest,
});

const run = (rest: Partial<RunEnd> = {}): RunEnd => ({
  id: 'team-0',
  kind: 'team',
  outcome: 'submitted',
  result: '{}',
  cancelled: false,
  answers: [],
  said: [],
  ...rest,
});

/** An account in which everything went well, but for what is given. */
function account({
  books,
  commits,
  runs,
}: { books?: Partial<Account['books']> } & Partial<Omit<Account, 'books'>> = {}) {
  return {
    books: { requests: [request(1), request(2)], effects: [], readings: [], said: [], refused: [], ...books },
    commits: commits ?? [
      { reply: 1, seen: 1500 },
      { reply: 2, seen: 2500 },
    ],
    runs: runs ?? [run()],
  } satisfies Account;
}

const reading = (subject: string, result: string) => ({ run: 'team-0', call: 'call_1', subject, result });

const effect = (operation: string, key: string) => ({ run: 'team-0', operation, key });

describe('a verdict', () => {
  test('finds nothing where every promise was kept', () => {
    const verdict = verdictOf(account());
    expect(verdict).toMatchObject({ runs: 1, finished: 2, outcomes: { submitted: 1 }, unkept: 0 });
    expect(isKept(verdict)).toBe(true);
    expect(verdictLines(verdict, {})).toEqual(
      expect.arrayContaining(['lost 0', 'repeated 0', 'double effects 0', 'unanswered 0', 'swapped 0']),
    );
  });

  test.for<
    [
      rule: string,
      account: Account,
      promise: 'lost' | 'repeated' | 'doubled' | 'unanswered' | 'swapped',
      evidence: string,
    ]
  >([
    [
      'a call that was made again after its reply was in the store is repeated, even if the provider failed it then',
      account({ books: { requests: [request(1), request(2), request(3, { call: 'call 1', fault: 'status 500' })] } }),
      'repeated',
      'call 1: made again (3) after reply 1 was kept',
    ],
    [
      'a call of which two replies are in the store is repeated, whenever they came',
      account({ books: { requests: [request(1), request(2, { call: 'call 1' })] } }),
      'repeated',
      'call 1: kept 2 times (1, 2)',
    ],
    ['a run that has not ended is lost', account({ runs: [run({ outcome: undefined })] }), 'lost', 'has not ended'],
    [
      'a run that has failed is lost, with its reason',
      account({ runs: [run({ outcome: undefined, problem: 'no agent is left' })] }),
      'lost',
      'team-0: no agent is left',
    ],
    [
      'a run of which a turn has failed is lost, although it has ended',
      account({ runs: [run({ problem: 'turn 2 failed: no' })] }),
      'lost',
      'team-0: turn 2 failed: no',
    ],
    [
      'a run that says that it was cancelled, and that nobody has cancelled, is lost',
      account({ runs: [run({ outcome: 'cancelled' })] }),
      'lost',
      'cancelled by nobody',
    ],
    [
      'a turn that was taken twice is found by the number of turns',
      account({ runs: [run({ turns: { sent: 2, answered: 2, counted: 3 } })] }),
      'lost',
      '2 turns sent, 3 taken',
    ],
    [
      'an operation with two effects is doubled, whether they have one key or two',
      account({ books: { effects: [effect('room 1', 'a'), effect('room 1', 'b'), effect('room 2', 'c')] } }),
      'doubled',
      'room 1: 2 effects, by a and b',
    ],
    [
      'an answer of which neither a request nor the result has heard is unanswered',
      account({ runs: [run({ answers: ['[person team-0 1]'] })] }),
      'unanswered',
      '[person team-0 1] reached nobody',
    ],
    [
      'an answer that another run has heard is unanswered',
      account({
        books: { requests: [request(1, { run: 'team-6', told: ['[person team-0 1]'] })] },
        runs: [run({ answers: ['[person team-0 1]'] })],
      }),
      'unanswered',
      'reached nobody',
    ],
    [
      'a turn that brought no answer is unanswered',
      account({ runs: [run({ turns: { sent: 3, answered: 2, counted: 3 } })] }),
      'unanswered',
      '1 of 3 turns brought no answer',
    ],
    [
      'a result that came to the call of another agent is swapped',
      account({ books: { readings: [reading('team-0 agent_a 1, 1', '[read team-0 agent_b 1, 1]')] } }),
      'swapped',
      'call_1 was about team-0 agent_a 1, 1 and got [read team-0 agent_b 1, 1]',
    ],
    [
      'a result that came to another call of the same agent is swapped',
      account({ books: { readings: [reading('team-0 agent_a 1, 1', '[read team-0 agent_a 1, 2]')] } }),
      'swapped',
      'and got [read team-0 agent_a 1, 2]',
    ],
    [
      'an agent that says what another one has read has swapped results',
      account({ books: { said: [{ about: 'team-0', text: 'Read by team-0 agent_a 1: [read team-0 agent_b 1, 1]' }] } }),
      'swapped',
      'says "Read by team-0 agent_a 1: [read team-0 agent_b 1, 1]"',
    ],
    [
      'a result of a run that tells of another run is swapped',
      account({ runs: [run({ result: '{"answer":"Read by team-01 agent_a 1: [read team-01 agent_a 1, 1]"}' })] }),
      'swapped',
      'team-0: says',
    ],
    [
      'an answer to a turn that tells of another turn is swapped',
      account({
        runs: [run({ said: [{ about: 'chat-0 turn 2', text: 'Read by chat-0 turn 1: [read chat-0 turn 1, 1]' }] })],
      }),
      'swapped',
      'chat-0 turn 2: says',
    ],
  ])('%s', ([, given, promise, evidence]) => {
    const verdict = verdictOf(given);
    expect(verdict[promise]).toHaveLength(1);
    expect(verdict[promise][0]).toContain(evidence);
    expect(isKept(verdict)).toBe(false);
    expect(verdictLines(verdict, {}).join('\n')).toContain(
      `${promise === 'doubled' ? 'double effects' : promise} 1\n  `,
    );
  });

  test.for<[rule: string, account: Account]>([
    [
      'a reply that died with its worker before it was in the store may be asked for again',
      account({
        books: { requests: [request(1, { call: 'call 2' }), request(2)] },
        commits: [{ reply: 2, seen: 2500 }],
      }),
    ],
    [
      'a call that was made again before its first reply was in the store is not repeated: its worker seemed to be dead',
      account({
        books: { requests: [request(1), request(2, { call: 'call 1' })] },
        commits: [{ reply: 1, seen: 9000 }],
      }),
    ],
    [
      'an answer may be heard by a later request, or stand in the result',
      account({
        books: { requests: [request(1, { told: ['[person team-0 1]'] }), request(2)] },
        runs: [run({ answers: ['[person team-0 1]', '[person team-0 2]'], result: '{"a":"[person team-0 2]"}' })],
      }),
    ],
    [
      'a run that was cancelled on purpose owes no answers and no turns',
      account({
        runs: [
          run({
            outcome: 'cancelled',
            cancelled: true,
            answers: ['[person team-0 1]'],
            turns: { sent: 2, answered: 1, counted: 1 },
          }),
        ],
      }),
    ],
    [
      'a call of a quick tool may fail, and agents say what their own ones have brought',
      account({
        books: {
          readings: [
            reading('team-0 agent_a 1, 1', 'Exception: away'),
            reading('team-0 agent_a 1, 1', '[read team-0 agent_a 1, 1]'),
          ],
        },
        runs: [run({ result: '{"answer":"Read by team-0 agent_a 1: [read team-0 agent_a 1, 1]"}' })],
      }),
    ],
    [
      'two operations may have an effect each',
      account({ books: { effects: [effect('room 1', 'a'), effect('room 2', 'b')] } }),
    ],
  ])('%s', ([, given]) => {
    expect(isKept(verdictOf(given))).toBe(true);
  });

  test('nothing is proved where no call was finished, no run was started, or the provider refused a request', () => {
    expect(isKept(verdictOf(account({ commits: [] })))).toBe(false);
    expect(isKept(verdictOf(account({ runs: [] })))).toBe(false);
    expect(isKept(verdictOf(account({ books: { refused: ['no such parameter'] } })))).toBe(false);
  });
});
