import { callsIn, imagesIn, type Message, type ToolSpec, type UserMessage } from '../protocol/message.ts';
import { withCutSections } from './cut-sections.ts';
import { withoutImages } from './images.ts';
import { cutInMiddle } from '../util/text/cut.ts';

/**
 * How many bytes of UTF-8 count as a token. English has four or five, source text three, Chinese about three a character:
 * an estimate that is rather too high, since a conversation that is too long is refused.
 */
const bytesPerToken = 3;

/** What counts for a message besides its texts, and for each of its images, in tokens. */
const perMessage = 8;
const perImage = 1600;

/** An estimate of how many tokens messages take of a model's context. */
export const tokensOf = (messages: Message[]): number => messages.reduce((sum, message) => sum + sizeOf(message), 0);

/** The same for the tools that are offered. */
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

/** A reply with the results of its calls, which stay together, or any other message. */
interface Group {
  messages: Message[];
  /** Whether it stays whole. */
  isNeeded: boolean;
}

/** How much of the room that is left the newest messages take, besides the last reply and what came after it. */
const newestShare = 1 / 4;

/** A conversation is shortened by a multiple of this share of the room. */
const step = 1 / 4;

/** The lengths to which older tool results are cut, and then, if that is not enough, the newest, in characters. */
const olderCut = 1000;
const newestCuts = [10_000, 4000, olderCut];

/**
 * Shortens a conversation to the room that a model's context has. The system's words, the first and the last message of the
 * user, and the newest messages stay whole. Of all others the oldest go first: their tool results are cut to beginning and
 * end, and if that is not enough, the messages are left out, replies together with the results of their calls, and a note
 * says so. If even that is not enough, the newest tool results are cut as well, and at last what messages of the user show of other
 * agents' answers and results.
 *
 * More goes than must, so that for some time longer conversations begin with the same bytes, as prompt caches need.
 *
 * @param budget in tokens, by `tokensOf`
 * @returns the same messages if they fit; the shortest that can be made of them if nothing fits
 */
export function compacted(messages: Message[], budget: number): Message[] {
  let shortest = shortened(messages, budget).messages;
  for (const length of newestCuts) {
    if (tokensOf(shortest) <= budget) return shortest;
    shortest = shortest.map((message) => cut(message, length));
  }
  const excess = tokensOf(shortest) - budget;
  return excess > 0 ? withCutSections(shortest, excess, tokensIn) : shortest;
}

/** The place behind the last message that has to be left out; undefined if none has to be. */
export const goneIn = (messages: Message[], budget: number): number | undefined => shortened(messages, budget).gone;

/** Cuts older results, and leaves older messages out. `gone`: the place behind the last one that is. */
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

/** Makes the groups that need not stay whole smaller, the oldest first, until all together have at most so many tokens. */
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

/** The messages that are left, with a note in the place of the first ones that are not. */
function withNote(groups: Group[], left: Group[]): Message[] {
  const isGone = (index: number): boolean => left[index]?.messages.length === 0;
  const gone = groups.filter((_, index) => isGone(index));
  const first = groups.findIndex((_, index) => isGone(index));
  return left.flatMap(({ messages }, index) => (index === first ? [noteOn(allOf(gone))] : messages));
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

/** A message with the result of a tool cut to what is left of older ones. */
export const cutResult = (message: Message): Message => cut(message, olderCut);

function cut(message: Message, length: number): Message {
  if (message.role !== 'tool') return message;
  const [plain = message] = withoutImages([message], 'left out to fit your context');
  if (plain.content.length <= length) return plain;
  return {
    ...plain,
    content: cutInMiddle(plain.content, (length * 6) / 10, (length * 2) / 10, ' to fit your context'),
  };
}
