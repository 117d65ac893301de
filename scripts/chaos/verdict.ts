import { countReadings, swappedIn, type Reading, type Told } from './look-ups.ts';

/** A request as the provider has it in its books. */
export interface PaidRequest {
  /** The request's number, which stands in the reply. */
  reply: number;
  /** The call's identity, the same however often it is made. */
  call: string;
  run: string;
  /** When it came, in milliseconds since the epoch. */
  at: number;
  /** Whether the reply was sent whole. */
  answered: boolean;
  /** How the provider has failed it. */
  fault?: string | undefined;
  /** How the model has answered otherwise than it was asked to. */
  oddity?: string | undefined;
  /** The marks of a person's answers that stand in it. */
  told: string[];
}

/** Something that a tool has done at its service. */
export interface Effect {
  run: string;
  /** What it was done for, as the model has named it: two effects for one operation are one too many. */
  operation: string;
  /** The idempotency key of the tool's call. */
  key: string;
}

/** What the provider and the service know. */
export interface Books {
  requests: PaidRequest[];
  effects: Effect[];
  /** What quick tools have brought to their agents, and what agents have told each other of it. */
  readings: Reading[];
  said: Told[];
  /** Requests that broke the provider's rules, in its words. */
  refused: string[];
}

/** A reply that was seen in the store. */
export interface Commit {
  reply: number;
  /** When it was seen, in milliseconds since the epoch; it may have been there for a moment. */
  seen: number;
}

/** What became of a run. */
export interface RunEnd {
  id: string;
  kind: string;
  /** The result's outcome; undefined where the run has not ended, or not with a result. */
  outcome?: string | undefined;
  /** What has gone wrong. */
  problem?: string;
  /** All of the result, as JSON. */
  result?: string;
  /** Whether it was cancelled on purpose. */
  cancelled: boolean;
  /** The marks of the answers that a person has given it, and that Temporal has taken. */
  answers: string[];
  /** The answers to the turns of a session. */
  said: Told[];
  /** How many turns were sent to a session, how many of them came back, and how many its result counts. */
  turns?: { sent: number; answered: number; counted?: number };
}

export interface Account {
  books: Books;
  commits: Commit[];
  runs: RunEnd[];
}

export interface Verdict {
  runs: number;
  /** How many runs ended with each outcome. */
  outcomes: Record<string, number>;
  /** How many requests the provider has failed, by the kind of fault, and how many replies were odd. */
  faults: Record<string, number>;
  oddities: Record<string, number>;
  /** How many model calls were finished: their reply is in the store. */
  finished: number;
  /** How many whole replies were lost with a worker before they could be stored, which no one can prevent. */
  unkept: number;
  effects: number;
  /** How many results of quick tools agents have read, and with which words calls of these have failed. */
  toolResults: { read: number; failed: string[] };
  answers: number;
  /** What broke a promise, in words that name runs and calls. */
  lost: string[];
  repeated: string[];
  doubled: string[];
  unanswered: string[];
  swapped: string[];
  refused: string[];
}

/** Judges what has happened. */
export function verdictOf({ books, commits, runs }: Account): Verdict {
  const committed = new Map(commits.map(({ reply, seen }) => [reply, seen]));
  const whole = books.requests.filter(({ answered }) => answered);
  return {
    runs: runs.length,
    outcomes: countsOf(runs.map(({ outcome }) => outcome ?? 'none')),
    faults: countsOf(books.requests.flatMap(({ fault }) => fault ?? [])),
    oddities: countsOf(books.requests.flatMap(({ oddity }) => oddity ?? [])),
    finished: commits.length,
    unkept: whole.filter(({ reply }) => !committed.has(reply)).length,
    effects: books.effects.length,
    toolResults: countReadings(books.readings),
    answers: runs.reduce((sum, { answers }) => sum + answers.length, 0),
    lost: runs.flatMap(lostIn),
    repeated: repeatedIn(books.requests, committed),
    doubled: doubledIn(books.effects),
    unanswered: unansweredIn(runs, books.requests),
    swapped: swappedIn(books.readings, [...books.said, ...runs.flatMap(toldBy)]),
    refused: books.refused,
  };
}

/** Whether every promise was kept. */
export const isKept = ({ finished, runs, ...verdict }: Verdict): boolean =>
  (['doubled', 'lost', 'refused', 'repeated', 'swapped', 'unanswered'] as const).every(
    (promise) => verdict[promise].length === 0,
  ) &&
  runs > 0 &&
  finished > 0;

/** What a run has told whoever waits for it. */
const toldBy = ({ id, result = '', said }: RunEnd): Told[] => [{ about: id, text: result }, ...said];

function lostIn({ cancelled, id, outcome, problem, turns }: RunEnd): string[] {
  if (outcome === undefined || problem !== undefined) return [`${id}: ${problem ?? 'has not ended'}`];
  if (outcome === 'cancelled' && !cancelled) return [`${id}: cancelled by nobody`];
  if (turns?.counted === undefined || cancelled || turns.counted === turns.sent) return [];
  return [`${id}: ${turns.sent} turns sent, ${turns.counted} taken`];
}

/** Calls of which two replies were kept, or that were made again after their reply was in the store. */
function repeatedIn(requests: PaidRequest[], committed: Map<number, number>): string[] {
  const byCall = Map.groupBy(requests, ({ call }) => call);
  return [...byCall].flatMap(([call, made]) => {
    const kept = made.filter(({ reply }) => committed.has(reply));
    if (kept.length > 1) return [`${call}: kept ${kept.length} times (${numbersOf(kept)})`];
    const since = committed.get(kept[0]?.reply ?? -1) ?? Infinity;
    const again = made.filter(({ at, reply }) => at > since && reply !== kept[0]?.reply);
    return again.length === 0
      ? []
      : [`${call}: made again (${numbersOf(again)}) after reply ${kept[0]?.reply} was kept`];
  });
}

const numbersOf = (requests: PaidRequest[]): string => requests.map(({ reply }) => reply).join(', ');

function doubledIn(effects: Effect[]): string[] {
  return [...Map.groupBy(effects, ({ operation }) => operation)]
    .filter(([, had]) => had.length > 1)
    .map(([operation, had]) => `${operation}: ${had.length} effects, by ${had.map(({ key }) => key).join(' and ')}`);
}

/** Answers that were taken and of which neither the model nor the result has heard, and turns that brought no answer. */
function unansweredIn(runs: RunEnd[], requests: PaidRequest[]): string[] {
  const told = Map.groupBy(
    requests.flatMap((request) => request.told.map((mark) => ({ run: request.run, mark }))),
    ({ run }) => run,
  );
  return runs
    .filter(({ cancelled }) => !cancelled)
    .flatMap(({ answers, id, result = '', turns }) => {
      const heard = new Set(told.get(id)?.map(({ mark }) => mark));
      const unheard = answers.filter((mark) => !heard.has(mark) && !result.includes(mark));
      const silent = turns === undefined ? 0 : turns.sent - turns.answered;
      return [
        ...unheard.map((mark) => `${id}: ${mark} reached nobody`),
        ...(silent === 0 ? [] : [`${id}: ${silent} of ${turns?.sent} turns brought no answer`]),
      ];
    });
}

const countsOf = (names: string[]): Record<string, number> =>
  Object.fromEntries([...Map.groupBy(names, (name) => name)].map(([name, all]) => [name, all.length]));
