import { readFileSync } from 'node:fs';
import { defaultPayloadConverter } from '@temporalio/common';
import { beforeAll, describe, expect, test } from 'vitest';
import { readHistory, type HistoryRecord, type RunHistory } from '../../src/client/show/history.ts';
import { recordOf, recordsIn } from '../../src/client/show/show.ts';
import type { RunStep, StepBody } from '../../src/client/show/step.ts';
import { modelCallsIn, stepsOf as stepsOfRecords } from '../../src/client/show/steps.ts';
import { Texts } from '../../src/client/show/texts.ts';
import { recordText } from '../../src/cli/show/record-text.ts';
import type { RunRecord } from '../../src/client.ts';
import { writeKit } from '../support/agent-script.ts';
import { folderOf } from '../support/extensions.ts';
import { sharedRunning } from '../support/running.ts';
import { shownCourses } from '../support/shown-courses.ts';

const example = readFileSync(new URL('../../examples/custom/draft-criticise-revise.ts', import.meta.url), 'utf8');
const extensions = folderOf({ 'draft-criticise-revise.ts': example });
writeKit(extensions);

type History = Parameters<typeof readHistory>[0];

const running = sharedRunning(undefined, extensions);
const names = shownCourses.map(({ name }) => name);
const fetched = new Map<string, History>();

beforeAll(async () => {
  for (const { input, name, script, steer, type = 'orchestration' } of shownCourses) {
    const run = running(script);
    const start = {
      orchestration: run.start,
      session: run.startSession,
      research: run.startResearch,
      planAndExecute: run.startSolve,
    };
    const handle = await start[type](input as never);
    await steer?.(handle);
    // One of them fails.
    await handle.result().catch(() => {});
    fetched.set(name, await handle.fetchHistory());
  }
});

const fetchedOf = (name: string): History => fetched.get(name) ?? expect.fail(`${name} has not run`);

const historyOf = (name: string): RunHistory => readHistory(fetchedOf(name), defaultPayloadConverter);

function shown(name: string, blobs: Record<string, string> = {}, prompts = false): RunRecord {
  const history = historyOf(name);
  const texts = new Texts(recordsIn([history]), (id) => blobs[id]);
  const rest = { id: name, status: 'completed' as const, state: null, waiting: [], notes: [] };
  const none = { calls: 0, inputTokens: 0, cachedInputTokens: 0, outputTokens: 0, costUsd: 0, byAgent: {} };
  const record = recordOf([history], texts, prompts);
  return { ...rest, ...record, usage: record.result?.usage ?? none };
}

const stepsOf = (name: string): RunStep[] => shown(name).steps;
const bodiesOf = (name: string): StepBody[] =>
  stepsOf(name).map(({ at: _at, turn: _turn, part: _part, ...body }) => body);
const printed = (name: string): string => recordText(shown(name), { columns: Infinity, plain: true, colors: false });

/** All texts in the arguments of a call. */
function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : [];
}

describe('a run of any kind', () => {
  test.each(names)('%s is shown with every text that a model has given, without a worker and a store', (name) => {
    const history = historyOf(name);
    const record = JSON.stringify(shown(name).steps);
    const text = printed(name);
    const replies = modelCallsIn(history.records).flatMap(({ result }) => result?.reply ?? []);
    expect(replies.length > 0 || name === 'no-answer').toBe(true);
    for (const { calls, content } of replies) {
      const given = calls.flatMap((call) => ('input' in call ? textsIn(call.input) : [call.error]));
      for (const each of [content.trim(), ...given]) {
        // A vote names an agent by its anonymous name, and is shown with the agent's own. The other is one of two words.
        if (/^agent\d$|^earlier$/.test(each)) continue;
        expect(record).toContain(JSON.stringify(each).slice(1, -1));
      }
      // The report is shown as it is delivered, in which sources have other numbers.
      const printedTexts = calls.some((call) => call.name === 'submit_report') ? [] : [content.trim()];
      for (const each of printedTexts) expect(text).toContain(each.split('\n')[0]);
    }
  });

  test.each(names)('%s is shown in lines that fit into 80 columns', (name) => {
    const text = recordText(shown(name), { columns: 80, plain: true, colors: false });
    const isLong = (line: string): boolean => line.length > 80 && line.trim().includes(' ');
    expect(text.split('\n').filter(isLong)).toEqual([]);
  });
});

