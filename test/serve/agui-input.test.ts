import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { askedIn, interruptId, interruptOf, resumedBy, type Act } from '../../src/serve/agui/interrupts.ts';
import { createApp } from '../../src/serve/app.ts';
import type { PendingQuestion } from '../../src/protocol/questions.ts';
import type { Problem } from '../../src/serve/problems.ts';
import type { Served } from '../../src/serve/served.ts';

const owner = 'the-token-of-an-owner';
const url = 'http://127.0.0.1:8234';
const configs = mkdtempSync(join(tmpdir(), 'reprise-configs-'));
afterAll(() => rmSync(configs, { recursive: true }));
writeFileSync(join(configs, 'broken.yaml'), 'agents: 3\n');
writeFileSync(join(configs, 'plan.yaml'), 'plan: {backend: {type: offline}}\n');

/** A server without Temporal, which no request comes to that is refused. */
const served: Served = {
  reprise: undefined as never,
  ready: () => Promise.reject(new Error('no Temporal')),
  feeds: undefined as never,
  configs,
  home: '',
  owner,
  url,
  port: 8234,
  origins: [],
  typed: (text) => text,
  say: () => {},
};

const user = { id: '1', role: 'user', content: 'Go.' };
const input = (more: object = {}) => ({ threadId: 't', runId: 'r', messages: [user], ...more });
const tool = interruptId({ kind: 'tool', questionId: 't1', seq: 7, chain: 'abcd1234' });

