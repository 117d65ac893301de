import { tagged, taggedIn } from '../protocol/headings.ts';
import type { Message } from '../protocol/message.ts';
import { cutInMiddle } from '../util/text/cut.ts';
import { limitFor } from '../workflows/runtime/truncate.ts';

/** The least that is left of a section, in tokens: with less, nobody could tell what it says. */
const minTokens = 60;

/** What the line between beginning and end takes, in tokens. */
const lineBetween = 26;

/**
 * Cuts the longest of the answers and results that messages show, all to the same size, each to its beginning and its end with
 * how much was left out between them.
 *
 * @param excess how many tokens are to go
 * @returns the same messages if they show nothing that could be cut
 */
export function withCutSections(messages: Message[], excess: number, tokensIn: (text: string) => number): Message[] {
  const sizes = messages.flatMap((message) => sectionsOf(message).map(tokensIn));
  const budget = sizes.reduce((sum, size) => sum + size, 0) - excess;
  const limit = Math.max(minTokens, limitFor(sizes, budget));
  if (!sizes.some((size) => size > limit)) return messages;
  const cut = (text: string): string => {
    const size = tokensIn(text);
    if (size <= limit) return text;
    const kept = (text.length / size) * (limit - lineBetween);
    return cutInMiddle(text, (kept * 6) / 10, (kept * 4) / 10, ' to fit your context');
  };
  const cutIn = (content: string): string =>
    content.replaceAll(
      tagged,
      (_, before: string, _tag, _name, said: string, behind: string) => before + cut(said) + behind,
    );
  return messages.map((message) =>
    message.role === 'user' ? { ...message, content: cutIn(message.content) } : message,
  );
}

const sectionsOf = ({ content, role }: Message): string[] =>
  role === 'user' ? taggedIn(content).map((each) => each.content) : [];
