import { setTimeout as pause } from 'node:timers/promises';
import OpenAI from 'openai';
import { expect, test } from 'vitest';
import { inTurn } from '../support/agent-script.ts';
import { asks } from '../support/asking.ts';
import { gate, openaiServing } from '../support/openai.ts';
import { sharedRunning } from '../support/running.ts';
import { restart, submit, teamScript } from '../support/team-script.ts';

type StreamEvent = OpenAI.Responses.ResponseStreamEvent;

const shared = sharedRunning();

/** A team whose presentation waits until it is let go on. */
function waiting() {
  const { open, passed } = gate();
  const script = teamScript({
    present: async () => {
      await passed;
      return { text: 'At last.' };
    },
  });
  return { open, script };
}

const ended = async (client: OpenAI, id: string): Promise<OpenAI.Responses.Response> => {
  for (;;) {
    const response = await client.responses.retrieve(id);
    if (!['queued', 'in_progress'].includes(response.status ?? '')) return response;
    await pause(50);
  }
};

async function allOf<T>(stream: AsyncIterable<T>): Promise<T[]> {
  const all = [];
  for await (const each of stream) all.push(each);
  return all;
}

test('a response is the answer of the team with a summary of what was done, and is found again by its id', async () => {
  await using set = await openaiServing(shared(teamScript()));
  const response = await set.client.responses.create({
    model: 'team',
    input: 'Say hello.',
    metadata: { ticket: '12' },
  });
  expect(response).toMatchObject({
    status: 'completed',
    model: 'team',
    output_text: 'The final answer, by agent1.',
    metadata: { ticket: '12', outcome: 'submitted', run_id: response.id.replace('resp_', '') },
    usage: { input_tokens: 60, output_tokens: 30, total_tokens: 90 },
  });
  expect(response.output.map(({ type }) => type)).toEqual(['reasoning', 'message']);
  const [thoughts] = response.output;
  expect(JSON.stringify(thoughts)).toContain('[agent2] votes for agent1: the best');
  expect(await set.client.responses.retrieve(response.id)).toEqual(response);
  const { data } = await set.client.responses.inputItems.list(response.id);
  expect(data).toMatchObject([{ role: 'user', content: [{ type: 'input_text', text: 'Say hello.' }] }]);
  await expect(set.client.responses.delete(response.id)).rejects.toMatchObject({ status: 405 });
});

test('a stream has the typed events of the API, numbered without a gap', async () => {
  let judged = 0;
  await using set = await openaiServing(
    shared(teamScript({ decide: () => (judged++ === 0 ? restart('Too short.', 'Say more.') : submit()) })),
  );
  const stream = set.client.responses.stream({ model: 'team', input: 'Say hello.' });
  const events = await allOf(stream);
  const response = await stream.finalResponse();
  expect(events.map(({ sequence_number: number }) => number)).toEqual(events.map((_, index) => index));
  const types = events.map(({ type }) => type).filter((type) => !type.includes('reasoning_summary'));
  expect(types).toEqual([
    'response.created',
    'response.in_progress',
    'response.output_item.added',
    'response.output_item.done',
    'response.output_item.added',
    'response.content_part.added',
    'response.output_text.delta',
    'response.output_text.done',
    'response.content_part.done',
    'response.output_item.done',
    'response.completed',
  ]);
  const summary = events.flatMap((event) => (event.type === 'response.reasoning_summary_text.done' ? event.text : []));
  expect(summary.join('\n')).toContain('Reason: Too short.');
  expect(response.output_text).toBe('The final answer, by agent1.');
  expect(await set.client.responses.retrieve(response.id)).toMatchObject({
    usage: response.usage,
    status: 'completed',
  });
});