test.each<[what: string, name: string, body: unknown, status: number, detail: string]>([
  ['no JSON', 'reprise', '{', 400, 'The body is no JSON'],
  ['nothing', 'reprise', {}, 422, 'threadId: is missing'],
  ['a thread without a name', 'reprise', input({ threadId: '' }), 422, 'threadId: must not be empty'],
  ['a message of nobody', 'reprise', input({ messages: [{ id: '1', role: 'nobody' }] }), 422, 'messages[0]'],
  ['no message of the user', 'reprise', input({ messages: [] }), 422, 'messages: must have one of the user'],
  [
    'an image',
    'reprise',
    input({ messages: [{ ...user, content: [{ type: 'image', source: { type: 'url', value: 'https://x' } }] }] }),
    422,
    'messages[0].content: only texts are taken',
  ],
  ['an unknown configuration', 'other', input(), 404, 'There is no configuration "other"; there are: reprise, '],
  ['a broken configuration', 'broken', input(), 422, 'broken.yaml:1: agents'],
  ['a resume without a status', 'reprise', input({ resume: [{ interruptId: tool }] }), 422, 'resume[0].status'],
  [
    'the id of no interrupt',
    'reprise',
    input({ resume: [{ interruptId: 'q1', status: 'cancelled' }] }),
    422,
    'resume[0].interruptId: "q1" is no interrupt',
  ],
  [
    'a decision that is none',
    'reprise',
    input({ resume: [{ interruptId: tool, status: 'resolved', payload: { approved: 'yes' } }] }),
    422,
    'resume[0].payload.approved: "yes" is not true or false',
  ],
  [
    'a plan that is resumed without its message',
    'plan',
    input({ messages: [], resume: [{ interruptId: tool, status: 'cancelled' }] }),
    422,
    'messages: must have one of the user',
  ],
])('a request with %s is refused, and says what is taken', async (_, name, body, status, detail) => {
  const answer = await createApp(served).request(`${url}/agui/${name}`, {
    method: 'POST',
    headers: { host: '127.0.0.1:8234', authorization: `Bearer ${owner}` },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
  expect(answer.headers.get('content-type')).toBe('application/problem+json');
  const problem = (await answer.json()) as Problem;
  expect(problem.detail).toContain(detail);
  expect(answer.status).toBe(status);
});

test('of a conversation the last message of the user is the turn, and what was said before it the history', () => {
  const messages = [
    { id: '1', role: 'developer', content: 'Be short.' },
    { id: '2', role: 'user', content: 'Hello.' },
    { id: '3', role: 'reasoning', content: 'Hm.' },
    { id: '4', role: 'assistant', content: '', toolCalls: [] },
    { id: '5', role: 'assistant', content: 'Hello you.' },
    { id: '6', role: 'user', content: [{ type: 'text', text: 'And now?' }] },
  ];
  const asked = askedIn(input({ messages, context: [{ description: 'Page', value: 'start' }] }));
  expect(asked).toMatchObject({ text: 'And now?\n\nPage: start', isAnswered: false, resume: [] });
  expect(asked.history).toEqual([
    { role: 'system', content: 'Be short.' },
    { role: 'user', content: 'Hello.' },
    { role: 'assistant', content: 'Hello you.' },
  ]);
});

const idOf = (kind: PendingQuestion['kind'], questionId: string): string =>
  interruptId({ kind, questionId, seq: 7, chain: 'abcd1234' });

test.each<[kind: PendingQuestion['kind'], id: string, status: 'resolved' | 'cancelled', payload: unknown, act: Act]>([
  ['question', 'q1', 'resolved', { answer: 'Dark' }, { send: 'answer', reply: { questionId: 'q1', answer: 'Dark' } }],
  ['question', 'q1', 'resolved', 'Dark', { send: 'answer', reply: { questionId: 'q1', answer: 'Dark' } }],
  ['question', 'q1', 'cancelled', undefined, { send: 'answer', reply: { questionId: 'q1', answer: '' } }],
  ['tool', 't1', 'resolved', { approved: true }, { send: 'approve', decision: { id: 't1', action: 'allow' } }],
  [
    'tool',
    't1',
    'resolved',
    { approved: true, editedArgs: { text: 'x' } },
    { send: 'approve', decision: { id: 't1', action: 'edit', arguments: { text: 'x' } } },
  ],
  [
    'tool',
    't1',
    'resolved',
    { approved: false, reason: 'No', always: true },
    { send: 'approve', decision: { id: 't1', action: 'deny', reason: 'No', always: true } },
  ],
  ['tool', 't1', 'cancelled', undefined, { send: 'approve', decision: { id: 't1', action: 'deny' } }],
  ['approval', 'approval-2', 'resolved', { action: 'accept' }, { send: 'decide', decision: { action: 'accept' } }],
  [
    'approval',
    'approval-2',
    'resolved',
    { action: 'restart', reason: 'Broad', instructions: 'Bonds' },
    { send: 'restart', request: { reason: 'Broad', instructions: 'Bonds' } },
  ],
  ['approval', 'approval-2', 'cancelled', undefined, { send: 'decide', decision: { action: 'stop' } }],
  ['key', 'login-a.b:1/~x', 'resolved', undefined, { send: 'nothing' }],
  ['key', 'key-K', 'cancelled', undefined, { send: 'answer', reply: { questionId: 'key-K', answer: '' } }],
])('%s %s, %s by %j, is sent to the run as what it means there', (kind, questionId, status, payload, act) => {
  const resumed = resumedBy({ interruptId: idOf(kind, questionId), status, payload }, 0);
  expect(resumed).toMatchObject({ kind, questionId, seq: 7, chain: 'abcd1234', act });
});

const parameters = { type: 'object' as const, properties: { text: { type: 'string' } }, required: ['text'] };
const waiting: PendingQuestion = {
  kind: 'tool',
  questionId: 't1',
  from: 'agent',
  question: 'May it run write?',
  askedAt: '2026-01-01T00:00:00.000Z',
  expiresAt: '2026-01-02T00:00:00.000Z',
  tool: 'write',
  arguments: '{"text":"one"}',
  parameters,
};

test('an interrupt tells what waits, until when, and what may be answered', () => {
  expect(interruptOf(waiting, { seq: 7, chain: 'abcd1234' }, 'call')).toMatchObject({
    id: tool,
    reason: 'tool_call',
    message: 'May it run write?\n{"text":"one"}',
    toolCallId: 'call',
    expiresAt: '2026-01-02T00:00:00.000Z',
    metadata: { from: 'agent' },
    responseSchema: { type: 'object', required: ['approved'], properties: { editedArgs: parameters } },
  });
});
