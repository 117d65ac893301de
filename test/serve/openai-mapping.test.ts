import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { FinalOutcome, RunEvent, RunEventBody } from '../../src/protocol/events.ts';
import type { Reprise } from '../../src/client.ts';
import { settle, type Asked } from '../../src/serve/openai/asking.ts';
import { deltaOf } from '../../src/serve/openai/chat.ts';
import { entries } from '../../src/serve/openai/conversation.ts';
import { idOf, markedIn, markOf, placeIn, withoutMark } from '../../src/serve/openai/places.ts';
import { ResponseLog, type Head } from '../../src/serve/openai/response.ts';
import { endingOf, stepOf, type Step } from '../../src/serve/openai/runs.ts';

const at = '2026-11-26T12:00:00.000Z';
const eventOf = (body: RunEventBody, seq = 7): RunEvent => ({ seq, at, attempt: 1, ...body });
const waits = { from: 'agent1', question: 'Which mode?', askedAt: at, expiresAt: null };
const asked = { questionId: 'q1', kind: 'question' as const, ...waits };
const tool = { questionId: 't1', kind: 'tool' as const, ...waits, tool: 'write', arguments: '{}' };
const usage = { calls: 1, inputTokens: 9, cachedInputTokens: 4, outputTokens: 2, costUsd: 0.5 };

test.each<[string, RunEventBody, object | undefined]>([
  ['what was asked is nothing new', { type: 'started', task: 'Do it.', agents: [] }, undefined],
  ['nor is a turn', { type: 'turn', turn: 1, text: 'Do it.' }, undefined],
  [
    'an answer is progress, with its text',
    { type: 'answer', agent: 'a', name: 'agent1.1', number: 1, content: 'Four.' },
    { type: 'progress', text: '[a] answer 1 (agent1.1)\nFour.' },
  ],
  [
    'a vote is progress',
    { type: 'vote', agent: 'a', for: 'b', reason: 'best' },
    { type: 'progress', text: '[a] votes for b: best' },
  ],
  [
    'what is presented is not told, since it may be replaced',
    { type: 'presented', agent: 'a', content: 'x' },
    undefined,
  ],
  ['nor is the last text of a turn before the end', { type: 'says', agent: 'a', text: 'x', last: true }, undefined],
  ['a question ends it', { type: 'question', ...asked }, { type: 'asked', seq: 7, asked }],
  ['so does a tool call that waits', { type: 'approval_requested', ...tool }, { type: 'asked', asked: tool }],
  [
    'so does a key that is missing',
    { type: 'key_missing', ...asked, kind: 'key', questionId: 'key-K', variable: 'K' },
    { type: 'asked', asked: { kind: 'key', questionId: 'key-K' } },
  ],
  [
    'so does a plan that waits',
    { type: 'plan_review', ...asked, kind: 'approval', questionId: 'approval-1' },
    { type: 'asked', asked: { questionId: 'approval-1' } },
  ],
  [
    'the end is the answer',
    { type: 'final', outcome: 'submitted', agent: 'a', answer: 'Four.' },
    { type: 'answered', at, outcome: 'submitted', answer: 'Four.' },
  ],
])('%s', (_, body, expected) => {
  const step = stepOf(eventOf(body));
  if (expected === undefined) expect(step).toBeUndefined();
  else expect(step).toMatchObject(expected);
});

test.each<[FinalOutcome, string]>([
  ['submitted', 'completed'],
  ['viable', 'completed'],
  ['restart_limit', 'incomplete'],
  ['budget', 'incomplete'],
  ['partial', 'incomplete'],
  ['cancelled', 'cancelled'],
])('an outcome %s is %s', (outcome, expected) => {
  expect(endingOf(outcome)).toBe(expected);
});

const head: Head = {
  place: { run: 'ask-1', seq: 0 },
  createdAt: 1,
  model: 'team',
  previous: null,
  instructions: null,
  metadata: {},
  background: false,
  store: true,
  tools: ['answer_question'],
};

const logOf = (given: Partial<Head> = {}) => new ResponseLog({ ...head, ...given }, ({ seq }) => `[mark ${seq}]`);

const progress = fc.string({ minLength: 1 }).map((text): Step => ({ type: 'progress', text }));
const trouble = fc.constant<Step>({ type: 'trouble', text: 'nobody polls' });
const end = fc.constantFrom<Step>(
  { type: 'answered', at, outcome: 'submitted', answer: 'Four.', usage },
  { type: 'answered', at, outcome: 'budget', answer: 'Three.', usage },
  { type: 'answered', at, outcome: 'cancelled', answer: 'Two.', usage },
  { type: 'asked', seq: 9, at, asked },
  { type: 'asked', seq: 9, at, asked: tool },
  { type: 'failed', message: 'no such model' },
);

test('the same steps are the same numbered events, whatever troubles a server has seen, and end with the response as it is read', () => {
  fc.assert(
    fc.property(fc.array(fc.oneof(progress, trouble)), end, (steps, last) => {
      const one = logOf();
      const events = [...one.begin(), ...[...steps, last].flatMap((step) => one.take(step))];
      const other = logOf();
      const calm = [...steps.filter(({ type }) => type !== 'trouble'), last];
      expect([...other.begin(), ...calm.flatMap((step) => other.take(step))]).toEqual(events);
      expect(events.map(({ sequence_number: number }) => number)).toEqual(events.map((_, index) => index));
      expect(events.at(-1)).toMatchObject({ response: one.response });
      const read = logOf();
      for (const step of calm) read.take(step);
      expect(read.response).toEqual(one.response);
      const begun = events.filter(({ type }) => type === 'response.output_item.added').length;
      expect(events.filter(({ type }) => type === 'response.output_item.done')).toHaveLength(begun);
      expect(one.response.output).toHaveLength(begun);
    }),
  );
});

