import type { Message, UserMessage } from '../protocol/message.ts';
import { hashOf } from '../util/ids.ts';
import { cutInMiddle } from '../util/text/cut.ts';
import { cutResult, goneIn, summaryMark } from './compact.ts';

export interface SummaryRequest {
  messages: Message[];
  words: number;
  /** In tokens, by `tokensOf`, for the messages. */
  budget: number;
}

export interface Summaries {
  find(keys: string[]): Promise<{ key: string; text: string } | undefined>;
  /** @returns undefined where the model gives none */
  make(key: string, request: SummaryRequest): Promise<string | undefined>;
}

const share = { ofBudget: 1 / 6, least: 150, most: 1500 };

const perToken = { words: 0.6, characters: 4 };

/**
 * A summary stands for the messages that have to be left out, if there is one; the result may still be too long. It is
 * kept by what it is of, so that the next calls, and other agents with the same conversation, find it. Where more has
 * to be left out, another one is made of it and of what has come since.
 * @param budget in tokens, by `tokensOf`
 */
export async function summarised(messages: Message[], budget: number, summaries: Summaries): Promise<Message[]> {
  if (goneIn(messages, budget) === undefined) return messages;
  const opening = messages.findIndex(({ role }) => role === 'user') + 1;
  const keyBefore = keysOf(messages);
  const ends = messages.flatMap(({ role }, index) => (index > opening && role !== 'tool' ? [index] : [])).toReversed();
  const found = await summaries.find(ends.map(keyBefore));
  const known = ends.find((end) => keyBefore(end) === found?.key);
  const begun = known === undefined ? messages : replaced(messages, opening, known, found?.text ?? '');
  const tokens = Math.min(share.most, Math.max(share.least, budget * share.ofBudget));
  const gone = goneIn(begun, known === undefined ? budget - tokens : budget) ?? 0;
  if (gone <= opening) return begun;
  const end = gone + messages.length - begun.length;
  const text = await summaries.make(keyBefore(end), {
    messages: begun.slice(opening, gone).map(cutResult),
    words: Math.floor(tokens * perToken.words),
    budget,
  });
  if (text === undefined) return begun;
  const most = tokens * perToken.characters;
  return replaced(messages, opening, end, text.length <= most ? text : cutInMiddle(text, most * 0.8, most * 0.2));
}

/** The hash of all messages before a place, without the instructions that they begin with. */
function keysOf(messages: Message[]): (place: number) => string {
  const first = messages.findIndex(({ role }) => role !== 'system');
  const keys = [''];
  for (const message of messages.slice(first)) keys.push(hashOf(`${keys.at(-1)}\n${JSON.stringify(message)}`));
  return (place) => keys[place - first] ?? '';
}

function replaced(messages: Message[], from: number, end: number, summary: string): Message[] {
  const content = `${summaryMark}${end - from} earlier messages, which are more than your context holds:]\n${summary}`;
  const message: UserMessage = { role: 'user', content };
  return [...messages.slice(0, from), message, ...messages.slice(end)];
}