describe('a team', () => {
  test('answers, votes by the ids of agents, judgements with their reasons, and what is presented', () => {
    const steps = stepsOf('restart-before-presenting');
    expect(steps.map(({ part, type }) => `${part}: ${type}`)).toEqual([
      ...['answer', 'answer', 'answer', 'vote', 'vote', 'vote', 'decision'].map((type) => `attempt 1: ${type}`),
      ...['answer', 'answer', 'answer', 'vote', 'vote', 'vote', 'decision', 'presented'].map(
        (type) => `attempt 2: ${type}`,
      ),
    ]);
    expect(bodiesOf('restart-before-presenting')).toEqual(
      expect.arrayContaining([
        { type: 'answer', agent: 'agent_c', text: 'Answer of agent_c in attempt 2.' },
        { type: 'vote', agent: 'agent_b', for: 'agent_a', reason: 'the best' },
        {
          type: 'decision',
          agent: 'agent_a',
          decision: 'restart',
          afterPresenting: false,
          reason: 'Again.',
          instructions: 'Better.',
        },
        { type: 'presented', agent: 'agent_a', text: 'The final answer, by agent_a.' },
      ]),
    );
  });

  test('a judgement of what was presented is told apart', () => {
    expect(bodiesOf('restart-after-presenting')).toContainEqual(
      expect.objectContaining({ type: 'decision', decision: 'restart', afterPresenting: true }),
    );
  });

  test('a judge may find an earlier answer better', () => {
    expect(bodiesOf('earlier-answer-presented')).toContainEqual(
      expect.objectContaining({ type: 'decision', decision: 'submit', prefersEarlier: true }),
    );
  });

  test('questions to other agents have each response, with who asked', () => {
    expect(bodiesOf('asking-agents')).toEqual(
      expect.arrayContaining([
        { type: 'asked', agent: 'agent_a', question: 'Which one?', status: 'complete' },
        { type: 'responded', agent: 'agent_b', to: 'agent_a', text: 'Response of agent_b.' },
        { type: 'responded', agent: 'agent_a', to: 'agent_b', text: 'Response of agent_a.' },
      ]),
    );
  });

  test("questions to a person say how they ended, and a person's answers are steps of their own", () => {
    expect(bodiesOf('asking-a-person')).toEqual(
      expect.arrayContaining([
        { type: 'asked', agent: 'agent_a', question: 'Red?', status: 'skipped' },
        { type: 'asked', agent: 'agent_a', question: 'Blue?', status: 'complete' },
        { type: 'signal', name: 'answer', input: { questionId: 'q2', answer: 'Blue.' } },
      ]),
    );
  });

  test("a person's request for a restart stands in the attempt that it ended", () => {
    const asked = stepsOf('restart-by-a-person').find(({ type }) => type === 'signal');
    expect(asked).toMatchObject({ part: 'attempt 1', input: { reason: 'Wrong way.', instructions: 'Go left.' } });
  });

  test('calls of tools have their arguments and results', () => {
    expect(bodiesOf('planning-then-acting')).toContainEqual({
      type: 'tool',
      agent: 'agent_a',
      tool: 'write',
      arguments: { text: 'it' },
      status: 'ok',
      result: 'wrote it',
    });
  });

  test('a model call that has failed for good says why', () => {
    expect(bodiesOf('prose')).toContainEqual({
      type: 'failed',
      agent: 'agent_c',
      purpose: 'answer',
      reason: expect.stringMatching(/^openai gpt-6\.2-sol at http:\S+: 400 scripted 400$/),
    });
  });

  test('a run that failed has its reason, and what it has done until then', () => {
    const record = shown('no-answer');
    expect(record).toMatchObject({ outcome: null, result: null });
    expect(record.failure).toContain('No agent has answered.');
    expect(printed('no-answer')).toContain('Failed: No agent has answered.');
  });
});

describe('a session', () => {
  test('its turns, with what was said and done in each', () => {
    expect(printed('session-simple-tool')).toContain(
      ['Turn 2 ', '', 'The person', '  And again?', '', 'agent says', '  Still blue.']
        .join('\n')
        .slice('Turn 2 '.length),
    );
    expect(bodiesOf('session-simple-tool')).toContainEqual({
      type: 'tool',
      agent: 'agent',
      tool: 'fail',
      arguments: { text: 'no' },
      status: 'error',
      result: 'Error: no',
    });
  });

  test('the attempts of a team are those of their turn', () => {
    const places = new Set(stepsOf('session').map(({ part, turn }) => `${turn} ${part}`));
    expect([...places]).toEqual(['1 ', '1 attempt 1', '2 ', '2 attempt 1']);
  });

  test('what a custom orchestrator says is shown, though no model has said it', () => {
    expect(bodiesOf('custom-orchestrator')).toContainEqual({
      type: 'turn_ended',
      messages: ['Draft:\nA text.', 'Criticism:\nToo short.'],
    });
  });
});

