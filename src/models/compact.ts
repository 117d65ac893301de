import { callsIn, imagesIn, type Message, type ToolSpec, type UserMessage } from '../protocol/message.ts';
import { withoutImages } from './images.ts';
import { cutInMiddle } from '../util/text/cut.ts';
import { tagged, taggedIn } from '../protocol/headings.ts';
import { limitFor } from '../workflows/runtime/size.ts';

/**
 * In bytes of UTF-8. English has four or five, source text three, Chinese about three a character: rather too high an
 * estimate, since a conversation that is too long is refused.
 */
const bytesPerToken = 3;

/** In tokens, besides texts. */
const perMessage = 8;
const perImage = 1600;

export const tokensOf = (messages: Message[]): number => messages.reduce((sum, message) => sum + sizeOf(message), 0);

export const tokensOfTools = (tools: ToolSpec[]): number => tokensIn(JSON.stringify(tools));

const tokensIn = (text: string): number => Math.ceil(Buffer.byteLength(text) / bytesPerToken);

function sizeOf(message: Message): number {
  const said = callsIn(message).reduce(
    (sum, call) => sum + tokensIn(call.name + call.arguments),
    tokensIn(message.content),
  );
  // What only the provider understands usually holds the whole reply once more.
  const opaque = message.role === 'assistant' ? message.opaque?.data : undefined;
  const replayed = opaque === undefined ? 0 : tokensIn(JSON.stringify(opaque));
  return perMessage + Math.max(said, replayed) + imagesIn(message).length * perImage;
}

interface Group {
  messages: Message[];
  isNeeded: boolean;
}

/** Of the room that is left besides the last reply and what came after it. */
const newestShare = 1 / 4;

/** A conversation is shortened by a multiple of this share of the room. */
const step = 1 / 4;

/** In characters: of older tool results, and of the newest where that is not enough. */
const olderCut = 1000;
const newestCuts = [10_000, 4000, olderCut];

/**
 * Shortens a conversation to a model's context. The system's words, the user's first and last message, and the newest
 * messages stay whole. Of others the oldest go first: tool results are cut, then messages are left out with a note,
 * replies together with their results. If that is not enough, the newest results are cut as well, and at last what the
 * user's messages show of other agents. More goes than must, so that for some time longer conversations begin with the
 * same bytes, as prompt caches need.
 * @param budget in tokens, by `tokensOf`
 * @returns the same messages if they fit; the shortest if nothing fits
 */
export function compacted(messages: Message[], budget: number): Message[] {
  let shortest = shortened(messages, budget).messages;
  for (const length of newestCuts) {
    if (tokensOf(shortest) <= budget) return shortest;
    shortest = shortest.map((message) => cut(message, length));
  }
  const excess = tokensOf(shortest) - budget;
  return excess > 0 ? withCutSections(shortest, excess) : shortest;
}

/** The place behind the last message that has to be left out, if one has to be. */
export const goneIn = (messages: Message[], budget: number): number | undefined => shortened(messages, budget).gone;

function shortened(messages: Message[], budget: number): { messages: Message[]; gone?: number } {
  const size = tokensOf(messages);
  if (size <= budget) return { messages };
  const target = size - Math.ceil((size - budget) / (budget * step)) * budget * step;
  const groups = groupsOf(messages, budget);
  const cutOlder = (older: Message[]): Message[] => older.map(cutResult);
  const cutOnly = allOf(shrunk(groups, target, cutOlder));
  if (tokensOf(cutOnly) <= budget) return { messages: cutOnly };
  const left = shrunk(shrunk(groups, -Infinity, cutOlder), target - sizeOf(noteOn(messages)), () => []);
  const last = left.findLastIndex((group) => group.messages.length === 0);
  return {
    messages: withNote(groups, left),
    ...(last >= 0 && { gone: allOf(groups.slice(0, last + 1)).length }),
  };
}

/** How a message begins that stands for earlier ones. It stays whole. */
export const summaryMark = '[Summary of ';

const isSummary = ({ content, role }: Message): boolean => role === 'user' && content.startsWith(summaryMark);

