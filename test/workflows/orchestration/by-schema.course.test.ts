import { expect, test } from 'vitest';
import type { RunEvent } from '../../../src/protocol/events.ts';
import type { Scripted, Seen } from '../../support/model-server.ts';
import { sharedRunning } from '../../support/running.ts';
import { teamOf, teamScript } from '../../support/team-script.ts';

const running = sharedRunning();

type Acts = Parameters<typeof teamScript>[0];

test('a model that writes of its tools is held to calls by a schema, and then answers, votes and decides', async () => {
  const script = teamScript({
    answer: answerBySchema((request) => ({ name: 'new_answer', arguments: { content: `It is ${request.agent}.` } })),
    vote: answerBySchema(() => ({ name: 'vote', arguments: { agent_id: 'agent2', reason: 'r' } })),
    decide: answerBySchema(() => ({ name: 'submit', arguments: { confirmed: true } })),
    present: () => ({ text: 'It is b, in all.' }),
  });
  const run = running((seen) => script({ ...seen, ...offeredIn(seen) }));
  const backend = { type: 'chatcompletion', model: 'small', base_url: run.model.openai };
  const handle = await run.start({ task: 'T', config: teamOf(['a', 'b'], backend) });
  expect(await handle.result()).toMatchObject({
    answer: 'It is b.',
    finalAgent: 'b',
    votes: [{ agent: 'b' }, { agent: 'b' }],
    restarts: [],
  });
  const events = await handle.query<RunEvent[]>('events');
  expect(events.filter(({ type }) => type === 'no_vote' || type === 'out')).toEqual([]);
  expect(events).toContainEqual(expect.not.objectContaining({ type: 'decision', isDefault: true }));
});

test('a model that calls only by a schema is nudged in the first attempt alone: later texts are its answers at once', async () => {
  const script = teamScript({
    answer: ({ attempt }) => ({ text: `It is ${attempt}.` }),
    vote: answerBySchema(() => ({ name: 'vote', arguments: { agent_id: 'agent1', reason: 'r' } })),
    decide: answerBySchema(({ attempt }) =>
      attempt === 1
        ? { name: 'restart_orchestration', arguments: { reason: 'It is thin.', instructions: 'More.' } }
        : { name: 'submit', arguments: { confirmed: true } },
    ),
  });
  const run = running((seen) => script({ ...seen, ...offeredIn(seen) }));
  const backend = { type: 'chatcompletion', model: 'small', base_url: run.model.openai };
  const handle = await run.start({ task: 'T', config: teamOf(['solo'], backend) });
  expect(await handle.result()).toMatchObject({ attempts: 2, outcome: 'submitted' });
  const given = (await handle.query<RunEvent[]>('events')).filter(({ type }) => type === 'answer');
  expect(given).toMatchObject([{ content: 'It is 1.' }, { content: 'It is 2.' }]);
  // Answer, nudge, vote and decision, and then the same without a nudge.
  expect(run.model.requests).toHaveLength(7);
});

type Request = Parameters<NonNullable<NonNullable<Acts>['answer']>>[0];

/** Says prose where it is offered tools, and a call as JSON where it is held to one. */
const answerBySchema =
  (call: (request: Request) => object) =>
  (request: Request): Scripted => ({
    text: 'response_format' in request.body ? JSON.stringify(call(request)) : 'I will call `new_answer`.',
  });

/** What a request offers, be it as tools or in its schema. */
function offeredIn({ body, toolChoice, tools }: Seen): Pick<Seen, 'toolChoice' | 'tools'> {
  const format = JSON.stringify(body['response_format'] ?? '');
  const offered = [
    ['new_answer', 'vote'],
    ['submit', 'restart_orchestration'],
  ].find((names) => names.some((name) => format.includes(`["${name}"]`)));
  return offered === undefined ? { toolChoice, tools } : { toolChoice: 'auto', tools: offered };
}
