import { Dice } from '../../test/support/dice.ts';

/** The kinds of runs. `team` and `peers` are orchestrations, `chat` and `react` sessions. */
export const runKinds = ['team', 'chat', 'solve', 'study', 'peers', 'react'] as const;

export type RunKind = (typeof runKinds)[number];

/** How a person answers a question: at once, after the question has run out, twice, or before it is asked. */
export const manners = ['at once', 'late', 'twice', 'before'] as const;

export type Manner = (typeof manners)[number];

/** What a turn of a session, or a member of a team, has to do. */
export const tasks = ['say', 'book', 'book_by_key', 'ask'] as const;

export type Task = (typeof tasks)[number];

export interface PlannedRun {
  /** The workflow's id, which begins with its kind and stands in every prompt of the run. */
  id: string;
  kind: RunKind;
  /** One for each turn of a session; the first is that of a team's first member or of a first subtask. */
  tasks: Task[];
  /** How many calls of the quick tool each agent makes in one reply, and how many in the next one, before anything else. */
  looks: number[];
  /** Whether its work is judged not good enough at first. */
  restarts: boolean;
  manner: Manner;
  /** After how many seconds it is cancelled; undefined where it is not. */
  cancelAfter: number | undefined;
}

/** What may happen to the machine. Those of `databaseDisturbances` need a database server. */
export const disturbances = [
  'kill worker',
  'kill all workers',
  'kill server',
  'kill server and workers',
  'freeze worker',
  'disk full',
  'lock store',
  'jump clock',
] as const;
export const databaseDisturbances = ['kill database'] as const;
export const clusterDisturbances = ['cut network'] as const;

export type DisturbanceKind =
  | (typeof disturbances)[number]
  | (typeof databaseDisturbances)[number]
  | (typeof clusterDisturbances)[number];

export interface Disturbance {
  kind: DisturbanceKind;
  /** Seconds after the one before has ended. */
  after: number;
  /** How long it lasts, in seconds. */
  lasts: number;
  /** A number that tells which worker it meets, modulo how many there are. */
  target: number;
}

/** How long each lasts, in seconds. A worker is frozen for longer than its heartbeat timeout of 15 s. */
const durations: Record<DisturbanceKind, [from: number, to: number]> = {
  'kill worker': [0, 2],
  'kill all workers': [0, 2],
  'kill server': [0, 3],
  'kill server and workers': [0, 3],
  'freeze worker': [17, 22],
  'disk full': [8, 15],
  'lock store': [10, 30],
  'jump clock': [5, 20],
  'kill database': [0, 5],
  'cut network': [5, 25],
};

/** The run of a number. The same seed makes the same runs. */
export function plannedRun(seed: number, number: number): PlannedRun {
  const dice = new Dice(seed * 1_000_003 + number);
  const kind = runKinds[number % runKinds.length] as RunKind;
  return {
    id: `${kind}-${number}`,
    kind,
    tasks: dice.many(2, 4, () => dice.one(tasks)),
    restarts: dice.chance(0.4),
    manner: dice.one(manners),
    cancelAfter: dice.chance(0.05) ? dice.whole(1, 8) : undefined,
    looks: dice.many(1, 2, () => dice.whole(2, 4)),
  };
}

/** The planned run of an id that `plannedRun` gave. */
export const runOfId = (seed: number, id: string): PlannedRun => plannedRun(seed, Number(id.split('-')[1]));

/**
 * What happens to the machine, without end. Every kind comes once before any of them comes again. The same seed makes the
 * same disturbances.
 */
export function* plannedDisturbances(seed: number, kinds: readonly DisturbanceKind[]): Generator<Disturbance, never> {
  const dice = new Dice(seed);
  for (;;) {
    const left = [...kinds];
    while (left.length > 0) {
      const [kind = 'kill worker'] = left.splice(dice.whole(0, left.length - 1), 1);
      yield { kind, after: dice.whole(2, 7), lasts: dice.whole(...durations[kind]), target: dice.whole(0, 1000) };
    }
  }
}

/** How a provider fails a request. */
export const faults = [
  '429 with Retry-After',
  'status 500',
  'status 503',
  'dropped at once',
  'dropped half way',
  'stalled from the start',
  'stalled half way',
  'bad JSON',
  'a page instead of a reply',
] as const;

export type Fault = (typeof faults)[number] | 'an endless line';

/**
 * How the provider fails one call before it answers it. Few enough faults that the call is never given up for them.
 *
 * @param call the call's identity
 */
export function plannedFaults(seed: number, call: string): Fault[] {
  const dice = new Dice(seed ^ hashOf(call));
  const count = dice.weighted([
    [72, 0],
    [20, 1],
    [8, 2],
  ] as const);
  return dice.many(count, count, () => dice.one(faults));
}

/** How a model answers otherwise than it was asked to. */
export const oddities = ['prose', 'broken arguments', 'unknown tool', 'cut off'] as const;

export type Oddity = (typeof oddities)[number];

/** How the model answers one call otherwise than it was asked to; undefined where it does as it was asked. */
export function plannedOddity(seed: number, call: string): Oddity | undefined {
  const dice = new Dice((seed + 1) ^ hashOf(call));
  return dice.chance(0.1) ? dice.one(oddities) : undefined;
}

/** How long a reply takes until its first byte, and between its pieces, in milliseconds. */
export function plannedPace(seed: number, call: string): { delay: number; pace: number } {
  const dice = new Dice((seed + 2) ^ hashOf(call));
  return { delay: dice.whole(50, dice.one([300, 1500])), pace: dice.whole(0, 60) };
}

/** A hash of a text as a seed (FNV-1a). */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (const character of text) hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), 0x01000193);
  return hash >>> 0;
}
