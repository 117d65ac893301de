/**
 * `npm run bench -- linear`: whether what a run does again and again grows no faster than what it is given. Each function gets a
 * size, and four times as much. A function in a line with its input has an exponent of 1, and one with its square of 2. The
 * exit status is 1 where one that takes a while has more than 1.7. Times are of the processor, the least of seven.
 */
import type { HistoryRecord } from '../src/client/show/history.ts';
import { stepsOf } from '../src/client/show/steps.ts';
import { Texts } from '../src/client/show/texts.ts';
import { argumentReader } from '../src/activities/tools/arguments.ts';
import { writtenCalls } from '../src/activities/tools/written-call.ts';
import { toAnthropicConversation } from '../src/models/anthropic.ts';
import { compacted } from '../src/models/compact.ts';
import { toOpenaiMessages } from '../src/models/openai.ts';
import { toResponsesInput } from '../src/models/responses.ts';
import type { Message, ToolSpec } from '../src/protocol/message.ts';
import type { RunEvent } from '../src/protocol/events.ts';
import { emptyState, eventsFor } from '../src/serve/agui/stream-state.ts';
import { waitingAfter } from '../src/serve/waiting.ts';
import { parseTable } from '../src/tools/attachments/table.ts';
import { Trees } from '../src/tools/workspaces/tree.ts';
import { cutInMiddle } from '../src/util/text/cut.ts';
import { printable } from '../src/util/text/printable.ts';
import { redact } from '../src/util/text/redact.ts';
import { sentencesOf } from '../src/util/text/sentences.ts';
import { entriesOf } from '../src/workflows/log-lines.ts';
import { cutToBytes, jsonBytes, truncateToPayload } from '../src/workflows/runtime/size.ts';

/** Makes an input of a size, and gives back what is measured with it. */
type Case = (size: number) => () => unknown;

const indexes = (size: number): number[] => [...Array.from({ length: size }).keys()];

/** A conversation whose replies call a tool each. */
const conversation = (size: number): Message[] =>
  indexes(size).flatMap((index): Message[] => [
    { role: 'user', content: `Question ${index}` },
    {
      role: 'assistant',
      content: 'Words. '.repeat(10),
      toolCalls: [{ id: `c${index}`, name: 't', arguments: '{"a":1}' }],
    },
    { role: 'tool', callId: `c${index}`, content: 'A line of the result.\n'.repeat(10) },
  ]);

/** A reply with many calls, whose results follow it. */
const manyCalls = (size: number): Message[] => [
  { role: 'user', content: 'Question' },
  {
    role: 'assistant',
    content: '',
    toolCalls: indexes(size).map((index) => ({ id: `c${index}`, name: 't', arguments: '{"a":1}' })),
  },
  ...indexes(size).map((index): Message => ({ role: 'tool', callId: `c${index}`, content: 'A result.' })),
];

const vote = (index: number): HistoryRecord => ({
  kind: 'activity',
  type: 'callModel',
  summary: `agent_${index % 3} · vote · attempt ${1 + (index % 2)} · model`,
  at: '2026-01-01T00:00:00.000Z',
  since: '2026-01-01T00:00:00.000Z',
  turn: 1,
  input: { transcript: { id: `s${index - 1}` }, append: [{ role: 'user', content: 'Vote.' }] },
  result: {
    reply: {
      content: '',
      calls: [{ id: `c${index}`, name: 'vote', input: { agent_id: 'agent1', reason: 'Better.' } }],
    },
    transcript: { id: `s${index}` },
  },
});

const answer = (index: number) =>
  ({
    seq: index,
    at: '2026-01-01T00:00:00.000Z',
    attempt: 1,
    type: 'answer',
    agent: `agent_${index % 100}`,
    label: 'agent1.1',
    answer: 'Blue.',
  }) as unknown as RunEvent;

const question = (index: number) =>
  ({
    seq: index,
    at: '2026-01-01T00:00:00.000Z',
    attempt: 1,
    type: 'question_closed',
    questionId: `q${index}`,
  }) as unknown as RunEvent;

/** Files that lie in the deepest of forty folders. */
const deepTree = (size: number): Map<string, { id: string; mode: number; bytes: number }> =>
  new Map(
    indexes(size).map((index) => [`${'folder/'.repeat(40)}${index}`, { id: `o${index}`, mode: 0o644, bytes: 1 }]),
  );

const tools: ToolSpec[] = [{ name: 't', description: '', parameters: { type: 'object', properties: {} } }];

