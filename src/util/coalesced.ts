/**
 * Asks once for all who come before the question is put, and puts one at a time: nobody gets an answer that is older than their
 * own question, however many ask at once.
 */
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
