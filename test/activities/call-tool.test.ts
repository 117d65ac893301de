import { once } from 'node:events';
import { CancelledFailure } from '@temporalio/common';
import { afterAll, describe, expect, test } from 'vitest';
import { toolBench } from '../support/tool-bench.ts';
import { callToolOptions } from '../../src/workflows/agent/tool-executor.ts';

/** What the module's tools did, and what the tests let them do. Tests and module share it through the process. */
interface Stage {
  runs: Array<{ name: string; context?: Record<string, unknown> }>;
  started: EventTarget;
  aborted: unknown[];
}
const stage: Stage = { runs: [], started: new EventTarget(), aborted: [] };
(globalThis as { toolStage?: Stage }).toolStage = stage;

const bench = toolBench({
  'tools/sample.ts': `
    import { z } from '${import.meta.resolve('zod')}';
    const stage = globalThis.toolStage;
    const any = { type: 'object' };
    class ToolError extends Error { name = 'ToolError' }
    const tool = (name: string, execute: (args: any, context: any) => unknown, rest = {}) => ({
      name,
      description: name,
      parameters: any,
      execute(args, context) {
        stage.runs.push({ name, context });
        return execute(args, context);
      },
      ...rest,
    });
    const forEver = () => {
      stage.started.dispatchEvent(new Event('started'));
      return new Promise(() => {});
    };
    export const tools = [
      tool('echo', ({ value }) => value),
      tool('later', async ({ value }) => value),
      tool('nothing', () => {}),
      tool('circular', () => { const it = {}; it.it = it; return it }),
      tool('reports', () => { throw new ToolError('No such city') }),
      tool('breaks', async () => { throw new TypeError('x is undefined') }),
      tool('throws_text', () => { throw 'just a text' }),
      tool('long', ({ length }) => 'é'.repeat(length)),
      tool('deaf', forEver),
      tool('attentive', (_, { signal }) => {
        signal.addEventListener('abort', () => stage.aborted.push(signal.reason));
        return forEver();
      }),
      tool('obedient', (_, { signal }) => new Promise((_, reject) =>
        signal.addEventListener('abort', () => reject(signal.reason)))),
      tool('typed', (args) => args, {
        parameters: z.object({ day: z.string().transform((day) => day.length), unit: z.string().default('C') }),
      }),
    ];
  `,
});
afterAll(() => bench.close());

const result = (name: string, args?: object, info?: object) => bench.call({ name }, args, info).result;
const runsOf = (name: string): number => stage.runs.filter((run) => run.name === name).length;

describe('what a tool does is a result', () => {
  test.each([
    ['a string as it is', 'echo', { value: 'Sunny' }, 'ok', 'Sunny'],
    ['anything else as JSON', 'echo', { value: { sun: true } }, 'ok', '{"sun":true}'],
    ['what comes later likewise', 'later', { value: [1, 2] }, 'ok', '[1,2]'],
    ['nothing as null', 'nothing', {}, 'ok', 'null'],
    ['an error named ToolError as a report', 'reports', {}, 'error', 'No such city'],
    ['any other as an exception', 'breaks', {}, 'exception', 'TypeError: x is undefined'],
    ['also what is no error', 'throws_text', {}, 'exception', 'just a text'],
    [
      'a tool that is gone',
      'gone',
      {},
      'exception',
      expect.stringMatching(/^the tool gone is no longer .* there are now: echo, later/),
    ],
    ['what JSON cannot hold', 'circular', {}, 'exception', expect.stringMatching(/^TypeError: Converting circular/)],
  ])('%s', async (_, name, args, status, text) => {
    expect(await result(name, args)).toEqual({ status, text });
  });

  test('arguments get the defaults and transforms of a zod schema', async () => {
    const { text } = await result('typed', { day: 'Monday' });
    expect(JSON.parse(text)).toEqual({ day: 6, unit: 'C' });
  });

  test('arguments that a zod schema refuses are a report', async () => {
    expect(await result('typed', { day: 5 })).toEqual({
      status: 'error',
      text: expect.stringMatching(/^the arguments of typed do not fit: day: /),
    });
  });

  test('a tool is told who calls, and a key that is the same for every try', async () => {
    await result('echo', {}, { activityId: 'a1' });
    expect(stage.runs.at(-1)?.context).toEqual({
      workflowId: 'w',
      agentId: 'agent_a',
      progress: expect.any(Function),
      idempotencyKey: 'r/a1',
      signal: expect.any(AbortSignal),
      spent: expect.any(Function),
    });
  });
});

