/** What a custom orchestrator is given of the conversation before its turn, in characters. */
export const historyRoom = 1_000_000;

/** The newest of these messages whose texts together have at most so many characters, in their order. */
export function newest<M extends { content: string }>(messages: M[], characters: number): M[] {
  let left = characters;
  const first = messages.findLastIndex(({ content }) => (left -= content.length) < 0);
  return messages.slice(first + 1);
}