function groupsOf(messages: Message[], budget: number): Group[] {
  const groups: Group[] = [];
  for (const message of messages) {
    const last = groups.at(-1);
    const isResult = message.role === 'tool' && last !== undefined && callsIn(last.messages[0] ?? message).length > 0;
    if (isResult) last.messages.push(message);
    else groups.push({ messages: [message], isNeeded: message.role === 'system' || isSummary(message) });
  }
  const isUser = ({ messages: [first] }: Group): boolean => first?.role === 'user';
  for (const group of [groups.find(isUser), groups.findLast(isUser)]) if (group !== undefined) group.isNeeded = true;
  const lastReply = groups.findLastIndex(({ messages: [first] }) => first?.role === 'assistant');
  for (const group of groups.slice(lastReply)) group.isNeeded = true;
  let left =
    (budget - tokensOf(groups.filter(({ isNeeded }) => isNeeded).flatMap((group) => group.messages))) * newestShare;
  for (const group of groups.toReversed().filter(({ isNeeded }) => !isNeeded)) {
    left -= tokensOf(group.messages);
    if (left < 0) break;
    group.isNeeded = true;
  }
  return groups;
}

/** The oldest first, until all together have at most so many tokens. */
function shrunk(groups: Group[], target: number, smaller: (messages: Message[]) => Message[]): Group[] {
  let size = tokensOf(allOf(groups));
  return groups.map((group) => {
    if (group.isNeeded || size <= target) return group;
    const messages = smaller(group.messages);
    size -= tokensOf(group.messages) - tokensOf(messages);
    return { ...group, messages };
  });
}

const allOf = (groups: Group[]): Message[] => groups.flatMap(({ messages }) => messages);

function withNote(groups: Group[], left: Group[]): Message[] {
  const gone = groups.filter((_, index) => left[index]?.messages.length === 0);
  return left.flatMap(({ messages }, index) => (groups[index] === gone[0] ? [noteOn(allOf(gone))] : messages));
}

function noteOn(gone: Message[]): UserMessage {
  const names = Map.groupBy(gone.flatMap(callsIn), ({ name }) => name);
  const calls = [...names].map(([name, of]) => `${name} (${of.length})`).join(', ');
  const among = calls === '' ? '' : `, with the calls of these tools and their results: ${calls}`;
  const content =
    `[${gone.length} earlier messages were left out here, since the conversation is longer than your context${among}. ` +
    'Call a tool again if you need what it said.]';
  return { role: 'user', content };
}

export const cutResult = (message: Message): Message => cut(message, olderCut);

function cut(message: Message, length: number): Message {
  if (message.role !== 'tool') return message;
  const [plain = message] = withoutImages([message], 'left out to fit your context');
  if (plain.content.length <= length) return plain;
  return { ...plain, content: cutInMiddle(plain.content, length * 0.6, length * 0.2, ' to fit your context') };
}

/** In tokens: with less, nobody could tell what a section says. */
const minTokens = 60;

/** In tokens, between the beginning and the end of what is cut. */
const lineBetween = 26;

/** Cuts the longest answers and results that messages show, all to the same size. @param excess in tokens */
function withCutSections(messages: Message[], excess: number): Message[] {
  const sizes = messages.flatMap((message) => sectionsOf(message).map(tokensIn));
  const budget = sizes.reduce((sum, size) => sum + size, 0) - excess;
  const limit = Math.max(minTokens, limitFor(sizes, budget));
  if (!sizes.some((size) => size > limit)) return messages;
  const cutToLimit = (text: string): string => {
    const size = tokensIn(text);
    if (size <= limit) return text;
    const kept = (text.length / size) * (limit - lineBetween);
    return cutInMiddle(text, (kept * 6) / 10, (kept * 4) / 10, ' to fit your context');
  };
  const cutTagged = (_: string, before: string, _tag: string, _name: string, said: string, behind: string): string =>
    before + cutToLimit(said) + behind;
  return messages.map((message) =>
    message.role === 'user' ? { ...message, content: message.content.replaceAll(tagged, cutTagged) } : message,
  );
}

const sectionsOf = ({ content, role }: Message): string[] =>
  role === 'user' ? taggedIn(content).map((each) => each.content) : [];
