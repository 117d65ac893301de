import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { WorkflowHandle } from '@temporalio/client';
import { expect, test } from 'vitest';
import type { RunEvent } from '../../src/protocol/events.ts';
import type { SessionResult } from '../../src/protocol/session.ts';
import { agentOf, call, calls, inTurn, toolResults } from '../support/agent-script.ts';
import type { Scripted } from '../support/model-server.ts';
import { sharedRunning } from '../support/running.ts';

const shared = sharedRunning();

const kit = `
  const text = { type: 'object', properties: { text: { type: 'string' } } };
  const one = (name, execute, sideEffects = false) => ({ name, description: name, parameters: text, sideEffects, execute });
  let naps = 0;
  export const tools = [
    one('read', ({ text }) => text + ' was read'),
    one('nap', async ({ text }, { signal }) => {
      if (++naps === 1) await new Promise((done) => signal.addEventListener('abort', done));
      return text + ' after a nap';
    }),
    one('write', ({ text }) => text + ' was written', true),
  ];
`;

/** One turn of a session whose model replies like this. */
async function turn(replies: Scripted[], rest: object = {}) {
  const run = shared(inTurn(replies));
  writeFileSync(join(run.home, 'kit.ts'), kit);
  const config = agentOf('openai', { simple: {} }, ['kit'], rest);
  const session = await run.startSession({ config, text: 'Go.' });
  const result = (await session.result()) as SessionResult;
  return { run, result, called: await calledIn(session), events: await session.query<RunEvent[]>('events') };
}

/** How many activities of the type `callTool` a run has had. */
async function calledIn(session: WorkflowHandle): Promise<number> {
  const { events } = await session.fetchHistory();
  const types = events?.map((event) => event.activityTaskScheduledEventAttributes?.activityType?.name);
  return types?.filter((type) => type === 'callTool').length ?? 0;
}

test('tools without side effects run within the call of the model that wants them, and are told of as any other', async () => {
  const wanted = calls(['read', { text: 'a' }], ['read', { text: 'b' }]);
  const { called, events, result, run } = await turn([wanted, call('read', { text: 'c' }), { text: 'Done.' }]);
  expect(result.answer).toBe('Done.');
  expect(called).toBe(0);
  expect(toolResults(run.model.requests[2]!)).toEqual(['a was read', 'b was read', 'c was read']);
  const told = events.flatMap((event) => (event.type === 'tool_ended' ? [[event.tool, event.status]] : []));
  expect(told).toEqual([
    ['read', 'ok'],
    ['read', 'ok'],
    ['read', 'ok'],
  ]);
});

test('beside a call that changes something they have activities of their own', async () => {
  const wanted = calls(['read', { text: 'a' }], ['write', { text: 'b' }]);
  const { called, run } = await turn([wanted, { text: 'Done.' }], {
    permissions: [{ tool: 'write', action: 'allow' }],
  });
  expect(called).toBe(2);
  expect(toolResults(run.model.requests[1]!)).toEqual(['a was read', 'b was written']);
});

test('one that takes long is called once more by the workflow, which from then on calls it at once', async () => {
  const { called, run } = await turn([call('nap', { text: 'a' }), call('nap', { text: 'b' }), { text: 'Done.' }]);
  expect(called).toBe(2);
  expect(toolResults(run.model.requests[2]!)).toEqual(['a after a nap', 'b after a nap']);
});

test('a call that the permissions deny is not run, and one that they allow is', async () => {
  const permissions = [{ tool: 'read', arguments: { text: 'secret*' }, action: 'deny' }];
  const wanted = calls(['read', { text: 'secret plan' }], ['read', { text: 'a' }]);
  const { run } = await turn([wanted, { text: 'Done.' }], { permissions });
  const [denied, allowed] = toolResults(run.model.requests[1]!);
  expect(denied).toContain('not run');
  expect(allowed).toBe('a was read');
});
