import { describe, expect, test } from 'vitest';
import type { Scripted } from '../../support/model-server.ts';
import { call, writeKit } from '../../support/agent-script.ts';
import { sharedRunning } from '../../support/running.ts';
import { completed, failed, invalid, solveScript, subtasks, valid } from '../../support/solve-script.ts';

const running = sharedRunning();

const input = (more: object = {}) => ({
  problem: 'Find the paper.',
  config: { plan: { backend: { type: 'openai' }, ...more } },
});

const judgement = (isComplete: boolean, missing: string[]): Scripted => ({
  calls: [
    {
      name: 'submit_validation',
      arguments: { is_complete: isComplete, missing_requirements: missing, quality: 'high', warnings: [] },
    },
  ],
});

describe('complete is only what nothing speaks against', () => {
  test('a validator that names what is missing is believed, whatever else it says', async () => {
    const run = running(
      solveScript({ plan: ({ time }) => subtasks(`step_${time}`), validate: () => judgement(true, ['The year']) }),
    );
    const { outcome, retries, validation } = await run.solve(input());
    expect({ outcome, retries }).toEqual({ outcome: 'partial', retries: 2 });
    expect(validation).toMatchObject({ isComplete: false, missingRequirements: ['The year'] });
    expect(run.model.requests.filter(({ prompt }) => prompt.includes('- The year'))).not.toEqual([]);
  });

  test('a validator that cannot be understood leads to another round where something has failed', async () => {
    const run = running(
      solveScript({
        work: ({ time }) => (time === 1 ? failed('No.') : completed('Yes.')),
        validate: ({ prompt }) => (prompt.includes('## Failed subtasks') ? { text: 'Hm.' } : valid),
      }),
    );
    expect(await run.solve(input())).toMatchObject({ outcome: 'complete', retries: 1 });
  });

  test('and ends as partial where something stays failed', async () => {
    const run = running(solveScript({ work: () => failed('No.'), validate: () => ({ text: 'Hm.' }) }));
    expect(await run.solve(input({ max_retries: 1 }))).toMatchObject({ outcome: 'partial', validation: null });
  });

  test('an answer that nobody could put together is partial, and lists what there is', async () => {
    const run = running(solveScript({ synthesise: () => ({ status: 400 }) }));
    expect(await run.solve(input())).toMatchObject({
      outcome: 'partial',
      answer: expect.stringMatching(/^No answer was put together: .*400.*\nstep_1 \(Do step_1\): Result of step_1\.$/s),
      warnings: [expect.stringMatching(/^No answer was put together: .*400/)],
    });
  });
});

test('an answer of an earlier round is delivered where the last one could not be put together', async () => {
  const run = running(
    solveScript({
      plan: ({ time }) => subtasks(`step_${time}`),
      validate: () => invalid('The year'),
      synthesise: ({ time }) => (time === 1 ? { text: 'A whole answer.' } : { status: 400 }),
    }),
  );
  expect(await run.solve(input({ max_retries: 1 }))).toMatchObject({
    outcome: 'partial',
    answer: 'A whole answer.',
    validation: { missingRequirements: ['The year'] },
    warnings: expect.arrayContaining([
      'The answer of an earlier round is delivered, since the last one is not whole',
    ]) as string[],
  });
});

describe('an answer that is cut off at its length', () => {
  test('goes on', async () => {
    const run = running(
      solveScript({
        synthesise: ({ time }) =>
          time === 1 ? { text: 'The first half,', finish: 'length' } : { text: ' the second.' },
      }),
    );
    expect(await run.solve(input())).toMatchObject({
      answer: 'The first half, the second.',
      outcome: 'complete',
      warnings: [],
    });
    const validation = run.model.requests.findLast(({ tools }) => tools.includes('submit_validation'));
    expect(validation?.prompt).toContain('## Answer\n\nThe first half, the second.');
  });

  test('and never ends is named in the result', async () => {
    const run = running(solveScript({ synthesise: () => ({ text: 'On and on', finish: 'length' }) }));
    expect(await run.solve(input())).toMatchObject({
      outcome: 'partial',
      warnings: ['The answer ends in the middle, at the limit of the model'],
    });
  });

  test('is kept where the model fails on the rest', async () => {
    const run = running(
      solveScript({
        synthesise: ({ time }) => (time === 1 ? { text: 'The first half,', finish: 'length' } : { status: 400 }),
      }),
    );
    expect(await run.solve(input())).toMatchObject({
      answer: 'The first half,',
      outcome: 'partial',
      warnings: [expect.stringMatching(/^The answer ends in the middle.*400/)],
    });
  });
});

test('the validator sees how the work went, with tools and results', async () => {
  const run = running(
    solveScript({
      plan: () => subtasks('step_1', 'step_2'),
      work: ({ id, time }) =>
        id === 'step_1' && time <= 2 ? call('echo', { text: 'x' }) : completed(`Result of ${id}.`),
    }),
  );
  writeKit(run.home);
  await run.solve(input({ executor: { tool_packages: ['kit'] } }));
  const { prompt = '' } = run.model.requests.findLast(({ tools }) => tools.includes('submit_validation')) ?? {};
  expect(prompt).toContain('## Work\n\n- step_1: completed; tools: echo ×2\n- step_2: completed; tools: none');
  expect(prompt).toContain('### step_1: Do step_1\n\n<result>\nResult of step_1.');
  for (const band of ['`high`', '`medium`', '`low`']) expect(prompt).toContain(band);
});

test('the validator may have a model of its own', async () => {
  const run = running(solveScript());
  await run.solve(input({ validator: { backend: { type: 'claude', model: 'a-judge' } } }));
  const validating = run.model.requests.filter(({ tools }) => tools.includes('submit_validation'));
  expect(validating.map(({ body, wire }) => [wire, body.model])).toEqual([['anthropic', 'a-judge']]);
});

test('who plans for what is missing gets what was found, and is told to keep to the problem', async () => {
  const run = running(
    solveScript({
      plan: ({ time }) => subtasks(`step_${time}`),
      validate: ({ time }) => (time === 1 ? invalid('The year') : valid),
    }),
  );
  await run.solve(input());
  const { prompt = '' } = run.model.requests.findLast(({ tools }) => tools.includes('submit_plan')) ?? {};
  const told = prompt.slice(prompt.indexOf('## Missing requirements'));
  expect(told).toContain('### step_1: Do step_1\n\n<result>\nResult of step_1.');
  expect(told).toContain('Keep to the problem as it was put');
});
