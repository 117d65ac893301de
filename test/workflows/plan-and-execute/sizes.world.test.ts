import { expect, test } from 'vitest';
import type { RunEvent } from '../../../src/protocol/events.ts';
import type { SolveResult, SolveState } from '../../../src/protocol/plan-and-execute.ts';
import { openStore } from '../../../src/store/open-store.ts';
import { sharedRunning } from '../../support/running.ts';
import { completed, solveScript, subtasks } from '../../support/solve-script.ts';

const running = sharedRunning();

const bytesOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value));
const steps = Array.from({ length: 50 }, (_, index) => `step_${index + 1}`);
const plan = { backend: { type: 'openai' } };

test('fifty results of 45 KB arrive, where each character has three bytes', { timeout: 600_000 }, async () => {
  const text = '四万五千字节的结果。'.repeat(1500);
  expect(Buffer.byteLength(text)).toBeGreaterThanOrEqual(45_000);
  const run = running(solveScript({ plan: () => subtasks(...steps), work: ({ id }) => completed(`${id}: ${text}`) }));
  const handle = await run.startSolve({
    problem: 'Describe it.',
    config: { plan: { ...plan, max_parallel_subtasks: 10 } },
  });
  const result = (await handle.result()) as SolveResult;
  expect(result).toMatchObject({ outcome: 'complete', executions: 50 });
  expect(bytesOf(result)).toBeLessThan(1_000_000);
  for (const { id, result: shown, status } of result.subtasks) {
    expect(status).toBe('completed');
    expect(shown).toMatch(new RegExp(`^${id}: .*\\[… [\\d,]+ of [\\d,]+ characters were left out here\\]$`, 's'));
  }
  expect(bytesOf(await handle.query<SolveState>('state'))).toBeLessThan(1_000_000);
  const events = await handle.query<RunEvent[]>('events');
  expect(bytesOf(events)).toBeLessThan(1_000_000);
  expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1));
  const prompts = run.model.requests.slice(-2).map(({ prompt }) => prompt);
  for (const prompt of prompts) {
    expect(Buffer.byteLength(prompt)).toBeLessThan(250_000);
    for (const id of steps) expect(prompt).toContain(`### ${id}: Do ${id}\n\n<result>\n${id}: `);
  }
  // The whole of each is where its reference says.
  const store = openStore(run.home, {});
  const { resultRef } = result.subtasks[0] ?? {};
  expect(resultRef).toMatchObject({ segment: expect.any(String) as string, call: { argument: 'result' } });
  const { segment, call } = resultRef as { segment: string; call: { id: string } };
  const reply = (await store.segment(segment)).at(-1);
  const calls = reply?.role === 'assistant' ? (reply.toolCalls ?? []) : [];
  const input = JSON.parse(calls.find(({ id }) => id === call.id)?.arguments ?? '{}') as { result?: string };
  expect(input.result).toBe(`step_1: ${text}`);
  await store.close();
});

test('fifty results that nobody can put together are listed, and arrive too', { timeout: 600_000 }, async () => {
  const text = '结'.repeat(15_000);
  const run = running(
    solveScript({
      plan: () => subtasks(...steps),
      work: () => completed(text),
      synthesise: () => ({ status: 400 }),
    }),
  );
  const result = await run.solve({ problem: 'Describe it.', config: { plan: { ...plan, max_parallel_subtasks: 10 } } });
  expect(result.outcome).toBe('partial');
  expect(bytesOf(result)).toBeLessThan(1_000_000);
  for (const id of steps) expect(result.answer).toContain(`${id} (Do ${id}): 结`);
});

test('a problem as large as one may be is solved, in Chinese and on one line', { timeout: 600_000 }, async () => {
  const problem = '问'.repeat(333_000);
  const run = running(solveScript({ plan: () => ({ text: 'Hm.' }), analyse: () => ({ text: 'Hm.' }) }));
  const handle = await run.startSolve({ problem, config: { plan } });
  const result = (await handle.result()) as SolveResult;
  expect(result).toMatchObject({ outcome: 'complete', subtasks: [{ id: 'step_1', status: 'completed' }] });
  expect(bytesOf(result)).toBeLessThan(10_000);
  expect(bytesOf(await handle.query<RunEvent[]>('events'))).toBeLessThan(1_010_000);
});
