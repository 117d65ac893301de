import OpenAI from 'openai';
import { expect, test } from 'vitest';
import { inTurn } from '../support/agent-script.ts';
import { asks } from '../support/asking.ts';
import { pixel } from '../support/files.ts';
import { gate, openaiServing } from '../support/openai.ts';
import { sharedRunning } from '../support/running.ts';
import { researchScript } from '../support/research-script.ts';
import { solveScript } from '../support/solve-script.ts';
import { teamScript } from '../support/team-script.ts';

type Completion = OpenAI.ChatCompletion & { metadata: { run_id: string; outcome?: string } };
type Message = OpenAI.ChatCompletionMessage & { reasoning_content?: string };

const shared = sharedRunning();

const say = (content: string) => [{ role: 'user' as const, content }];

const questionTool = {
  type: 'function' as const,
  function: { name: 'answer_question', parameters: { type: 'object', properties: {} } },
};

test('each configuration is a model by its name, beside the default team', async () => {
  await using set = await openaiServing(shared(teamScript()));
  const { data } = await set.client.models.list();
  expect(data.map(({ id }) => id).toSorted()).toEqual([
    'agent',
    'asking',
    'plan',
    'reprise',
    'research',
    'scarce',
    'team',
  ]);
  expect(await set.client.models.retrieve('team')).toMatchObject({ id: 'team', object: 'model', kind: 'team' });
  await expect(set.client.models.retrieve('tem')).rejects.toThrow(
    '404 There is no configuration "tem"; there are: reprise, agent, asking, plan, research, scarce, team',
  );
});

test('a completion is the answer of the team, with what all its agents have done and used, and leads to its run', async () => {
  await using set = await openaiServing(shared(teamScript()));
  const { data, response } = await set.client.chat.completions
    .create({ model: 'team', messages: say('Say hello.') })
    .withResponse();
  const { choices, id, metadata, usage } = data as Completion;
  expect(choices[0]).toMatchObject({
    finish_reason: 'stop',
    message: { role: 'assistant', content: 'The final answer, by agent1.' },
  });
  const { reasoning_content: reasoning } = (choices[0]?.message ?? {}) as Partial<Message>;
  expect(reasoning).toContain('[agent1] answer 1 (agent1)\nAnswer of agent1 in attempt 1.');
  expect(reasoning).toContain('[agent2] votes for agent1: the best');
  const result = (await set.run.client.workflow.getHandle(metadata.run_id).result()) as { usage: object };
  expect(result.usage).toMatchObject({
    inputTokens: usage?.prompt_tokens,
    outputTokens: usage?.completion_tokens,
    costUsd: (usage as { cost?: number }).cost,
  });
  expect(metadata.outcome).toBe('submitted');
  expect([id, response.headers.get('x-reprise-run')]).toEqual([`chatcmpl_${metadata.run_id}`, metadata.run_id]);
  // A client that sends again what has failed would begin another run.
  expect(response.headers.get('x-should-retry')).toBe('false');
});

test('a stream tells what is done as reasoning, and the answer once it is final', async () => {
  await using set = await openaiServing(shared(teamScript()));
  const stream = set.client.chat.completions.stream({
    model: 'team',
    messages: say('Say hello.'),
    stream_options: { include_usage: true },
  });
  const order: string[] = [];
  stream.on('chunk', ({ choices: [choice], usage: soFar }) => {
    // As the API has it: each chunk has the key, and only the last one figures.
    expect(soFar === null).toBe(choice !== undefined);
    const { content, reasoning_content: reasoning } = (choice?.delta ?? {}) as Message;
    if (reasoning) order.push('reasoning');
    if (content) order.push('content');
  });
  const { choices, usage } = await stream.finalChatCompletion();
  expect(choices[0]).toMatchObject({
    finish_reason: 'stop',
    message: { content: 'The final answer, by agent1.' },
  });
  expect(order.lastIndexOf('reasoning')).toBeLessThan(order.indexOf('content'));
  expect(order.filter((each) => each === 'content')).toHaveLength(1);
  expect(usage?.total_tokens).toBeGreaterThan(0);
});

test('what was said before is told to the agents, by roles, and files in messages come to them', async () => {
  await using set = await openaiServing(shared(inTurn([{ text: 'It is a pixel.' }])));
  await set.client.chat.completions.create({
    model: 'agent',
    messages: [
      { role: 'system', content: 'You are terse.' },
      { role: 'user', content: 'My name is Ada.' },
      { role: 'assistant', content: 'Hello Ada.' },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'What is in this?' },
          { type: 'image_url', image_url: { url: `data:image/png;base64,${pixel.toString('base64')}` } },
          { type: 'file', file: { filename: 'notes.txt', file_data: 'data:text/plain;base64,SGVsbG8=' } },
        ],
      },
    ],
  });
  const [request] = set.run.model.requests;
  expect(request?.prompt).toContain('You are terse.');
  expect(request?.messages.map(({ role, text }) => [role, text.slice(0, 15)])).toEqual(
    expect.arrayContaining([
      ['user', 'My name is Ada.'],
      ['assistant', 'Hello Ada.'],
    ]),
  );
  expect(request?.prompt).toContain('image.png');
  expect(request?.prompt).toContain('notes.txt');
});

