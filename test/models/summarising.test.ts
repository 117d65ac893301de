import { describe, expect, test } from 'vitest';
import { compacted, tokensOf } from '../../src/models/compact.ts';
import { summarised, type Summaries, type SummaryRequest } from '../../src/models/summarising.ts';
import type { Message } from '../../src/protocol/message.ts';

const user = (content: string): Message => ({ role: 'user', content });
const says = (content: string): Message => ({ role: 'assistant', content });
const system: Message = { role: 'system', content: 'You are patient.' };

/** Summaries that hold each `fact …` that they are made of. */
function kept(isWilling = true): Summaries & { made: SummaryRequest[] } {
  const texts = new Map<string, string>();
  const made: SummaryRequest[] = [];
  return {
    made,
    async find(keys) {
      const key = keys.find((each) => texts.has(each));
      return key === undefined ? undefined : { key, text: texts.get(key) ?? '' };
    },
    async make(key, request) {
      made.push(request);
      if (!isWilling) return undefined;
      const facts = request.messages.flatMap(({ content }) => content.match(/fact \w+/g) ?? []);
      texts.set(key, [...new Set(facts)].join(', '));
      return texts.get(key);
    },
  };
}

const turn = (number: number, fact = ''): Message[] => [
  user(`Question ${number}? ${fact} ${'q'.repeat(300)}`),
  says(`Answer ${number}. ${'a'.repeat(600)}`),
];

const budget = 5000;

describe('a conversation that outgrows its context', () => {
  test('still knows in turn 500 what was said in turn 3, and few summaries are made', async () => {
    const summaries = kept();
    const conversation: Message[] = [system];
    for (let number = 1; number <= 500; number++) {
      const [asked, answered] = turn(number, number === 3 ? 'fact three' : number === 250 ? 'fact half' : '');
      const sent = compacted(await summarised([...conversation, asked!], budget, summaries), budget);
      expect(tokensOf(sent)).toBeLessThanOrEqual(budget);
      expect(sent.at(-1)).toBe(asked);
      if (number >= 3) expect(sent.map(({ content }) => content).join('\n')).toContain('fact three');
      conversation.push(asked!, answered!);
    }
    const sent = await summarised([...conversation, user('Which facts?')], budget, summaries);
    expect(sent[2]?.content).toMatch(/^\[Summary of \d{3} earlier messages, .*\]\nfact three, fact half$/);
    expect(summaries.made.length).toBeGreaterThan(20);
    expect(summaries.made.length).toBeLessThan(150);
    for (const { messages } of summaries.made) expect(tokensOf(messages)).toBeLessThan(budget);
  });

  const long = [
    system,
    ...Array.from({ length: 40 }, (_, number) => turn(number, 'fact one')).flat(),
    user('And now?'),
  ];

  test('has its summary made once for all who have the same conversation, whatever their instructions', async () => {
    const summaries = kept();
    const first = await summarised(long, budget, summaries);
    const other = await summarised(
      [{ role: 'system', content: 'You are quick.' }, ...long.slice(1)],
      budget,
      summaries,
    );
    expect(other.slice(1)).toEqual(first.slice(1));
    expect(summaries.made).toHaveLength(1);
  });

  test('keeps its beginning, its end and its tool calls with their results', async () => {
    const calls: Message[] = Array.from({ length: 30 }, (_, index): Message[] => [
      { role: 'assistant', content: '', toolCalls: [{ id: `c${index}`, name: 'read', arguments: '{}' }] },
      { role: 'tool', callId: `c${index}`, content: `fact f${index} ${'r'.repeat(900)}` },
    ]).flat();
    const messages = [system, user('The task.'), ...calls];
    const sent = await summarised(messages, budget, kept());
    expect(sent.slice(0, 2)).toEqual(messages.slice(0, 2));
    expect(sent[2]?.content).toContain('fact f0');
    expect(sent[3]?.role).toBe('assistant');
    expect(sent.slice(3)).toEqual(messages.slice(3 - sent.length));
  });

  test('is as it was where nothing has to go, and where the model gives no summary', async () => {
    const summaries = kept(false);
    const short = long.slice(0, 6);
    expect(await summarised(short, budget, summaries)).toBe(short);
    expect(summaries.made).toEqual([]);
    expect(await summarised(long, budget, summaries)).toBe(long);
    expect(compacted(long, budget)[2]?.content).toMatch(/^\[\d+ earlier messages were left out here/);
  });

  test('a summary that is longer than it may be is cut', async () => {
    const summaries: Summaries = { find: async () => undefined, make: async () => 's'.repeat(100_000) };
    expect(tokensOf(await summarised(long, budget, summaries))).toBeLessThanOrEqual(budget + 500);
  });
});