test('one in the background is polled, and followed on another server from the event after the last one that was seen', async () => {
  const { open, script } = waiting();
  await using set = await openaiServing(shared(script), 2);
  const { id, status } = await set.client.responses.create({ model: 'team', input: 'Say hello.', background: true });
  expect(status).toBe('queued');
  const seen: StreamEvent[] = [];
  for await (const event of await set.client.responses.retrieve(id, { stream: true })) {
    seen.push(event);
    if (JSON.stringify(event).includes('presenting')) break;
  }
  await set.kill();
  expect(await set.other.responses.retrieve(id)).toMatchObject({ status: 'in_progress', background: true });
  open();
  const after = seen.at(-1)?.sequence_number ?? 0;
  const rest = await allOf(await set.other.responses.retrieve(id, { stream: true, starting_after: after }));
  const whole = await allOf(await set.other.responses.retrieve(id, { stream: true }));
  expect([...seen, ...rest]).toEqual(whole);
  expect(await ended(set.other, id)).toMatchObject({ status: 'completed', output_text: 'At last.' });
  expect(set.run.model.requests).toHaveLength(6);
});

test('a client that goes away in the middle of a stream finds the response when it comes back', async () => {
  const { open, script } = waiting();
  await using set = await openaiServing(shared(script));
  const stream = await set.client.responses.create({ model: 'team', input: 'Say hello.', stream: true });
  let id = '';
  for await (const event of stream) {
    if (event.type === 'response.created') id = event.response.id;
    if (JSON.stringify(event).includes('presenting')) stream.controller.abort();
  }
  open();
  expect(await ended(set.client, id)).toMatchObject({ output_text: 'At last.' });
});

test('one that is cancelled ends with the best that it has', async () => {
  const { open, script } = waiting();
  await using set = await openaiServing(shared(script));
  const { id } = await set.client.responses.create({ model: 'team', input: 'Say hello.', background: true });
  for await (const event of await set.client.responses.retrieve(id, { stream: true }))
    if (JSON.stringify(event).includes('presenting')) break;
  const response = await set.client.responses.cancel(id);
  open();
  expect(response).toMatchObject({ status: 'cancelled', metadata: { outcome: 'cancelled' } });
  expect(response.output.at(-1)).toMatchObject({
    type: 'message',
    content: [{ text: 'Answer of agent1 in attempt 1.' }],
  });
  expect(await set.client.responses.cancel(id)).toEqual(response);
});

test('one that waits for an answer is cancelled too, and one whose question was answered before has completed', async () => {
  await using set = await openaiServing(shared(asks('Which mode?', 'Which size?')));
  const first = await set.client.responses.create({ model: 'asking', input: 'Choose.' });
  const next = { model: 'asking', input: 'Dark mode', previous_response_id: first.id };
  const second = await set.client.responses.create(next);
  const cancelled = await set.client.responses.cancel(second.id);
  expect(cancelled).toMatchObject({ status: 'cancelled', metadata: { outcome: 'cancelled' } });
  expect(await set.client.responses.retrieve(second.id)).toMatchObject(cancelled);
  const told = await allOf(await set.client.responses.retrieve(second.id, { stream: true }));
  expect(told.at(-1)).toMatchObject({ type: 'response.incomplete', response: cancelled });
  expect(first).toMatchObject(await set.client.responses.cancel(first.id));
});

test('a run that ends before its answer is good is incomplete, and one that fails has failed, with the reason', async () => {
  await using set = await openaiServing(shared(() => ({ status: 400, errorBody: '{"error":{"message":"no such"}}' })));
  expect(await set.client.responses.create({ model: 'agent', input: 'Say hello.' })).toMatchObject({
    status: 'failed',
    error: { code: 'invalid_prompt', message: expect.stringContaining('no such') },
  });
  shared(teamScript());
  expect(await set.client.responses.create({ model: 'scarce', input: 'Say hello.' })).toMatchObject({
    status: 'incomplete',
    incomplete_details: { reason: 'max_output_tokens' },
    metadata: { outcome: 'budget' },
  });
});

