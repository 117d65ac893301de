import { EventType, HttpAgent, type Event } from '@ag-ui/client';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { RunEvent, RunEventBody } from '../../src/protocol/events.ts';
import { closing, emptyState, opening, eventsFor, type StreamState } from '../../src/serve/agui/stream-state.ts';
import { emptyView, patchOf, viewAfter } from '../../src/serve/agui/view.ts';

const pending = { from: 'a', question: 'Dark?', askedAt: '2026-01-01T00:00:00.000Z', expiresAt: null };
const review = { kind: 'approval', questionId: 'approval-1', ...pending } as const;
const request = { ...pending, kind: 'tool' as const, questionId: 't1', tool: 'write', arguments: '{"text":"x"}' };
const resolved = { type: 'approval_resolved' as const, questionId: 't1', agent: 'a', tool: 'write' };
const ran = { agent: 'a', tool: 'write', id: 'c1' };

const eventOf = (body: RunEventBody, index: number, attempt = 1): RunEvent => ({
  seq: index + 1,
  at: '2026-01-01T00:00:00.000Z',
  attempt,
  ...body,
});

/** All that is told of events, one after the other. */
function toldOf(bodies: RunEventBody[], before = emptyState('run', 'c')): { told: StreamState; events: Event[] } {
  let told = before;
  const events = bodies.flatMap((body, index) => {
    const [after, more] = eventsFor(told, eventOf(body, index));
    told = after;
    return more;
  });
  return { told, events };
}

/** Events in short: their types, with what tells them apart. */
const short = (events: Event[]): string[] =>
  events
    .filter(({ type }) => type !== EventType.STATE_DELTA)
    .map((event) => {
      const { content, delta, stepName, toolCallId } = event as unknown as Record<string, string | undefined>;
      return [event.type, toolCallId ?? stepName, (delta ?? content)?.trim()]
        .filter((each) => each !== undefined)
        .join(' ');
    });

test.each<[string, RunEventBody[], string[]]>([
  ['a turn’s beginning', [{ type: 'turn', turn: 1, text: 'Go.' }], []],
  [
    'an attempt and its voting, as steps',
    [
      { type: 'attempt', maxAttempts: 3 },
      { type: 'voting', round: 1 },
    ],
    [
      'STEP_STARTED attempt 1',
      'REASONING_MESSAGE_CHUNK 🚀 Starting multi-agent coordination...',
      'STEP_FINISHED attempt 1',
      'STEP_STARTED voting',
      'REASONING_MESSAGE_CHUNK Voting is open',
    ],
  ],
  [
    'a tool call',
    [
      { type: 'tool', ...ran, arguments: '{"text":"x"}' },
      { type: 'tool_ended', ...ran, status: 'ok', result: 'wrote x' },
    ],
    ['TOOL_CALL_START c-1', 'TOOL_CALL_ARGS c-1 {"text":"x"}', 'TOOL_CALL_END c-1', 'TOOL_CALL_RESULT c-1 wrote x'],
  ],
  [
    'a tool call whose arguments were cut, which are wrapped into JSON',
    [{ type: 'tool', ...ran, arguments: '{"text":"x…' }],
    ['TOOL_CALL_START c-1', 'TOOL_CALL_ARGS c-1 {"cut":"{\\"text\\":\\"x…"}', 'TOOL_CALL_END c-1'],
  ],
  [
    'a tool that fails',
    [
      { type: 'tool', ...ran, arguments: '{}' },
      { type: 'tool_ended', ...ran, status: 'error', result: 'no room' },
    ],
    ['TOOL_CALL_START c-1', 'TOOL_CALL_ARGS c-1 {}', 'TOOL_CALL_END c-1', 'TOOL_CALL_RESULT c-1 error: no room'],
  ],
  [
    'a tool call that was allowed, which is told of once',
    [
      { type: 'approval_requested', ...request },
      { ...resolved, how: 'allowed' },
      { type: 'tool', ...ran, arguments: '{"text":"x"}' },
      { type: 'tool_ended', ...ran, status: 'ok', result: 'wrote x' },
    ],
    [
      'TOOL_CALL_START c-1',
      'TOOL_CALL_ARGS c-1 {"text":"x"}',
      'TOOL_CALL_END c-1',
      'REASONING_MESSAGE_CHUNK 🔒 write (t1) allowed',
      'TOOL_CALL_RESULT c-1 wrote x',
    ],
  ],
  [
    'a tool call that was refused',
    [
      { type: 'approval_requested', ...request },
      { ...resolved, how: 'denied', reason: 'a person refused it' },
    ],
    [
      'TOOL_CALL_START c-1',
      'TOOL_CALL_ARGS c-1 {"text":"x"}',
      'TOOL_CALL_END c-1',
      'REASONING_MESSAGE_CHUNK 🔒 write (t1) denied: a person refused it',
      'TOOL_CALL_RESULT c-1 Not run: a person refused it',
    ],
  ],
  [
    'a tool call that did not end before its turn',
    [
      { type: 'tool', ...ran, arguments: '{}' },
      { type: 'final', outcome: 'cancelled', agent: '', answer: '' },
    ],
    [
      'TOOL_CALL_START c-1',
      'TOOL_CALL_ARGS c-1 {}',
      'TOOL_CALL_END c-1',
      'TOOL_CALL_RESULT c-1 The turn has ended without its result',
    ],
  ],
  [
    'what one agent says, whose last text is the answer',
    [
      { type: 'says', agent: 'a', text: 'I look.', last: false },
      { type: 'says', agent: 'a', text: 'Done.', last: true },
      { type: 'final', outcome: 'answered', agent: 'a', answer: 'Done.' },
    ],
    [
      'TEXT_MESSAGE_START',
      'TEXT_MESSAGE_CONTENT I look.',
      'TEXT_MESSAGE_END',
      'TEXT_MESSAGE_START',
      'TEXT_MESSAGE_CONTENT Done.',
      'TEXT_MESSAGE_END',
    ],
  ],
  [
    'what a team presents, which is said only when it is the answer',
    [
      { type: 'presented', agent: 'a', content: 'So.' },
      { type: 'final', outcome: 'submitted', agent: 'a', answer: 'So.' },
    ],
    ['TEXT_MESSAGE_START', 'TEXT_MESSAGE_CONTENT So.', 'TEXT_MESSAGE_END'],
  ],
])('of %s is told as it is', (_, bodies, expected) => {
  expect(short(toldOf(bodies).events)).toEqual(expected);
});