describe('long results', () => {
  test('over 400 characters stand in the store too', async () => {
    expect(await result('long', { length: 400 })).toEqual({ status: 'ok', text: 'é'.repeat(400) });
    const { text, blob = '' } = await result('long', { length: 401 });
    expect(text).toBe('é'.repeat(401));
    expect(await bench.store.blob(blob)).toBe(text);
  });

  test('over 8,000 characters come with their beginning, and the whole in the store', async () => {
    const { text, blob = '' } = await result('long', { length: 9000 });
    expect(text).toBe(`${'é'.repeat(8000)}\n… [the beginning; 9000 characters in all]`);
    expect(await bench.store.blob(blob)).toBe('é'.repeat(9000));
  });

  test('over 40,000 characters reach the model as beginning and end', async () => {
    expect(await bench.store.blob((await result('long', { length: 40_000 })).blob ?? '')).toBe('é'.repeat(40_000));
    const { text, blob = '' } = await result('long', { length: 40_001 });
    expect(text).toMatch(/^é{8000}\n… \[the beginning; 40001 characters in all\]$/);
    expect(await bench.store.blob(blob)).toBe(
      `${'é'.repeat(30_000)}\n[… 2,001 characters were left out here; ask for less]\n${'é'.repeat(8000)}`,
    );
  });

  test('with a reference, by which the agent alone that got them can read on', async () => {
    const { result } = bench.call({ name: 'long', readsOn: true }, { length: 100_000 });
    const given = await bench.store.blob((await result).blob ?? '');
    const [, id = ''] = /62,000 .* read on with read_result \{"id": "(\w+)", "from": 30000\}\]/.exec(given) ?? [];
    const reader = { name: 'read_result', source: { package: 'builtin.results' } };
    const { text } = await bench.call(reader, { id, from: 30_000, characters: 100 }).result;
    expect(text).toBe(`${'é'.repeat(100)}\n[characters 30000 to 30100 of 100,000; it goes on with "from": 30100]`);
    const { text: end } = await bench.call(reader, { id, from: 99_999 }).result;
    expect(end).toBe('é\n[characters 99999 to 100000 of 100,000]');
    const others = { workflowExecution: { workflowId: 'other', runId: 'r' } };
    for (const refused of [bench.call(reader, { id }, others), bench.call(reader, { id: 'none' })]) {
      expect(await refused.result).toMatchObject({
        status: 'error',
        text: expect.stringMatching(/^there is no result/),
      });
    }
  });

  test('characters of two units are read whole, each once', async () => {
    const blob = await bench.store.putBlob('a😀b😀c');
    const id = await bench.store.putResult('w', 'agent_a', blob);
    const reader = { name: 'read_result', source: { package: 'builtin.results' } };
    const parts: string[] = [];
    for (let from = 0; from < 7;) {
      const { text } = await bench.call(reader, { id, from, characters: 2 }).result;
      const [, part = '', next] = /^(.*)\n\[characters .*?(?:"from": (\d+))?\]$/s.exec(text) ?? [];
      parts.push(part);
      from = Number(next ?? 7);
    }
    expect(parts).toEqual(['a', '😀', 'b', '😀', 'c']);
  });

  test('over a million characters are cut, and say so', async () => {
    const { result } = bench.call({ name: 'long', readsOn: true }, { length: 1_000_001 });
    expect(await bench.store.blob((await result).blob ?? '')).toMatch(
      /é\n… \[cut: 1000001 characters, of which 1000000 are kept\]$/,
    );
  });
});

