const kept = '__reprise_per_run__';

/**
 * A value of its own for each run, in place of a variable of a module: a worker loads Reprise's modules once for all its runs, as
 * `preloadModules` of the bundle says, so that they take the memory and the time of one. What hangs on `globalThis` is the run's
 * own, since the SDK exchanges it with the run. A module of the workflows that has a variable fails scripts/check-replayed.ts.
 */
export function perRun<T extends object>(make: () => T): () => T {
  return () => {
    const values = ((globalThis as Record<string, unknown>)[kept] ??= new Map()) as Map<object, T>;
    let value = values.get(make);
    if (value === undefined) values.set(make, (value = make()));
    return value;
  };
}
