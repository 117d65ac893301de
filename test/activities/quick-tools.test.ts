import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { QuickTools } from '../../src/protocol/tools/tool.ts';
import { toolBench } from '../support/tool-bench.ts';

/** What the module's tools did, which tests and module share through the process. */
const ran: string[] = [];
(globalThis as { quickStage?: string[] }).quickStage = ran;

const bench = toolBench({
  'tools/sample.ts': `
    const ran = globalThis.quickStage;
    const tool = (name, execute, sideEffects = false) => ({
      name, description: name, parameters: { type: 'object' }, sideEffects, execute,
    });
    export const tools = [
      tool('read', async ({ text }) => {
        ran.push(text + ' begins');
        await new Promise((done) => setImmediate(done));
        ran.push(text + ' ends');
        return text;
      }),
      tool('fail', () => { throw Object.assign(new Error('no'), { name: 'ToolError' }) }),
      tool('large', ({ text }) => text.repeat(400_000)),
      ...['deaf', 'deafer', 'late'].map((name) =>
        tool(name, (_, { idempotencyKey }) => (ran.push(name + ' ' + idempotencyKey), new Promise(() => {}))),
      ),
      tool('write', () => ran.push('written'), true),
      { ...tool('silent', () => ran.push('said nothing of its effects')), sideEffects: undefined },
    ];
  `,
});
let quick: QuickTools;
beforeAll(async () => {
  const { quick: list } = await bench.list({ packages: ['tools.sample'] });
  quick = { list: list ?? '' };
});
beforeEach(() => ran.splice(0));
afterAll(() => bench.close());

let count = 0;
const call = (name: string, text = '') => ({ id: `call_${++count}`, name, input: { text } });

describe('a reply whose calls are all of tools without side effects', () => {
  test('comes with what they have come to, whatever that is', async () => {
    const calls = [call('read', 'a'), call('fail'), call('read', 'b')];
    const [one, two, three] = await bench.runQuick(calls, quick);
    expect(one).toEqual({ ...calls[0], ran: { status: 'ok', text: 'a' } });
    expect(two).toMatchObject({ ran: { status: 'error', text: 'no' } });
    expect(three).toMatchObject({ ran: { status: 'ok', text: 'b' } });
    expect(ran).toEqual(['a begins', 'a ends', 'b begins', 'b ends']);
  });

  test('has them run side by side where its agent does', async () => {
    await bench.runQuick([call('read', 'a'), call('read', 'b')], { ...quick, parallel: true });
    expect(ran).toEqual(['a begins', 'b begins', 'a ends', 'b ends']);
  });

  test('does not wait for one that takes long, nor loses the others', async () => {
    const [done, late] = await bench.runQuick([call('read', 'a'), call('deaf')], { ...quick, parallel: true });
    expect(done).toMatchObject({ ran: { text: 'a' } });
    expect(ran).toContain(`deaf ${late !== undefined && 'late' in late ? late.late : ''}`);
  });

  test('begins none behind one that takes long, which the workflow then calls with it', async () => {
    const [late, left] = await bench.runQuick([call('deafer'), call('read', 'a')], quick);
    expect(late).toHaveProperty('late');
    expect(left).not.toHaveProperty('ran');
    expect(ran).toEqual([expect.stringMatching(/^deafer /)]);
  });

  test('holds no more results than the history takes; the workflow calls the others', async () => {
    const calls = await bench.runQuick(
      [call('read', 'a'), ...Array.from({ length: 70 }, () => call('large', 'é'))],
      quick,
    );
    const done = calls.filter((each) => 'ran' in each);
    expect(done.length).toBeGreaterThan(10);
    expect(JSON.stringify(done).length).toBeLessThan(600_000);
    expect(done.length).toBeLessThan(calls.length);
  });
});

describe('a reply is left to the workflow as it is', () => {
  test.each([
    ['with a call that changes something', () => [call('read', 'a'), call('write')]],
    ['with a call that does not say whether it does', () => [call('read', 'a'), call('silent')]],
    ['with a call of the workflow', () => [call('new_answer'), call('read', 'a')]],
    ['with a call whose arguments are wrong', () => [call('read', 'a'), { id: 'x', name: 'read', error: 'no JSON' }]],
    ['without calls', () => []],
  ])('%s', async (_, make) => {
    const calls = make();
    expect(await bench.runQuick(calls, quick)).toEqual(calls);
    expect(ran).toEqual([]);
  });

  test('with a call of a tool that has lately taken long, which would be run twice, whichever run it is of', async () => {
    await bench.runQuick([call('late')], quick);
    expect(ran.splice(0)).toHaveLength(1);
    const calls = [call('late')];
    expect(await bench.runQuick(calls, quick)).toEqual(calls);
    expect(ran).toEqual([]);
  });

  test('with a call that the rules of the run are about', async () => {
    const calls = [call('read', 'a'), call('fail')];
    expect(await bench.runQuick(calls, { ...quick, without: ['fail'] })).toEqual(calls);
    expect(ran).toEqual([]);
  });

  test('that comes when its call has hardly any time left, since it is paid for', async () => {
    const calls = [call('read', 'a')];
    expect(await bench.runQuick(calls, quick, { scheduleToCloseTimeoutMs: 1000 })).toEqual(calls);
    expect(ran).toEqual([]);
  });
});