describe('read_result', () => {
  const offered = async (sources: Parameters<typeof bench.list>[0]): Promise<string[]> => {
    const { tools } = await bench.list(sources);
    return tools.map(({ name, readsOn }) => (readsOn ? `${name} +` : name));
  };

  test('is offered beside tools whose results may be too long, and by its own name, but not beside others alone', async () => {
    expect(await offered({ packages: ['builtin.files'] })).toEqual(['read_file +', 'read_result +']);
    expect(await offered({ packages: ['builtin.calculator'] })).toEqual(['calculate']);
    expect(await offered({ packages: ['builtin.web'] })).toEqual(['web_search', 'fetch_page']);
    expect(await offered({ packages: ['builtin.results', 'builtin.files'] })).toEqual(['read_result +', 'read_file +']);
    bench.write({ 'tools/own.ts': `export const tools = [${tool('look')}];` });
    expect(await offered({ packages: ['tools.own'] })).toEqual(['look']);
    expect(await offered({ packages: ['tools.own', 'builtin.results'] })).toEqual(['look +', 'read_result +']);
  });

  test('a source that is out of order ends a run that begins, and is asked again by one that goes on', async () => {
    const away = { packages: ['tools.away'] };
    await expect(bench.list(away)).rejects.toMatchObject({ type: 'InvalidInput', nonRetryable: true });
    await expect(bench.list({ ...away, goesOn: true })).rejects.toMatchObject({ nonRetryable: false });
  });

  test('gives way to another tool of its name', async () => {
    bench.write({ 'tools/reader.ts': `export const tools = [${tool('read_result')}];` });
    expect(await offered({ packages: ['tools.reader', 'builtin.files'] })).toEqual(['read_result', 'read_file']);
  });

  const tool = (name: string): string =>
    `{ name: '${name}', description: 'd', parameters: { type: 'object' }, execute: () => 1 }`;
});

describe('a tool that does not end', () => {
  test.each(['deaf', 'obedient'])('is given up at its timeout: %s', async (name) => {
    const { result } = bench.call({ name, timeout: 0.05 });
    expect(await result).toEqual({
      status: 'exception',
      text: `${name} was still running after 0.05 seconds, its timeout, and was given up`,
    });
  });

  test('is told so by its signal', async () => {
    stage.aborted.length = 0;
    await bench.call({ name: 'attentive', timeout: 0.05 }).result;
    expect(stage.aborted).toMatchObject([{ name: 'TimeoutError' }]);
  });

  test.each(['deaf', 'attentive'])('ends with the cancellation of its call, at once: %s', async (name) => {
    const started = once(stage.started, 'started');
    const { environment, result } = bench.call({ name });
    await started;
    stage.aborted.length = 0;
    environment.cancel();
    await expect(result).rejects.toBeInstanceOf(CancelledFailure);
    expect(stage.aborted).toHaveLength(name === 'attentive' ? 1 : 0);
  });

  test('sends heartbeats as long as it runs', async () => {
    const { environment, result } = bench.call({ name: 'deaf' });
    await once(environment, 'heartbeat');
    await once(environment, 'heartbeat');
    environment.cancel();
    await expect(result).rejects.toBeInstanceOf(CancelledFailure);
  });
});

describe('a call that is tried again', () => {
  const retry = (activityId: string) => ({ activityId, attempt: 2 });

  test.each(['once', 'idempotent', 'undeclared', 'none'] as const)(
    'finds the result of the first try, whatever its side effects: %s',
    async (sideEffects) => {
      const activityId = `journalled-${sideEffects}`;
      const tool = { name: 'echo', sideEffects };
      const before = runsOf('echo');
      const first = await bench.call(tool, { value: 'Done' }, { activityId }).result;
      expect(await bench.call(tool, { value: 'Done' }, retry(activityId)).result).toEqual(first);
      expect(runsOf('echo')).toBe(before + 1);
    },
  );

  test('runs again with the same key where that does no harm', async () => {
    for (const sideEffects of ['idempotent', 'undeclared', 'none'] as const) {
      const { result } = bench.call({ name: 'echo', sideEffects }, { value: 'Again' }, retry(sideEffects));
      expect(await result).toEqual({ status: 'ok', text: 'Again' });
      expect(stage.runs.at(-1)?.context?.['idempotencyKey']).toBe(`r/${sideEffects}`);
    }
  });

  test('is none because its store is out of order for half an hour, in which its result is kept in hand', () => {
    expect(callToolOptions({ timeout: 60 }).startToCloseTimeout).toBeGreaterThanOrEqual(30 * 60_000);
  });

  test('is not run again where it would take effect twice, and all later tries find the same', async () => {
    const before = runsOf('echo');
    const tool = { name: 'echo', sideEffects: 'once' } as const;
    const second = await bench.call(tool, {}, retry('unknown')).result;
    expect(second).toEqual({
      status: 'exception',
      text: expect.stringMatching(/^the worker died while echo ran: it may or may not have taken effect/),
    });
    expect(await bench.call(tool, {}, { activityId: 'unknown', attempt: 3 }).result).toEqual(second);
    expect(runsOf('echo')).toBe(before);
  });
});
