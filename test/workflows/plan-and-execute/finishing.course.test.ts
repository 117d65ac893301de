import { describe, expect, test } from 'vitest';
import { call, writeKit } from '../../support/agent-script.ts';
import type { Seen } from '../../support/model-server.ts';
import { sharedRunning } from '../../support/running.ts';
import { completed, failed, invalid, solveScript, subtasks, valid } from '../../support/solve-script.ts';

const running = sharedRunning();

const input = (executor: object = {}, more: object = {}) => ({
  problem: 'Find the paper.',
  config: { plan: { backend: { type: 'openai' }, executor, ...more } },
});

const once = { max_retries: 0 };

/** Requests of subtasks' agents. */
const isWork = ({ prompt }: Seen): boolean => prompt.includes('Carry out ');

const nudge = 'Call `finish_subtask` now';
const lastThought = 'only `finish_subtask` can be called now';

describe('a subtask succeeds by finish_subtask alone', () => {
  test('a text is asked once for the call, which may follow then', async () => {
    const run = running(
      solveScript({
        work: ({ prompt }) => (prompt.includes(nudge) ? completed('Found.') : { text: 'I have found it.' }),
      }),
    );
    const { outcome, subtasks: all } = await run.solve(input());
    expect(all).toMatchObject([{ status: 'completed', result: 'Found.' }]);
    expect(outcome).toBe('complete');
    expect(run.model.requests.filter(isWork)).toHaveLength(2);
  });

  test('a model that says texts where it may call is held to the call by a schema', async () => {
    const ended = { name: 'finish_subtask', arguments: { status: 'completed', result: 'Found.' } };
    const run = running(
      solveScript({ work: ({ body }) => ({ text: 'response_format' in body ? JSON.stringify(ended) : 'I will.' }) }),
    );
    const backend = { type: 'chatcompletion', model: 'small', base_url: run.model.openai };
    const { subtasks: all } = await run.solve(input({}, { backend }));
    expect(all).toMatchObject([{ status: 'completed', result: 'Found.' }]);
    const [, held] = run.model.requests.filter(isWork);
    expect(JSON.stringify(held?.body['response_format'])).toContain('["finish_subtask"]');
  });

  test('a text that stays one fails, and is kept in the error', async () => {
    const run = running(solveScript({ work: () => ({ text: 'Just so.' }), validate: () => invalid('All') }));
    const { outcome, subtasks: all } = await run.solve(input({}, once));
    expect(all).toMatchObject([
      { status: 'failed', error: 'its agent gave a text and not finish_subtask: Just so.', executions: 1 },
    ]);
    expect(outcome).toBe('partial');
    expect(run.model.requests.filter(isWork)).toHaveLength(2);
  });

  test('a call that is written as text is one', async () => {
    const text = 'Done: {"name": "finish_subtask", "arguments": {"status": "completed", "result": "Found."}}';
    const run = running(solveScript({ work: () => ({ text }) }));
    expect((await run.solve(input())).subtasks).toMatchObject([{ status: 'completed', result: 'Found.' }]);
    expect(run.model.requests.filter(isWork)).toHaveLength(1);
  });

  test('a call without a result is told so, and may be mended', async () => {
    const run = running(solveScript({ work: ({ time }) => (time === 1 ? completed(' ') : completed('Found.')) }));
    expect((await run.solve(input())).subtasks).toMatchObject([{ status: 'completed', result: 'Found.' }]);
  });

  test.each([
    ['simple_tool', { max_thoughts: 2 }],
    ['react', { max_iterations: 1 }],
  ])('the last reply of the loop %s can still end it', async (orchestrator, limit) => {
    const run = running(
      solveScript({ work: ({ prompt }) => (prompt.includes(lastThought) ? completed('At last.') : call('list', {})) }),
    );
    const { subtasks: all } = await run.solve(input({ orchestrator, ...limit }));
    expect(all).toMatchObject([{ status: 'completed', result: 'At last.' }]);
    const last = run.model.requests.findLast(isWork);
    expect(last?.tools).toContain('finish_subtask');
  });

  test('a last reply without the call fails, and is kept in the error', async () => {
    const run = running(
      solveScript({ work: ({ prompt }) => (prompt.includes(lastThought) ? { text: 'So far.' } : call('list', {})) }),
    );
    const { subtasks: all } = await run.solve(input({ max_thoughts: 3 }, once));
    expect(all).toMatchObject([
      { status: 'failed', error: 'its agent reached its limit without a result; it said last: So far.' },
    ]);
    expect(run.model.requests.filter(isWork)).toHaveLength(3);
  });

  test('an action of the loop react is asked for a call, and not for a marked text', async () => {
    const run = running(
      solveScript({
        work: ({ prompt }) => (/ACTION:.*$/.test(prompt.trim()) ? completed('Found.') : { text: 'I think.' }),
      }),
    );
    expect((await run.solve(input({ orchestrator: 'react' }))).subtasks).toMatchObject([{ result: 'Found.' }]);
    for (const { prompt } of run.model.requests.filter(isWork)) expect(prompt).not.toContain('FINAL_ANSWER');
  });
});

