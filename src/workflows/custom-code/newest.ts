/** How much of the conversation before its turn a custom orchestrator is given, in characters. */
export const historyRoom = 1_000_000;

/** The longest end of a conversation whose texts have at most so many characters. */
export function newest<M extends { content: string }>(messages: M[], characters: number): M[] {
  let left = characters;
  const first = messages.findLastIndex(({ content }) => (left -= content.length) < 0);
  return messages.slice(first + 1);
}
