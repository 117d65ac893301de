import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { AnswerText } from '../../../src/cli/live/answer-text.ts';
import type { RunEvent, RunSnapshot } from '../../../src/client.ts';
import { SharedTexts, TextReader } from '../../../src/client/shared-run.ts';
import type { ResearchState } from '../../../src/protocol/research.ts';
import type { TeamState } from '../../../src/protocol/state.ts';

const team: TeamState = {
  workflow: 'orchestration',
  phase: 'presenting',
  attempt: 1,
  maxAttempts: 3,
  agents: ['agent_a', 'agent_b'].map((id) => ({ id, state: 'voted', answers: 1, timedOut: false, vote: 'agent_a' })),
  selectedAgent: 'agent_a',
  restarts: [],
  usage: null,
};
const one: TeamState = {
  ...team,
  workflow: 'session',
  phase: 'answering',
  attempt: 0,
  agents: [{ id: 'agent', state: 'answering', answers: 1, timedOut: false, vote: null }],
};
const research = { workflow: 'research', phase: 'synthesising' } as ResearchState;

const at = '2026-01-18T17:09:44.000Z';
const body = { seq: 1, at, attempt: 1 };
const thinking = (purpose: string, activityId = 'model-1'): RunEvent => ({
  ...body,
  type: 'thinking',
  agent: 'agent_a',
  purpose,
  activityId,
  model: 'some-model',
});

/** A snapshot in which a call has written so much, of which the heartbeat carries the end. */
function writing(text: string, { activityId = 'model-1', attempt = 1, carried = 4000 } = {}): RunSnapshot['calls'] {
  const progress = { partial: text.slice(-carried), characters: text.length, attempt };
  return [{ activityId, activity: 'callModel', attempt, progress }];
}

/** What is known of the answer after these snapshots. */
async function after(...looks: Array<Partial<RunSnapshot>>) {
  const answer = new AnswerText();
  const shared = new SharedTexts({ read: async () => [] });
  const reader = new TextReader(shared);
  for (const { calls = [], events = [], state = team } of looks) {
    await shared.see({ calls, events, runId: 'r' });
    answer.see({ events, texts: [...reader.all()], state, calls });
  }
  return answer.answer;
}

describe('the text of the call that presents', () => {
  test('grows, and stays until something else is done', async () => {
    const begun = { events: [thinking('present')], calls: writing('It is') };
    expect(await after(begun)).toEqual({ agent: 'agent_a', text: 'It is', isGrowing: true });
    expect((await after(begun, { calls: writing('It is so.') }))?.text).toBe('It is so.');
    expect(await after(begun, {})).toEqual({ agent: 'agent_a', text: 'It is', isGrowing: false });
  });

  test.for<[string, RunEvent]>([
    ['a restart', { ...body, type: 'restart', by: 'person', from: 1, to: 2, reason: 'No', instructions: 'Again' }],
    ['a tool', { ...body, type: 'tool', agent: 'agent_a', tool: 'run_python', id: 'c1', arguments: '{}' }],
    ['the next turn', { ...body, type: 'turn', turn: 2, text: 'And?' }],
  ])('is no answer any more after %s, even while its call is under way still', async ([, event]) => {
    const begun = { events: [thinking('present')], calls: writing('It is') };
    expect(await after(begun, { events: [event], calls: writing('It is so') })).toBeUndefined();
  });

  test('begins anew when the call is tried again', async () => {
    const begun = { events: [thinking('present')], calls: writing('It was a') };
    expect((await after(begun, { calls: writing('It is another', { attempt: 2 }) }))?.text).toBe('It is another');
  });

  test('goes on beyond what one heartbeat carries', async () => {
    const text = Array.from({ length: 3000 }, (_, index) => `word${index}`).join(' ');
    const looks = Array.from({ length: 8 }, (_, index) => ({ calls: writing(text.slice(0, (index + 1) * 3000)) }));
    expect((await after({ events: [thinking('present')] }, ...looks))?.text).toBe(text.slice(0, 24_000).trim());
  });

  test('what was missed is marked', async () => {
    const begun = { events: [thinking('present')], calls: writing('abc') };
    expect((await after(begun, { calls: writing('abcdefghij', { carried: 3 }) }))?.text).toBe('abc…hij');
  });

  test('cannot steer the terminal, also where a sequence comes in two pieces', async () => {
    const begun = { events: [thinking('present')], calls: writing('a\x1B]52;c;cm0') };
    expect((await after(begun, { calls: writing('a\x1B]52;c;cm0g\x07b') }))?.text).toBe('ab');
  });
});

describe('of which call the text is the answer', () => {
  test.for<[purpose: string, state: TeamState, isAnswer: boolean]>([
    ['answer', team, false],
    ['decide', team, false],
    ['reply', team, false],
    ['present', team, true],
    ['reply', one, true],
    ['act', one, true],
    ['think', one, false],
    ['present', { ...team, workflow: 'session' }, true],
    ['reply', { ...team, workflow: 'session' }, false],
  ])('%s', async ([purpose, state, isAnswer]) => {
    expect((await after({ state, events: [thinking(purpose)], calls: writing('Text') })) !== undefined).toBe(isAnswer);
  });

  test.for([
    ['{"city":"Lis', undefined],
    ['I look it up.{"city":"Lis', 'I look it up.'],
    ['Such as {"city": "Lisbon"}', 'Such as {"city": "Lisbon"}'],
    ['FINAL_ANSWER: It is Lisbon', 'It is Lisbon'],
  ] as const)('the arguments of a tool are none of it: %s', async ([text, shown]) => {
    expect((await after({ state: one, events: [thinking('act')], calls: writing(text) }))?.text).toBe(shown);
  });
});

describe('a report, which comes as the arguments of a call', () => {
  const report = { title: 'On "x"', summary: 'Short.\nOr not.', sections: [{ heading: 'One', text: 'Text é 👩‍👩‍👧' }] };
  const shownOf = async (text: string) =>
    (await after({ state: research, events: [thinking('synthesise')], calls: writing(text) }))?.text;

  test('shows its texts', async () => {
    expect(await shownOf(JSON.stringify(report))).toBe('# On "x"\n\nShort.\nOr not.\n\n## One\n\nText é 👩‍👩‍👧');
  });

  test('shows the beginning of what it will show at the end, wherever it is cut', async () => {
    const json = JSON.stringify(report).replace('é', '\\u00e9');
    const whole = (await shownOf(json)) ?? '';
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: json.length }), async (length) => {
        const shown = (await shownOf(json.slice(0, length))) ?? '';
        expect(whole.startsWith(shown)).toBe(true);
      }),
    );
  });

  test('of which the beginning is missing is shown from there', async () => {
    const text = `${'x'.repeat(50)} and so on","sections":[{"heading":"One","text":"Here`;
    const calls = writing(text, { carried: text.length - 50 });
    expect((await after({ state: research, events: [thinking('synthesise')], calls }))?.text).toBe(
      'and so on\n\n## One\n\nHere',
    );
  });

  test('in plain text is shown as it is', async () => {
    expect(await shownOf('# A report\n\nText')).toBe('# A report\n\nText');
  });
});
