import { expect, test, vi } from 'vitest';
import type { RestartRequest } from '../../../src/protocol/state.ts';
import type { Interrupt, Verdict } from '../../../src/workflows/runtime/iterate.ts';
import type { RunContext } from '../../../src/workflows/runtime/run-context.ts';

// Outside of a workflow there are no scopes. Here nothing is under way that could be cancelled.
const nothing = (): void => {};
vi.mock('@temporalio/workflow', () => {
  class CancellationScope {
    consideredCancelled = false;
    cancel = nothing;
    run = <T>(work: () => Promise<T>): Promise<T> => work();
    static current = (): CancellationScope => new CancellationScope();
    static nonCancellable = <T>(work: () => Promise<T>): Promise<T> => work();
  }
  const proxy = (): object => new Proxy({}, { get: () => nothing });
  return {
    CancellationScope,
    isCancellation: () => false,
    proxyActivities: proxy,
    proxySinks: proxy,
    upsertSearchAttributes: nothing,
  };
});

const { iterate } = await import('../../../src/workflows/runtime/iterate.ts');

type Outcome = 'submitted' | 'restart_limit' | 'budget' | 'cancelled';
type Step = Verdict<Outcome, string>;

/** Runs a loop of two iterations. @param judge is given what a person may do at the moment when it decides */
async function looped(
  judge: (number: number, person: { asks: (reason: string) => void; interrupts: Interrupt<Outcome, string> }) => Step,
) {
  let takeRequest: (request: RestartRequest) => void = nothing;
  let interrupts: Interrupt<Outcome, string> = nothing;
  const worked: number[] = [];
  const refused: string[] = [];
  const run = {
    events: { begin: nothing, emit: nothing },
    handlers: {
      attemptToShow: () => [],
      messages: { ignore: (_: string, text: string) => refused.push(text), tells: () => true },
      takeRequests: (take: typeof takeRequest) => (takeRequest = take),
      tellEnd: async () => {},
    },
    usage: { left: { abandoned: [], over: [] } },
  } as unknown as RunContext;
  const { last, outcome, restarts } = await iterate<number, Outcome, string>(
    run,
    {
      limit: 2,
      limitOutcome: 'restart_limit',
      begin: ({ number }) => number,
      work: async (number) => void worked.push(number),
      judge: async (number) =>
        judge(number, { asks: (reason) => takeRequest({ reason, instructions: '' }), interrupts }),
      refused: (restart) => refused.push(restart),
      isBetter: () => true,
      requested: ({ reason }) => reason,
      deliver: async () => ({ agent: '', answer: '' }),
    },
    (interrupt) => (interrupts = interrupt),
  );
  return { last, outcome, refused, restarts, worked };
}

const accepted: Step = { kind: 'accept', outcome: 'submitted' };
const again: Step = { kind: 'again', restart: 'of the judge' };

test('a request at the moment when the judge starts over takes its place, and the next iteration is carried out', async () => {
  const ended = await looped((number, { asks }) => {
    if (number === 2) return accepted;
    asks('of a person');
    return again;
  });
  expect(ended).toEqual({ last: 2, outcome: 'submitted', refused: [], restarts: ['of a person'], worked: [1, 2] });
});

test.each<[what: string, verdict: Step]>([
  ['accepts', accepted],
  ['ends the run', { kind: 'end', outcome: 'budget' }],
])('a request at the moment when the judge %s has its effect', async (_, verdict) => {
  const ended = await looped((number, { asks }) => {
    if (number === 2) return accepted;
    asks('of a person');
    return verdict;
  });
  expect(ended).toMatchObject({ outcome: 'submitted', restarts: ['of a person'], worked: [1, 2] });
});

test('what a person accepts at the moment when the judge starts over is the iteration that there is', async () => {
  const ended = await looped((_, { interrupts }) => {
    interrupts(accepted);
    return again;
  });
  expect(ended).toEqual({ last: 1, outcome: 'submitted', refused: [], restarts: [], worked: [1] });
});