test('a conversation goes on by previous_response_id, with what was said and the files, without the instructions', async () => {
  await using set = await openaiServing(
    shared(inTurn([{ text: 'Hello Ada.' }, { text: 'Ada.' }, { text: 'Still Ada.' }])),
  );
  const first = await set.client.responses.create({
    model: 'agent',
    instructions: 'Be terse.',
    input: [
      {
        role: 'user',
        content: [
          { type: 'input_text', text: 'My name is Ada.' },
          { type: 'input_file', filename: 'notes.txt', file_data: 'data:text/plain;base64,SGVsbG8=' },
        ],
      },
    ],
  });
  expect(first.instructions).toBe('Be terse.');
  const second = await set.client.responses.create({
    model: 'agent',
    input: 'What is my name?',
    previous_response_id: first.id,
  });
  expect(second).toMatchObject({ output_text: 'Ada.', previous_response_id: first.id, instructions: null });
  const { inputItems } = set.client.responses;
  // The client asks for page after page, each of one item.
  const paged = await allOf(inputItems.list(second.id, { order: 'asc', limit: 1 }));
  expect(paged).toEqual((await inputItems.list(second.id, { order: 'asc' })).data);
  expect(paged.length).toBeGreaterThan(2);
  await expect(inputItems.list(second.id, { limit: 0 })).rejects.toThrow('limit: a whole number from 1 to 100');
  await expect(inputItems.list(second.id, { after: 'msg_x' })).rejects.toThrow('after: the id of an item');
  await set.client.responses.create({ model: 'agent', input: 'Again?', previous_response_id: second.id });
  const told = set.run.model.requests.at(-1);
  expect(told?.messages.map(({ text }) => text)).toEqual(
    expect.arrayContaining(['My name is Ada.', 'Hello Ada.', 'What is my name?', 'Ada.']),
  );
  expect(told?.prompt).not.toContain('Be terse.');
  expect(told?.prompt).toContain('notes.txt');
  await expect(
    set.client.responses.create({ model: 'agent', input: 'Again?', previous_response_id: 'resp_ask-nothing' }),
  ).rejects.toMatchObject({ status: 404 });
});

const questionTool: OpenAI.Responses.FunctionTool = {
  type: 'function',
  name: 'answer_question',
  parameters: {},
  strict: false,
};

test('a question is a call of the tool that the client offers, whose output goes on with the run on another server', async () => {
  await using set = await openaiServing(shared(asks('Which mode?', 'Which size?')), 2);
  const stream = set.client.responses.stream({ model: 'asking', input: 'Choose.', tools: [questionTool] });
  const types = (await allOf(stream)).map(({ type }) => type);
  expect(types).toEqual(
    expect.arrayContaining(['response.function_call_arguments.delta', 'response.function_call_arguments.done']),
  );
  const answered = async (response: OpenAI.Responses.Response, output: string): Promise<OpenAI.Responses.Response> => {
    const call = response.output.at(-1);
    if (call?.type !== 'function_call') throw new Error('no call');
    expect(response.status).toBe('completed');
    return set.other.responses.create({
      model: 'asking',
      input: [{ type: 'function_call_output', call_id: call.call_id, output }],
      previous_response_id: response.id,
    });
  };
  const first = await stream.finalResponse();
  await set.kill();
  const second = await answered(first, 'Dark mode');
  expect(second.output.at(-1)).toMatchObject({ name: 'answer_question' });
  const third = await answered(second, 'Small');
  expect(third.output_text).toBe('Told: Small.');
  expect(new Set([first, second, third].map(({ metadata }) => metadata?.['run_id'])).size).toBe(1);
  expect(await set.other.responses.retrieve(second.id)).toEqual(second);
});

test('a question is text without that tool, and the input that goes on with its response answers it', async () => {
  await using set = await openaiServing(shared(asks('Which mode?')));
  const first = await set.client.responses.create({ model: 'asking', input: 'Choose.' });
  expect(first.output_text).toContain('agent_a: Which mode?\n\nYour next message is the answer.');
  const second = await set.client.responses.create({
    model: 'asking',
    input: 'Dark mode',
    previous_response_id: first.id,
  });
  expect(second.output_text).toBe('Told: Dark mode.');
});

test('with store false the API does not find the response again, though the run stays', async () => {
  await using set = await openaiServing(shared(teamScript()));
  const { id, metadata } = await set.client.responses.create({ model: 'team', input: 'Say hello.', store: false });
  await expect(set.client.responses.retrieve(id)).rejects.toMatchObject({ status: 404 });
  expect(await set.run.client.workflow.getHandle(metadata?.['run_id'] ?? '').result()).toBeDefined();
});
