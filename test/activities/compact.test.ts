import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { compacted, tokensOf } from '../../src/models/compact.ts';
import type { AssistantMessage, Message, ToolCall } from '../../src/protocol/message.ts';

const user = (content: string): Message => ({ role: 'user', content });
const says = (content: string): AssistantMessage => ({ role: 'assistant', content });

/** A reply that calls a tool, and its result. */
const round = (id: string, result: string, name = 'read'): Message[] => [
  { role: 'assistant', content: '', toolCalls: [{ id, name, arguments: '{}' }] },
  { role: 'tool', callId: id, content: result },
];

const rounds = (count: number, length: number): Message[] =>
  Array.from({ length: count }, (_, index) => round(`c${index}`, `${index} ${'x'.repeat(length)}`)).flat();

const opening = [{ role: 'system', content: 'You read.' } as Message, user('The task.')];

describe('a conversation that is too long', () => {
  test('stays as it is where it fits', () => {
    const messages = [...opening, ...rounds(3, 3000)];
    expect(compacted(messages, tokensOf(messages))).toBe(messages);
  });

  test('has its oldest tool results cut to beginning and end', () => {
    const messages = [...opening, ...rounds(10, 3000)];
    const short = compacted(messages, 9000);
    expect(short).toHaveLength(messages.length);
    const lengths = short.flatMap(({ role, content }) => (role === 'tool' ? [content.length] : []));
    expect(lengths.slice(0, 3)).toEqual([lengths[0], lengths[0], lengths[0]]);
    expect(short[3]?.content).toMatch(/^0 x+\n\[… 2,202 characters were left out here to fit your context\]\nx+$/);
    expect(short.slice(-6)).toEqual(messages.slice(-6));
  });

  test('then has them left out, with a note that says what is gone', () => {
    const messages = [...opening, ...rounds(100, 900)];
    const short = compacted(messages, 10_000);
    expect(short.slice(0, 2)).toEqual(opening);
    expect(short[2]?.content).toMatch(
      /^\[\d+ earlier messages were left out here, .*: read \(\d+\)\. Call a tool again if you need what it said\.\]$/,
    );
    expect(tokensOf(short)).toBeLessThanOrEqual(10_000);
    expect(short.at(-1)).toEqual(messages.at(-1));
  });

  test('has the newest tool results cut only where nothing else helps', () => {
    const messages = [...opening, ...rounds(2, 900), ...round('big', 'y'.repeat(100_000))];
    const short = compacted(messages, 8000);
    expect(tokensOf(short)).toBeLessThanOrEqual(8000);
    expect(short.at(-1)?.content).toMatch(/^y+\n\[… [\d,]+ characters were left out here to fit your context\]\ny+$/);
  });

  test('keeps the task and the last instruction whole, and is the shortest there is if even they do not fit', () => {
    const messages = [...opening, user('z'.repeat(50_000)), ...rounds(3, 900)];
    const short = compacted(messages, 5000);
    expect(short).toContainEqual(user('z'.repeat(50_000)));
    expect(tokensOf(short)).toBeLessThan(tokensOf(messages));
  });

  test('begins with the same bytes for some time while it grows, as prompt caches need', () => {
    const all = [...opening, ...rounds(200, 900)];
    const beginnings = Array.from({ length: 40 }, (_, index) => {
      const short = compacted(all.slice(0, 100 + 2 * index), 10_000);
      return JSON.stringify(short.slice(0, 12));
    });
    expect(new Set(beginnings).size).toBeLessThan(8);
  });

  test('the reasoning of replies goes with them, and stays with those that stay', () => {
    const opaque = { wire: 'w', data: 'r'.repeat(3000) };
    const thinking = rounds(20, 900).map((message) =>
      message.role === 'assistant' ? { ...message, opaque } : message,
    );
    const short = compacted([...opening, ...thinking], 10_000);
    const replies = short.filter(({ role }) => role === 'assistant') as AssistantMessage[];
    expect(replies.length).toBeLessThan(20);
    for (const reply of replies) expect(reply.opaque).toEqual(opaque);
  });
});

const texts = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 30 }),
  fc.nat(20_000).map((length) => '中x'.repeat(length / 2)),
);

/** Any conversation as providers take them: a reply's calls are followed by their results. */
const conversations = fc
  .record({
    system: fc.array(texts, { maxLength: 1 }),
    task: texts,
    turns: fc.array(fc.record({ told: fc.option(texts), said: texts, results: fc.array(texts, { maxLength: 3 }) }), {
      maxLength: 25,
    }),
    last: fc.option(texts),
  })
  .map(({ system, task, turns, last }): Message[] => [
    ...system.map((content): Message => ({ role: 'system', content })),
    user(task),
    ...turns.flatMap(({ told, said, results }, turn): Message[] => {
      const calls: ToolCall[] = results.map((_, call) => ({ id: `${turn}.${call}`, name: 'read', arguments: '{}' }));
      return [
        { ...says(said), ...(calls.length > 0 && { toolCalls: calls }) },
        ...results.map((content, call): Message => ({ role: 'tool', callId: `${turn}.${call}`, content })),
        ...(told === null ? [] : [user(told)]),
      ];
    }),
    ...(last === null ? [] : [user(last)]),
  ]);

/** The ids of calls and of results, in the order in which they come. */
function pairs(messages: Message[]): string[][] {
  const calls = messages.flatMap((message) => (message.role === 'assistant' ? (message.toolCalls ?? []) : []));
  const results = messages.flatMap((message) => (message.role === 'tool' ? [message.callId] : []));
  return [calls.map(({ id }) => id), results];
}

test('any conversation keeps its first and last words and its pairs, fits if it can, and is then left alone', () => {
  fc.assert(
    fc.property(conversations, fc.integer({ min: 500, max: 60_000 }), (messages, budget) => {
      const short = compacted(messages, budget);
      const [calls, results] = pairs(short);
      expect(calls).toEqual(results);
      for (const role of ['system', 'user'] as const) {
        expect(short.find((message) => message.role === role)).toEqual(
          messages.find((message) => message.role === role),
        );
      }
      const isUser = ({ role, content }: Message): boolean =>
        role === 'user' && !content.includes('were left out here');
      expect(short.findLast(isUser)).toEqual(messages.findLast(isUser));
      expect(short.at(-1)?.role).toBe(messages.at(-1)?.role);
      expect(tokensOf(short)).toBeLessThanOrEqual(tokensOf(messages) + 100);
      const lastReply = messages.findLastIndex(({ role }) => role === 'assistant');
      const users = messages.filter(({ role }) => role === 'user');
      const needed = messages.filter(
        (message, index) =>
          message.role === 'system' || message === users[0] || message === users.at(-1) || index >= lastReply,
      );
      if (tokensOf(needed) + 500 < budget / 2) expect(tokensOf(short)).toBeLessThanOrEqual(budget);
      if (tokensOf(short) <= budget) expect(compacted(short, budget)).toBe(short);
    }),
    { numRuns: 500 },
  );
});
