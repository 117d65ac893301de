/** How many runs are asked, or looked up, at the same time. */
const maxConcurrent = 32;

/** Does the same with all items, some at a time. @returns the results in the order of the items */
export async function inParallel<T, R>(items: T[], work: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  const places = items.entries();
  const workNext = async (): Promise<void> => {
    for (const [place, item] of places) results[place] = await work(item);
  };
  await Promise.all(Array.from({ length: maxConcurrent }, workNext));
  return results;
}
