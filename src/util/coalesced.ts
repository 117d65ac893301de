/** Asks once for all who wait, one question at a time: nobody gets an answer that is older than their own question. */
export function coalesced<T>(ask: () => Promise<T>): () => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  let next: Promise<T> | undefined;
  const put = async (): Promise<T> => {
    await last.catch(() => {});
    next = undefined;
    const answer = ask();
    last = answer;
    return answer;
  };
  return () => (next ??= put());
}