test.each<[string, RunEventBody[], string[]]>([
  ['a question', [{ type: 'question', kind: 'question', questionId: 'q1', ...pending }], ['q1']],
  [
    'a question that is answered',
    [
      { type: 'question', kind: 'question', questionId: 'q1', ...pending },
      { type: 'question_closed', questionId: 'q1', how: 'answered', answer: 'Yes' },
    ],
    [],
  ],
  ['a call', [{ type: 'approval_requested', ...request }], ['t1']],
  ['a key', [{ type: 'key_missing', kind: 'key', questionId: 'key-K', variable: 'K', ...pending }], ['key-K']],
  ['a plan’s review', [{ type: 'plan_review', ...review }], ['approval-1']],
  [
    'a plan that was accepted',
    [
      { type: 'plan_review', ...review },
      { type: 'decided', action: 'accept' },
    ],
    [],
  ],
  [
    'a question of a turn that has ended',
    [
      { type: 'question', kind: 'question', questionId: 'q1', ...pending },
      { type: 'final', outcome: 'cancelled', agent: '', answer: '' },
    ],
    [],
  ],
])('%s waits as long as it is open', (_, bodies, expected) => {
  expect(toldOf(bodies).told.waiting.map(({ questionId }) => questionId)).toEqual(expected);
});

/** Events in any order, also such as no run has. */
const anyEvents = fc.array(
  fc.constantFrom<RunEventBody>(
    { type: 'started', task: 'Go.', agents: ['a', 'b'] },
    { type: 'turn', turn: 1, text: 'Go.' },
    { type: 'attempt', maxAttempts: 3 },
    { type: 'voting', round: 1 },
    { type: 'presenting', agent: 'a' },
    { type: 'phase', phase: 'PLANNING' },
    { type: 'thinking', agent: 'a', purpose: 'vote', activityId: '1', model: 'm' },
    { type: 'answer', agent: 'a', name: 'agent1', number: 1, content: 'x' },
    { type: 'vote', agent: 'b', for: 'a', reason: 'best' },
    { type: 'restart', by: 'person', from: 1, to: 2, reason: 'r', instructions: 'i' },
    { type: 'approval_requested', ...request },
    { ...resolved, how: 'allowed' },
    { ...resolved, how: 'timeout' },
    { type: 'tool', ...ran, arguments: '{}' },
    { type: 'tool_ended', ...ran, status: 'ok', result: 'wrote' },
    { type: 'says', agent: 'a', text: 'So.', last: false },
    { type: 'warning', text: 'Careful.' },
    { type: 'subtasks', subtasks: [{ id: 'a/b~c', description: 'd', dependsOn: [] }] },
    { type: 'subtask_started', id: 'a/b~c', description: 'd', isRetry: false },
    { type: 'final', outcome: 'answered', agent: 'a', answer: 'So.' },
  ),
  { maxLength: 30 },
);

const started: Event = { type: EventType.RUN_STARTED, threadId: 't', runId: 'r' };
const finished: Event = { type: EventType.RUN_FINISHED, threadId: 't', runId: 'r', outcome: { type: 'success' } };

/** The state that the stock client has after a stream. @throws where it refuses one of the events, or their order */
async function acceptedBy(events: Event[]): Promise<unknown> {
  const body = events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('');
  const headers = { 'content-type': 'text/event-stream' };
  const agent = new HttpAgent({ url: 'http://unused', fetch: async () => new Response(body, { headers }) });
  await agent.runAgent();
  return agent.state;
}

test('a stream that begins and ends anywhere in a run is one that the stock client accepts', async () => {
  await fc.assert(
    fc.asyncProperty(anyEvents, fc.nat(30), async (bodies, begin) => {
      const { told } = toldOf(bodies.slice(0, begin));
      const rest = toldOf(bodies.slice(begin), told);
      const events = [started, ...opening(told), ...rest.events, ...closing(rest.told, null), finished];
      expect(await acceptedBy(events)).toEqual(rest.told.view);
    }),
  );
});

test('the patches of a view lead from one to the next', () => {
  fc.assert(
    fc.property(anyEvents, (bodies) => {
      let view = emptyView('run');
      for (const [index, body] of bodies.entries()) {
        const next = viewAfter(view, eventOf(body, index));
        expect(applied({ ...view }, patchOf({ ...view }, { ...next }))).toEqual(next);
        view = next;
      }
    }),
  );
});

/** Applies a patch of objects as RFC 6902 has it. */
function applied(document: object, patch: ReturnType<typeof patchOf>): unknown {
  const copy = JSON.parse(JSON.stringify(document)) as Record<string, unknown>;
  for (const operation of patch) {
    const keys = operation.path
      .split('/')
      .slice(1)
      .map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'));
    const key = keys.pop()!;
    const at = keys.reduce((part, each) => part[each] as Record<string, unknown>, copy);
    if (operation.op === 'add') at[key] = operation.value;
    else delete at[key];
  }
  return copy;
}
