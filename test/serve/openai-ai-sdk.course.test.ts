import { createOpenAI } from '@ai-sdk/openai';
import { generateText, stepCountIs, streamText, tool } from 'ai';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { asks } from '../support/asking.ts';
import { openaiServing } from '../support/openai.ts';
import { sharedRunning } from '../support/running.ts';
import { ownerToken } from '../support/serving.ts';
import { teamScript } from '../support/team-script.ts';

const shared = sharedRunning();

/** The ways in which the AI SDK speaks to OpenAI. */
const ways = ['chat', 'responses'] as const;

const modelOf = (url: string, way: (typeof ways)[number], name: string) =>
  createOpenAI({ baseURL: `${url}/v1`, apiKey: ownerToken })[way](name);

test.each(ways)('the AI SDK generates a text by %s', async (way) => {
  await using set = await openaiServing(shared(teamScript()));
  const model = modelOf(set.servers[0].url, way, 'team');
  const { finishReason, text, totalUsage } = await generateText({ model, system: 'Be kind.', prompt: 'Say hello.' });
  expect([text, finishReason]).toEqual(['The final answer, by agent1.', 'stop']);
  expect(totalUsage.totalTokens).toBe(90);
  expect(set.run.model.requests[0]?.prompt).toContain('Be kind.');
});

test.each(ways)('the AI SDK streams a text by %s', async (way) => {
  await using set = await openaiServing(shared(teamScript()));
  const { finishReason, fullStream } = streamText({
    model: modelOf(set.servers[0].url, way, 'team'),
    prompt: 'Say hello.',
  });
  let text = '';
  let reasoning = '';
  for await (const part of fullStream) {
    if (part.type === 'text-delta') text += part.text;
    if (part.type === 'reasoning-delta') reasoning += part.text;
  }
  expect([text, await finishReason]).toEqual(['The final answer, by agent1.', 'stop']);
  // Of Chat Completions its provider for OpenAI reads no reasoning.
  expect(reasoning.includes('[agent1] presenting final answer')).toBe(way === 'responses');
});

test.each(ways)("the AI SDK's tool answers what a team asks a person, by %s", async (way) => {
  await using set = await openaiServing(shared(asks('Which mode?')));
  const { steps, text } = await generateText({
    model: modelOf(set.servers[0].url, way, 'asking'),
    prompt: 'Choose.',
    stopWhen: stepCountIs(3),
    tools: {
      answer_question: tool({
        inputSchema: z.object({ question: z.string() }),
        execute: async ({ question }) => (question === 'Which mode?' ? 'Dark mode' : ''),
      }),
    },
  });
  expect([text, steps.length]).toEqual(['Told: Dark mode.', 2]);
});

test.each(ways)('the AI SDK goes on with a conversation, by %s', async (way) => {
  await using set = await openaiServing(shared(teamScript()));
  const model = modelOf(set.servers[0].url, way, 'team');
  const first = await generateText({ model, prompt: 'My name is Ada.' });
  const messages = [{ role: 'user' as const, content: 'My name is Ada.' }, ...first.response.messages];
  await generateText({ model, messages: [...messages, { role: 'user', content: 'What is my name?' }] });
  const told = set.run.model.requests.at(-1)?.messages.map(({ text }) => text);
  expect(told).toEqual(expect.arrayContaining(['My name is Ada.', 'The final answer, by agent1.']));
});

test.each(ways)(
  'what a person says next is the answer to a question that was told as text, by %s of the AI SDK',
  async (way) => {
    await using set = await openaiServing(shared(asks('Which mode?')));
    const model = modelOf(set.servers[0].url, way, 'asking');
    const first = await generateText({ model, prompt: 'Choose.' });
    expect(first.text).toContain('agent_a: Which mode?');
    const messages = [{ role: 'user' as const, content: 'Choose.' }, ...first.response.messages];
    const second = await generateText({ model, messages: [...messages, { role: 'user', content: 'Dark mode' }] });
    expect(second.text).toBe('Told: Dark mode.');
  },
);
