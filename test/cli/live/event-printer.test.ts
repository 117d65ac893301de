import { expect, test } from 'vitest';
import type { RunEvent, RunSnapshot } from '../../../src/client.ts';
import { EventPrinter } from '../../../src/cli/live/event-printer.ts';

const of = (...bodies: object[]): RunSnapshot => ({
  events: bodies.map(
    (body, index) => ({ seq: index + 1, at: '2026-01-18T17:09:44.000Z', attempt: 1, ...body }) as RunEvent,
  ),
  texts: [],
  state: undefined,
  calls: [],
});

const linesOf = (telling: EventPrinter, look: RunSnapshot): string[] =>
  telling.linesOf(look).flatMap((text) => text.replace(/^\[[^\]]*\] /, '').split('\n'));

test('why a team starts over is told once', () => {
  const why = { reason: 'Only a plan', instructions: 'Do it' };
  const look = of(
    { type: 'decision', agent: 'agent_1', decision: 'restart', afterPresenting: false, ...why },
    { type: 'restart', by: 'final_agent', from: 1, to: 2, ...why },
    { type: 'attempt', attempt: 2, maxAttempts: 3, restart: why },
  );
  expect(linesOf(new EventPrinter(false), look).filter((line) => line !== '')).toEqual([
    '🔄 Final agent agent_1 chose to RESTART orchestration',
    '   Reason: Only a plan',
    '   Instructions: Do it',
    '🔄 Handling orchestration restart (attempt 1 -> 2)',
    '🔄 Orchestration restart requested by final agent',
    '🔄 Orchestration Restart - Attempt 2/3',
    '---',
    '🚀 Starting multi-agent coordination...',
  ]);
});

test('why a person wants it so is told with the attempt, since nobody has decided it before', () => {
  const why = { reason: 'Too long', instructions: 'Half of it' };
  const look = of(
    { type: 'decision', agent: 'agent_1', decision: 'submit', afterPresenting: false },
    { type: 'restart', by: 'person', from: 1, to: 2, ...why },
    { type: 'attempt', attempt: 2, maxAttempts: 3, restart: why },
  );
  expect(linesOf(new EventPrinter(false), look).filter((line) => line !== '')).toEqual([
    '✅ Final agent agent_1 chose to SUBMIT',
    '🔄 Handling orchestration restart (attempt 1 -> 2)',
    '🔄 Orchestration restart requested by a person',
    '🔄 Orchestration Restart - Attempt 2/3',
    'Reason: Too long',
    'Instructions: Half of it',
    '---',
    '🚀 Starting multi-agent coordination...',
  ]);
});

test('a failure of all agents, such as a wrong key, is told once', () => {
  const reason = 'openai m at https://api: 401 Incorrect API key; see https://keys (check OPENAI_API_KEY)';
  const look = of(
    ...['a', 'b', 'c'].map((agent) => ({ type: 'out', agent, timedOut: false, reason })),
    { type: 'out', agent: 'd', timedOut: false, reason: 'Boom' },
    { type: 'warning', text: `attempt 1 failed: a: ${reason}; b: ${reason}; c: ${reason}; d: Boom` },
  );
  expect(linesOf(new EventPrinter(false), look)).toEqual([
    `⚠️ [a] is out (${reason})`,
    '⚠️ [b] is out (for the same reason)',
    '⚠️ [c] is out (for the same reason)',
    '⚠️ [d] is out (Boom)',
    '⚠️ attempt 1 failed: a; b; c; d',
  ]);
});

test('who types what is said is not told of it, but of a turn that came to a limit', () => {
  const look = of(
    { type: 'turn', turn: 1, text: 'Hello' },
    { type: 'final', outcome: 'answered', agent: 'agent', answer: 'Hi.' },
    { type: 'final', outcome: 'limit', agent: 'agent', answer: 'Hi.' },
  );
  expect(linesOf(new EventPrinter(false, true), look)).toEqual(['🏁 Done: limit, answer by agent']);
  expect(linesOf(new EventPrinter(false), look)).toHaveLength(3);
});

test('a run that ends before anybody has answered names nobody', () => {
  const look = of({ type: 'final', outcome: 'cancelled', agent: '', answer: '' });
  expect(linesOf(new EventPrinter(false), look)).toEqual(['🏁 Done: cancelled']);
});

test('a line that goes elsewhere than to a terminal is as in the log, whole and with its day', () => {
  const text = 'What has happened is longer than any terminal is wide. '.repeat(9).trim();
  const [line = ''] = new EventPrinter(false).linesOf(of({ type: 'notice', text }));
  expect(line).toMatch(/^\[\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\] /);
  expect(line.endsWith(text)).toBe(true);
  expect(line).not.toContain('\n');
});

test('on a terminal a line has the time of day, and its day too where that is not today', () => {
  const told = (at: Date): string[] => {
    const look = of({ type: 'notice', text: 'Hm.', at: at.toISOString() });
    return new EventPrinter(false, false, () => 80).linesOf(look);
  };
  const now = new Date();
  const noon = new Date(now.getFullYear(), now.getMonth(), now.getDate(), 12, 5, 9);
  expect(told(noon)).toEqual(['[12:05:09] Hm.']);
  expect(told(new Date(2025, 11, 30, 23, 5, 9))).toEqual(['[2025-12-30 23:05:09] Hm.']);
});

test('how long there is to answer is told as a time that is left', () => {
  const question = { questionId: 'q1', kind: 'question', from: 'agent_a', question: 'Why?' };
  const times = { askedAt: '2026-01-18T17:09:44.000Z', expiresAt: '2026-01-19T17:09:04.000Z' };
  expect(linesOf(new EventPrinter(false), of({ type: 'question', ...question, ...times }))).toEqual([
    '📢 agent_a waits for a person (question q1, 23 h 59 min to answer)',
  ]);
});

test('what is told cannot steer the terminal', () => {
  const evil = 'a\x1B]52;c;cm0gLXJm\x07b\x1B[2Jc\u202Ed';
  const telling = new EventPrinter(false);
  expect(linesOf(telling, of({ type: 'warning', text: evil, agent: evil }))).toEqual(['⚠️ [abcd] abcd']);
  expect(telling.line(evil)).toMatch(/ abcd$/);
  expect(telling.block(evil)).toBe('abcd');
});