test('a plan that a schema has not brought to an end is not asked for again: the problem is the only subtask', async () => {
  const script = solveScript({ plan: () => ({ text: 'I plan.' }) });
  const isHeld = ({ body }: Seen): boolean => JSON.stringify(body['response_format'] ?? '').includes('["submit_plan"]');
  const run = running((seen) =>
    isHeld(seen) ? { text: '{"name": "submit_plan", "arguments": {"subtasks": [', finish: 'length' } : script(seen),
  );
  const { subtasks: all, warnings } = await run.solve(
    input({}, { backend: { type: 'chatcompletion', model: 'small', base_url: run.model.openai } }),
  );
  expect(all).toMatchObject([{ description: 'Solve the problem: Find the paper.', status: 'completed' }]);
  expect(warnings).toEqual([expect.stringMatching(/^The plan cannot be used/)]);
  expect(run.model.requests.filter(isHeld)).toHaveLength(1);
});

test.each(['simple_tool', 'react'])('the offline model ends its subtasks by the call: %s', async (orchestrator) => {
  const run = running(solveScript());
  const peaks = JSON.stringify([
    { name: 'K2', range: 'Karakoram' },
    { name: 'Eiger', range: 'Alps' },
  ]);
  const result = await run.solve({
    problem: 'Which peaks are in the range Karakoram?',
    attachments: [{ name: 'peaks.json', data: Buffer.from(peaks).toString('base64') }],
    config: { plan: { backend: { type: 'offline' }, executor: { orchestrator } } },
  });
  expect(result).toMatchObject({ outcome: 'complete', warnings: [], subtasks: [{ status: 'completed' }] });
  expect(result.answer).toContain('K2');
});

test('a retry knows what was read before, and what was said', async () => {
  const run = running(
    solveScript({
      plan: () => subtasks('step_1', 'step_2'),
      work: ({ id, time }) => {
        if (id === 'step_2' || time === 4) return completed('Yes.');
        return time === 1 ? call('echo', { text: `It was blue. ${'x'.repeat(5000)}` }) : { text: 'Hm, so far.' };
      },
      validate: ({ time }) => (time === 1 ? invalid('Some of it') : valid),
    }),
  );
  writeKit(run.home);
  const { subtasks: all } = await run.solve(input({ tool_packages: ['kit'] }));
  expect(all).toMatchObject([{ status: 'completed', executions: 2 }, { executions: 1 }]);
  const again = run.model.requests.findLast(isWork);
  expect(again?.prompt).toContain('It failed before: its agent gave a text and not finish_subtask: Hm, so far.');
  expect(again?.prompt).toMatch(
    /need not be called again:\n- echo {"text":"It was blue\. x+[^]*\n {2}It was blue\. x+/,
  );
  expect(again?.prompt).toContain('characters were left out here]');
  expect(again?.prompt.length).toBeLessThan(6000);
});

test('a subtask that fails says why, and its reason is given to the next try', async () => {
  const run = running(
    solveScript({
      work: ({ time }) => (time === 1 ? failed('No such page.') : completed('Yes.')),
      validate: ({ time }) => (time === 1 ? invalid('All') : valid),
    }),
  );
  expect(await run.solve(input())).toMatchObject({ outcome: 'complete', executions: 2, warnings: [] });
});

test('the planner knows the tools and limits of those who carry out its plan', async () => {
  const run = running(solveScript());
  writeKit(run.home);
  await run.solve(input({ tool_packages: ['kit', 'builtin.calculator'], max_thoughts: 4 }));
  const [opening] = run.model.requests;
  expect(opening?.prompt).toContain('- echo: Echo.\n');
  expect(opening?.prompt).toContain('- calculate: ');
  expect(opening?.prompt).toContain('It cannot search the web. It has at most 4 model calls');
  await run.solve(input({ orchestrator: 'react', tool_packages: ['builtin.web'] }));
  const other = run.model.requests.findLast(({ tools }) => tools.includes('submit_analysis'));
  expect(other?.prompt).not.toContain('cannot search the web');
  expect(other?.prompt).toContain('at most 60 cycles of thought and action');
});

test('every role knows what day it is', async () => {
  const run = running(solveScript());
  const { outcome } = await run.solve(input());
  expect(outcome).toBe('complete');
  for (const { prompt } of run.model.requests) expect(prompt).toMatch(/Today is \d{4}-\d\d-\d\d\./);
});
