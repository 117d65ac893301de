import { expect, test } from 'vitest';
import type { RunEvent, RunEventBody } from '../src/protocol/events.ts';
import { teamDetails } from '../src/workflows/orchestration/view.ts';
import { detailsOf } from '../src/workflows/runtime/details.ts';
import { entriesOf, withoutEmoji } from '../src/workflows/log-lines.ts';

const event = (body: RunEventBody, attempt = 1): RunEvent => ({ seq: 1, at: '2026-01-18T17:09:44Z', attempt, ...body });
const restart = { reason: 'Only plans', instructions: 'Write the code' };

test.each<[string, RunEvent, string[]]>([
  [
    'the choice of the final agent',
    event({ type: 'selected', agent: 'agent_1', votes: {} }),
    ['Final agent selected: agent_1'],
  ],
  [
    'a decision before presenting',
    event({ type: 'decision', agent: 'agent_1', decision: 'restart', afterPresenting: false, ...restart }),
    ['🔄 Final agent agent_1 chose to RESTART orchestration\n   Reason: Only plans\n   Instructions: Write the code'],
  ],
  [
    'a decision after presenting',
    event({ type: 'decision', agent: 'agent_1', decision: 'restart', afterPresenting: true, ...restart }),
    ['🔄 Post-evaluation: agent_1 requests RESTART\n   Reason: Only plans\n   Instructions: Write the code'],
  ],
  ['a first attempt', event({ type: 'attempt', maxAttempts: 3 }), ['🚀 Starting multi-agent coordination...']],
  [
    'a further attempt',
    event({ type: 'attempt', maxAttempts: 3, restart }, 2),
    [
      '🔄 Orchestration Restart - Attempt 2/3\n\nReason: Only plans\n\nInstructions: Write the code\n\n---\n\n🚀 Starting multi-agent coordination...',
    ],
  ],
  [
    'a call: nothing, it is seen while it runs',
    event({ type: 'thinking', agent: 'a', purpose: 'vote', activityId: 'x', model: 'm' }),
    [],
  ],
])('the log on %s', (_, happened, texts) => {
  expect(entriesOf(happened).map(({ text }) => text)).toEqual(texts);
});

test('plain lines have no emoji, and keep everything else', () => {
  expect(withoutEmoji('[17:09] 🗳️ [a] votes for b: 50% #1 * ok')).toBe('[17:09] [a] votes for b: 50% #1 * ok');
});

test('the details for the Web UI tell the open question and how to answer it, attempt, agents, votes, restarts and cost, without tables', () => {
  const agent = { state: 'voted' as const, answers: 1, timedOut: false };
  const questions = [
    {
      kind: 'question' as const,
      questionId: 'q1',
      from: 'a',
      question: 'Red\nor blue?',
      askedAt: '1',
      expiresAt: '2026-11-21T09:06:10.123Z',
    },
  ];
  const lines = teamDetails(
    {
      workflow: 'orchestration',
      phase: 'deciding',
      attempt: 2,
      maxAttempts: 3,
      agents: [
        { id: 'a', ...agent, vote: 'b' },
        { id: 'b', ...agent, answers: 2, vote: null },
      ],
      selectedAgent: 'b',
      restarts: [{ attempt: 1, reason: 'Two\nlines', instructions: 'i' }],
      usage: null,
    },
    new Map([['a', 'It is\nshort.']]),
  );
  const usage = { calls: 9, inputTokens: 90, cachedInputTokens: 0, outputTokens: 10, costUsd: 0.0123, byAgent: {} };
  const asked = 'Which?\nAnd why?';
  const details = detailsOf({ asked, pending: questions, answer: undefined, lines, usage, workflowId: 'run-1' });
  expect(details).toBe(
    '### Asked\n\n> Which?\n\n### a asks a person\n\n> Red\n> or blue?\n\nIt waits until 2026-11-21 09:06:10 UTC.\n\n' +
      'Answer it with the signal `answer` (menu "Send a Signal"), whose input is `{"answer": "…"}`; an empty answer skips. ' +
      'Or: `reprise answer run-1 "…"`\n\n' +
      '### Attempt 2 of 3: deciding\n- **a**: voted for b: It is short.\n- **b**: voted, 2 answers\n\nFinal agent: **b**\n\n' +
      '### Restart after attempt 1\n\n> Two\n> lines\n\n### Spent\n- 9 calls, 100 tokens\n- $0.0123',
  );
});