const cases: Record<string, Case> = {
  "Claude's conversation": (size) => converting(toAnthropicConversation, conversation(size * 60)),
  "Claude's, of many calls at once": (size) => converting(toAnthropicConversation, manyCalls(size * 100)),
  "Chat Completions' conversation": (size) => converting(toOpenaiMessages, conversation(size * 20)),
  "Responses' conversation": (size) =>
    converting((messages) => toResponsesInput(messages, 'm'), conversation(size * 20)),
  'a conversation made to fit': (size) =>
    converting((messages) => compacted(messages, 20_000), conversation(size * 10)),
  'steps of a run': (size) => {
    const records = indexes(size * 20).map(vote);
    return () => stepsOf(records, new Texts([], () => undefined), ['agent_0', 'agent_1', 'agent_2']);
  },
  "AG-UI's events": (size) => {
    const events = indexes(size * 20).map(answer);
    return () => events.reduce((state, event) => eventsFor(state, event)[0], emptyState('r', 'c'));
  },
  'what waits': (size) => {
    const events = indexes(size * 100).map(question);
    return () => events.reduce(waitingAfter, []);
  },
  'lines of the log': (size) => {
    const events = indexes(size * 50).map(answer);
    return () => events.flatMap(entriesOf);
  },
  'bytes of JSON': (size) => {
    const messages = conversation(size * 20);
    return () => jsonBytes(messages);
  },
  'a text cut to bytes': (size) => onText('Line "of" a\\path 🙂\n', size, (text) => cutToBytes(text, text.length)),
  'a value cut to a payload': (size) => {
    const value = { lines: indexes(size * 20).map((index) => `Line ${index} of a result`) };
    return () => truncateToPayload(value, size * 100);
  },
  'a text cut in its middle': (size) => onText('Some words. ', size, (text) => cutInMiddle(text, 1000, 1000)),
  'a text made printable': (size) => onText('Wörter\u001b[31m\u202e. ', size, printable),
  'a text without secrets': (size) =>
    onText('key=abc sk-1234 eyJhbGciOi Bearer x ', size, (text) => redact(text, ['a-known-secret'])),
  'one word without secrets': (size) => onText('aB3-_.=/+', size, (text) => redact(text, ['a-known-secret'])),
  sentences: (size) =>
    onText('# Heading\n\nA sentence. Another one, with words.\n\n- an item\n', size, (text) =>
      countOf(sentencesOf({ name: 'a.md', text })),
    ),
  'calls written as text': (size) =>
    onText('{"a": [x] ', size, (text) => writtenCalls(text, tools, argumentReader(tools))),
  'a table': (size) => onText('one,"two, three",4\n', size, (text) => parseTable(text)),
  'the id of a deep tree': (size) => {
    const tree = deepTree(size * 20);
    return () =>
      new Trees({ missingObjects: async () => [], putObjects: async () => {} } as never).write(tree as never);
  },
};

function converting(convert: (messages: Message[]) => unknown, messages: Message[]): () => unknown {
  return () => convert(messages);
}

function countOf(items: Iterable<unknown>): number {
  let count = 0;
  for (const _ of items) count++;
  return count;
}

function onText(piece: string, size: number, act: (text: string) => unknown): () => unknown {
  const text = piece.repeat(size * 40);
  return () => act(text);
}

/** Milliseconds of the processor. */
async function timeOf(act: () => unknown): Promise<number> {
  const startedAt = process.cpuUsage();
  await act();
  const { system, user } = process.cpuUsage(startedAt);
  return (system + user) / 1000;
}

async function leastOf(act: () => unknown): Promise<number> {
  let least = Infinity;
  for (let round = 0; round < 7; round++) least = Math.min(least, await timeOf(act));
  return least;
}

const [small, factor] = [50, 4];
let isLinear = true;
for (const [name, make] of Object.entries(cases)) {
  const [once, more] = [await leastOf(make(small)), await leastOf(make(factor * small))];
  const exponent = Math.log(more / once) / Math.log(factor);
  // What takes less is measured by what happens beside it.
  const isSlow = more > 10 && exponent > 1.7;
  isLinear &&= !isSlow;
  console.log(
    `${name}: ${once.toFixed(1)} ms, ${more.toFixed(1)} ms, exponent ${exponent.toFixed(2)}${isSlow ? '  FASTER THAN ITS INPUT' : ''}`,
  );
}
process.exitCode = isLinear ? 0 : 1;
