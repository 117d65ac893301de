/** One kind of run, as the simulation makes it. */
export interface Shape {
  /** What share of all runs is of this kind, from 0 to 1. */
  share: number;
  /** How many model calls are made side by side, phase by phase. */
  phases: number[];
}

/** What the runs meet. All times are in milliseconds, and all rates per second. */
export interface Plant {
  shapes: Shape[];
  /** How many runs are started a second. */
  runsPerSecond: number;
  /** The median of a model call's time, and the sigma of its logarithm: some calls take much longer than most. */
  callMs: number;
  callSigma: number;
  workers: number;
  /** How many calls a worker has under way at most. */
  slots: number;
  /** The processor time of a worker for each call, of which a worker does one at a time. */
  workerMs: number;
  /** How many model calls Temporal takes through schedule, start and completion a second. */
  temporalCalls: number;
  /** How many replies the store commits a second. */
  storeCommits: number;
  /** How many calls the providers admit a second. */
  providerCalls: number;
}

/** The resources that calls wait for, in the order in which a call meets them. */
export const resources = ['temporal', 'slots', 'provider', 'worker', 'store'] as const;
export type Resource = (typeof resources)[number];

export interface Outcome {
  started: number;
  ended: number;
  calls: number;
  /** How long runs took over how long their calls alone would have: median, and the 95th of a hundred. */
  slowdown: { median: number; p95: number };
  /** How much of each resource was in use on average, from 0 to 1. */
  use: Record<Resource, number>;
  /** How long a call waited for each resource on average, in milliseconds. */
  waited: Record<Resource, number>;
}

/** Some places that are taken in the order of asking, and given back. */
class Places {
  usedMs = 0;
  waitedMs = 0;
  readonly count: number;
  #taken = 0;
  readonly #waiting: Array<{ since: number; go: (now: number) => void }> = [];
  #next = 0;

  constructor(count: number) {
    this.count = count;
  }

  take(now: number, go: (now: number) => void): void {
    if (this.#taken < this.count) {
      this.#taken += 1;
      go(now);
    } else this.#waiting.push({ since: now, go });
  }

  /** @param since when the place was taken */
  giveBack(now: number, since: number): void {
    this.usedMs += now - since;
    const first = this.#waiting[this.#next];
    if (first === undefined) {
      this.#taken -= 1;
      return;
    }
    this.#next += 1;
    this.waitedMs += now - first.since;
    first.go(now);
  }
}

/** A small generator of random numbers from a seed (mulberry32), so that a simulation can be repeated. */
function dice(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Something that happens at a time. */
interface Event {
  at: number;
  go: (now: number) => void;
}

/** The events that are to come, the next one first (a binary heap). */
class Agenda {
  readonly #heap: Event[] = [];

  add(event: Event): void {
    const heap = this.#heap;
    let index = heap.push(event) - 1;
    while (index > 0) {
      const parent = (index - 1) >> 1;
      if ((heap[parent]?.at ?? 0) <= event.at) break;
      heap[index] = heap[parent] as Event;
      index = parent;
    }
    heap[index] = event;
  }

  next(): Event | undefined {
    const heap = this.#heap;
    const first = heap[0];
    const last = heap.pop();
    if (first === undefined || last === undefined || heap.length === 0) return first;
    let index = 0;
    for (;;) {
      let child = 2 * index + 1;
      if (child >= heap.length) break;
      if ((heap[child + 1]?.at ?? Infinity) < (heap[child]?.at ?? 0)) child += 1;
      if ((heap[child]?.at ?? 0) >= last.at) break;
      heap[index] = heap[child] as Event;
      index = child;
    }
    heap[index] = last;
    return first;
  }
}

/**
 * Simulates runs that come at random (a Poisson process) and share Temporal, workers, providers and a store. A call waits
 * for each of them in turn, first come, first served, and keeps its worker's slot until its reply is stored.
 *
 * @param seconds for how long runs are started; what is open then is followed to its end
 */
export function simulate(plant: Plant, seconds: number, seed: number): Outcome {
  const random = dice(seed);
  const normal = (): number => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
  const { workers } = plant;
  const places: Record<Resource, Places> = {
    temporal: new Places(1),
    slots: new Places(workers * plant.slots),
    provider: new Places(1),
    worker: new Places(workers),
    store: new Places(1),
  };
  const agenda = new Agenda();
  const slowdowns: number[] = [];
  let [started, calls, endedAt] = [0, 0, 0];

  /** Uses a resource for some time, as soon as it is free. */
  const use = (name: Resource, now: number, ms: number, then: (now: number) => void): void =>
    places[name].take(now, (begun) =>
      agenda.add({
        at: begun + ms,
        go(over) {
          places[name].giveBack(over, begun);
          then(over);
        },
      }),
    );

  function call(now: number, ms: number, done: (now: number) => void): void {
    calls += 1;
    use('temporal', now, 1000 / plant.temporalCalls, (scheduled) =>
      places.slots.take(scheduled, (placed) =>
        use('provider', placed, 1000 / plant.providerCalls, (admitted) =>
          use('worker', admitted, plant.workerMs, (sent) =>
            agenda.add({
              at: sent + ms,
              go: (replied) =>
                use('store', replied, 1000 / plant.storeCommits, (stored) => {
                  places.slots.giveBack(stored, placed);
                  done(stored);
                }),
            }),
          ),
        ),
      ),
    );
  }

  function begin(now: number, phases: number[]): void {
    let idealMs = 0;
    const phase = (index: number, at: number): void => {
      const width = phases[index];
      if (width === undefined) {
        slowdowns.push((at - now) / Math.max(1, idealMs));
        endedAt = at;
        return;
      }
      const times = Array.from({ length: width }, () => plant.callMs * Math.exp(plant.callSigma * normal()));
      idealMs += Math.max(0, ...times);
      let open = width;
      for (const ms of times) {
        call(at, ms, (over) => {
          open -= 1;
          if (open === 0) phase(index + 1, over);
        });
      }
    };
    phase(0, now);
  }

  const untilNext = (): number => (-Math.log(1 - random()) / plant.runsPerSecond) * 1000;
  for (let at = untilNext(); at < seconds * 1000; at += untilNext()) {
    let left = random();
    const shape = plant.shapes.find(({ share }) => (left -= share) < 0) ?? plant.shapes.at(-1);
    agenda.add({ at, go: (now) => begin(now, shape?.phases ?? []) });
    started += 1;
  }
  for (let event = agenda.next(); event !== undefined; event = agenda.next()) event.go(event.at);

  const span = Math.max(endedAt, seconds * 1000);
  slowdowns.sort((one, other) => one - other);
  const at = (share: number): number => slowdowns[Math.floor(share * (slowdowns.length - 1))] ?? NaN;
  const each = (of: (place: Places) => number) =>
    Object.fromEntries(resources.map((name) => [name, of(places[name])])) as Record<Resource, number>;
  return {
    started,
    ended: slowdowns.length,
    calls,
    slowdown: { median: at(0.5), p95: at(0.95) },
    use: each(({ count, usedMs }) => usedMs / (span * count)),
    waited: each(({ waitedMs }) => waitedMs / Math.max(1, calls)),
  };
}