test.each([
  ['agent', inTurn([{ text: 'The answer.' }]), 'The answer.', 'answered'],
  ['research', researchScript(), '# On idea 1', 'viable'],
  ['plan', solveScript(), 'The answer.', 'complete'],
])('a configuration of the kind %s answers too, a conversation as well', async (model, script, answer, outcome) => {
  await using set = await openaiServing(shared(script));
  const data = await set.client.chat.completions.create({
    model,
    messages: [...say('The first thing.'), { role: 'assistant', content: 'Well.' }, ...say('Go on.')],
  });
  expect(data.choices[0]?.message.content).toContain(answer);
  expect((data as Completion).metadata.outcome).toBe(outcome);
  expect(set.run.model.requests[0]?.prompt).toContain('The first thing.');
});

test('a budget that ends a run is told by finish_reason length, and the outcome', async () => {
  await using set = await openaiServing(shared(teamScript()));
  const data = (await set.client.chat.completions.create({
    model: 'scarce',
    messages: say('Say hello.'),
  })) as Completion;
  expect([data.choices[0]?.finish_reason, data.metadata.outcome]).toEqual(['length', 'budget']);
});

test('a dropped connection loses nothing: the same request with the same key finds the run, on another server', async () => {
  const { open, passed } = gate();
  await using set = await openaiServing(
    shared(
      teamScript({
        present: async () => {
          await passed;
          return { text: 'At last.' };
        },
      }),
    ),
    2,
  );
  const body = { model: 'team', messages: say('Say hello.') };
  const headers = { 'idempotency-key': 'once' };
  const { data: stream } = await set.client.chat.completions
    .create({ ...body, stream: true }, { headers })
    .withResponse();
  let run = '';
  for await (const chunk of stream) {
    run = (chunk as unknown as Completion).metadata.run_id;
    if (JSON.stringify(chunk).includes('presenting')) break;
  }
  await set.kill();
  open();
  const again = await set.other.chat.completions.create(body, { headers });
  expect([again.choices[0]?.message.content, (again as Completion).metadata.run_id]).toEqual(['At last.', run]);
  expect(set.run.model.requests).toHaveLength(6);
  await expect(
    set.other.chat.completions.create({ ...body, messages: say('Something else.') }, { headers }),
  ).rejects.toMatchObject({ status: 409 });
});

test('a question is a call of the tool that the client offers, and its result goes on with the same run, on another server', async () => {
  await using set = await openaiServing(shared(asks('Which mode?')), 2);
  const first = await set.client.chat.completions.create({
    model: 'asking',
    messages: say('Choose.'),
    tools: [questionTool],
  });
  const [choice] = first.choices;
  const [call] = choice?.message.tool_calls ?? [];
  if (call?.type !== 'function') throw new Error('no call');
  expect(choice?.finish_reason).toBe('tool_calls');
  expect(JSON.parse(call.function.arguments)).toEqual({
    question_id: 'q1',
    kind: 'question',
    from: 'agent_a',
    question: 'Which mode?',
  });
  await set.kill();
  await set.run.replaceWorker({});
  const second = await set.other.chat.completions.create({
    model: 'asking',
    messages: [...say('Choose.'), choice!.message, { role: 'tool', tool_call_id: call.id, content: 'Dark mode' }],
    tools: [questionTool],
  });
  expect(second.choices[0]?.message.content).toBe('Told: Dark mode.');
  expect((second as Completion).metadata.run_id).toBe((first as Completion).metadata.run_id);
});

test('without that tool a question is the text of the completion, and the next message of any client answers it', async () => {
  await using set = await openaiServing(shared(asks('Which mode?')));
  const stream = await set.client.chat.completions.create({ model: 'asking', messages: say('Choose.'), stream: true });
  let text = '';
  for await (const { choices } of stream) text += choices[0]?.delta.content ?? '';
  expect(text).toMatch(
    /^agent_a: Which mode\?\n\nYour next message is the answer\.\n\n\[reprise ask-\w+\.\d+ [\w-]+\]$/,
  );
  const messages = [...say('Choose.'), { role: 'assistant' as const, content: text }];
  const second = await set.client.chat.completions.create({
    model: 'asking',
    messages: [...messages, ...say('Dark mode')],
  });
  expect(second.choices[0]?.message.content).toBe('Told: Dark mode.');
  const forged = text.replace(/ [\w-]+\]$/, ' forged]');
  const third = await set.client.chat.completions.create({
    model: 'asking',
    messages: [...say('Choose.'), { role: 'assistant', content: forged }, ...say('Dark mode')],
  });
  expect((third as Completion).metadata.run_id).not.toBe((second as Completion).metadata.run_id);
  expect(set.run.model.requests.at(-1)?.prompt).not.toContain('[reprise');
});

test('a run that fails is an error in the words that the command line has', async () => {
  await using set = await openaiServing(shared(() => ({ status: 400, errorBody: '{"error":{"message":"no such"}}' })));
  const body = { model: 'agent', messages: say('Say hello.') };
  await expect(set.client.chat.completions.create(body)).rejects.toMatchObject({
    status: 400,
    code: 'run_failed',
    type: 'server_error',
    message: expect.stringContaining('no such'),
  });
  const stream = await set.client.chat.completions.create({ ...body, stream: true });
  await expect(
    (async () => {
      for await (const _ of stream);
    })(),
  ).rejects.toMatchObject({ code: '400', message: expect.stringContaining('no such') });
});