test('research has plans, hits with their addresses, criticisms with scores, iterations and the report with its sources', () => {
  const text = printed('research');
  for (const part of [
    '  Idea: idea 1\n  Approach: Examine: idea 1.\n  Searches: idea 1',
    '  It deserves 20.\n  Scores: feasibility 20, novelty 20, data 20, risk 20, testability 20',
    '  1. idea 1: 20/100 (Major flaws); planned again: Its viability score is 20/100, below 51',
    '  # On idea 2',
    '  ## Sources\n\n  1. ',
  ])
    expect(text).toContain(part);
});

test('a plan has its subtasks with dependencies, executions, results and errors, and each validation', () => {
  const text = printed('solve-retry');
  for (const part of [
    'step_3: Do step_3 (after step_2)',
    'step_2 has failed\n  No.',
    'step_2 is completed\n  Result of step_2.',
    'validator: not complete\n  Missing: Some of it\n  Quality: low',
    '  step_2: Do step_2 (completed, 2 executions)\n  step_3: Do step_3 (completed, 1 execution, after step_2)',
    '  The answer.',
  ])
    expect(text).toContain(part);
});

test('a session that goes on as a new run counts its turns on', () => {
  const { records } = readHistory(fetchedOf('session-simple-tool'), defaultPayloadConverter, 5);
  expect([...new Set(records.map(({ turn }) => turn))]).toEqual([6, 7, 8]);
  expect(records.flatMap((each) => (each.kind === 'turn' ? [each.turn] : []))).toEqual([6, 7]);
});

test("a team's answers by custom orchestrators are no replies: they are read where others are shown them", () => {
  const shownAnswers = (text: string) =>
    `## Answers\n\n<answer agent="agent1">\nA reply.\n</answer>\n\n<answer agent="agent2">\n${text}\n</answer>\n\nVote.`;
  const callWith = (content: string): HistoryRecord => ({
    at: '',
    turn: 0,
    kind: 'activity',
    type: 'callModel',
    summary: 'agent_a · vote · attempt 1 · model',
    since: '',
    input: { backend: { type: 'openai' }, transcript: null, append: [{ role: 'user', content }], tools: null },
    failure: 'cancelled',
  });
  const records = ['One.', 'One.', 'Two.'].map((text) => callWith(shownAnswers(text)));
  const steps = stepsOfRecords(records, new Texts(records, () => undefined), ['agent_a', 'agent_b'], ['agent_b']);
  expect(steps).toMatchObject([
    { type: 'answer', agent: 'agent_b', text: 'One.', part: 'attempt 1' },
    { type: 'answer', agent: 'agent_b', text: 'Two.' },
  ]);
});

test('with prompts, each call has what its model was sent, and the store gives the texts that are only named', () => {
  const bare = shown('session-simple-tool', {}, true);
  expect(bare.calls?.[0]?.tools).toBeNull();
  const [tools = ''] = modelCallsIn(historyOf('session-simple-tool').records).flatMap(({ input }) =>
    input.tools !== null && typeof input.tools === 'object' ? [input.tools.blob] : [],
  );
  const { calls = [] } = shown(
    'session-simple-tool',
    { [tools]: JSON.stringify([{ name: 'echo', description: 'Echo.', parameters: {} }]) },
    true,
  );
  expect(calls).toMatchObject([
    {
      agent: 'agent',
      purpose: 'reply',
      part: 'turn 1',
      earlier: 0,
      sent: [{ role: 'user', text: 'Which color?' }],
      tools: [{ name: 'echo', description: 'Echo.' }],
    },
    {
      earlier: 2,
      sent: [
        { role: 'tool', text: 'blue' },
        { role: 'tool', text: 'Error: no' },
      ],
      reply: { content: 'Blue.' },
    },
    { part: 'turn 2', sent: [{ role: 'user', text: 'And again?' }] },
  ]);
});

test('what a model writes cannot steer the terminal', () => {
  const record = shown('submitted');
  const steps: RunStep[] = [
    { at: '', turn: 0, part: '', type: 'answer', agent: 'a\x1B[31m', text: 'x\x1B]52;c;cHduZWQ=\x07y\x9B2J' },
  ];
  const text = recordText({ ...record, question: '\x1B[2Jq', steps }, { columns: 80, plain: false, colors: false });
  // oxlint-disable-next-line no-control-regex
  expect(text).not.toMatch(/[\x00-\x08\x0B-\x1F\x7F-\x9F]/);
});
