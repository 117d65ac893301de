/**
 * The longest time for which some work holds up the process, in milliseconds: the most that its thread computes between two
 * ticks of a timer. What the machine's other processes take does not count.
 */
export async function stallOf(work: () => Promise<unknown>): Promise<number> {
  const used = (): number => process.threadCpuUsage().user + process.threadCpuUsage().system;
  let [before, longest] = [used(), 0];
  const tick = (): void => {
    const now = used();
    longest = Math.max(longest, now - before);
    before = now;
  };
  const timer = setInterval(tick, 5);
  // What was done before is not to be counted.
  await new Promise((resolve) => setTimeout(resolve, 50));
  longest = 0;
  await work();
  await new Promise((resolve) => setTimeout(resolve, 50));
  clearInterval(timer);
  return longest / 1000;
}
