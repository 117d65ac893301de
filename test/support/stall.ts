import { PerformanceObserver } from 'node:perf_hooks';

/**
 * The longest time for which some work holds up the process, in milliseconds: the most that its thread computes between two
 * ticks of a timer. What the machine's other processes take does not count, nor does collecting garbage: how long that takes
 * hangs on all that tests before have left in the process.
 */
export async function stallOf(work: () => Promise<unknown>): Promise<number> {
  const used = (): number => (process.threadCpuUsage().user + process.threadCpuUsage().system) / 1000;
  const stretches: Array<{ from: number; to: number; computed: number }> = [];
  const collections: Array<{ startTime: number; duration: number }> = [];
  const observer = new PerformanceObserver((list) => void collections.push(...list.getEntries()));
  observer.observe({ entryTypes: ['gc'] });
  // What was done before is not to be counted.
  await new Promise((resolve) => setTimeout(resolve, 50));
  let [before, from] = [used(), performance.now()];
  const tick = (): void => {
    const [now, to] = [used(), performance.now()];
    stretches.push({ from, to, computed: now - before });
    [before, from] = [now, to];
  };
  const timer = setInterval(tick, 5);
  try {
    await work();
    await new Promise((resolve) => setTimeout(resolve, 50));
  } finally {
    clearInterval(timer);
    observer.disconnect();
  }
  const collecting = (start: number, end: number): number =>
    collections
      .filter(({ startTime }) => startTime >= start && startTime < end)
      .reduce((sum, { duration }) => sum + duration, 0);
  return Math.max(0, ...stretches.map(({ computed, from: start, to }) => computed - collecting(start, to)));
}