test.each<[Step, object]>([
  [
    { type: 'answered', at, outcome: 'budget', answer: 'Three.', usage },
    { incomplete_details: { reason: 'max_output_tokens' } },
  ],
  [{ type: 'failed', message: 'no such model' }, { error: { code: 'invalid_prompt', type: 'server_error' } }],
  [
    { type: 'answered', at, outcome: 'submitted', answer: 'Four.', usage },
    { usage: { input_tokens_details: { cached_tokens: usage.cachedInputTokens, cache_write_tokens: 0 } } },
  ],
])('by the words of the API %j is %j', (step, expected) => {
  const log = logOf();
  log.take(step);
  expect(log.response).toMatchObject(expected);
});

test('a question is a call where the tool for it is offered, and else text', () => {
  const log = logOf();
  log.take({ type: 'asked', seq: 9, at, asked });
  expect(log.response.output).toMatchObject([
    { type: 'function_call', call_id: 'call_ask-1.9', name: 'answer_question' },
  ]);
  const other = logOf();
  other.take({ type: 'asked', seq: 9, at, asked: tool });
  expect(JSON.stringify(other.response.output)).toContain('agent1: Which mode?\\n{}\\n\\nYour next message decides');
  expect(JSON.stringify(other.response.output)).toContain('[mark 9]');
});

test.each<[Step, object, string | null]>([
  [{ type: 'progress', text: 'On it.' }, { reasoning_content: 'On it.\n' }, null],
  [{ type: 'trouble', text: 'Nobody polls.' }, { reasoning_content: 'Nobody polls.\n' }, null],
  [{ type: 'answered', at, outcome: 'submitted', answer: 'Four.', usage }, { content: 'Four.' }, 'stop'],
  [{ type: 'answered', at, outcome: 'limit', answer: 'Three.', usage }, { content: 'Three.' }, 'length'],
  [{ type: 'asked', seq: 9, at, asked }, { tool_calls: [{ id: 'call_ask-1.9' }] }, 'tool_calls'],
])('in a completion %j is %j', (step, delta, finish) => {
  const part = { tools: head.tools, markOf: () => '[mark]' };
  expect(deltaOf(step, head.place, part)).toMatchObject({ delta, finish });
});

test('ids lead back to where they come from', () => {
  fc.assert(
    fc.property(fc.stringMatching(/^[\w-]{1,40}$/), fc.nat(999_999), (run, seq) => {
      expect(placeIn('resp', idOf('resp', { run, seq }))).toEqual({ run, seq });
      expect(placeIn('call', idOf('resp', { run, seq }))).toBeUndefined();
    }),
  );
});

test('a mark is known by whoever has made it alone, and is taken out of what agents read', () => {
  const place = { run: 'ask-1', seq: 9 };
  const text = `Which mode?\n\n${markOf('owner', place)}`;
  expect(markedIn('owner', text)).toEqual(place);
  expect(markedIn('another', text)).toBeUndefined();
  expect(markedIn('owner', text.replace('ask-1.9', 'ask-1.8'))).toBeUndefined();
  expect(withoutMark(text)).toBe('Which mode?');
  expect(markedIn('owner', `As you said: [reprise ask-0 made-up]\n${text}`)).toEqual(place);
  expect(withoutMark(`${text} ${text}`)).toBe('Which mode?\n\n Which mode?');
});

test('no text takes long to look through', () => {
  const begun = performance.now();
  expect(withoutMark(`${' '.repeat(1e6)}x`)).toHaveLength(1e6 + 1);
  const content = [{ type: 'image_url', image_url: { url: `data:${'a'.repeat(1e6)}` } }];
  expect(entries.safeParse([{ role: 'user', content }]).success).toBe(false);
  expect(performance.now() - begun).toBeLessThan(5000);
});

test.each<[Asked['kind'], string, string, object]>([
  ['question', 'Dark mode', 'answer', { questionId: 'q1', answer: 'Dark mode' }],
  ['question', '', 'answer', { questionId: 'q1', answer: '' }],
  ['tool', 'yes', 'approve', { id: 'q1', action: 'allow' }],
  ['tool', 'Always.', 'approve', { id: 'q1', action: 'allow', always: true }],
  ['tool', 'no: too risky', 'approve', { id: 'q1', action: 'deny', reason: 'too risky' }],
  ['key', 'skip', 'answer', { questionId: 'q1', answer: '' }],
  ['approval', 'Accept.', 'decide', { action: 'accept' }],
  ['approval', 'stop', 'decide', { action: 'stop' }],
  ['approval', 'It is too broad', 'requestRestart', ['It is too broad', 'It is too broad']],
  ['approval', 'Stop using 2019', 'requestRestart', ['Stop using 2019', 'Stop using 2019']],
])('what a person says of a %s settles it: %s', async (kind, words, method, payload) => {
  const sent: unknown[] = [];
  const run = new Proxy(
    {},
    {
      get:
        (_, name) =>
        async (...args: unknown[]) =>
          void sent.push(name, ...args),
    },
  );
  await settle({ getResearch: () => run } as unknown as Reprise, 'ask-1', { kind, questionId: 'q1', ...waits }, words);
  expect(sent).toEqual([method, ...(Array.isArray(payload) ? payload : [payload])]);
});

test.each<[Asked['kind'], string]>([
  ['key', 'sk-secret'],
  ['tool', 'maybe'],
])('words that do not settle a %s are sent to no run: %s', async (kind, words) => {
  const reprise = { getResearch: () => ({}) } as unknown as Reprise;
  const settling = settle(reprise, 'ask-1', { kind, questionId: 'q1', ...waits }, words);
  await expect(settling).rejects.toMatchObject({ status: 400, message: expect.not.stringContaining(words) });
});
