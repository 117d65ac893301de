import { expect, test } from 'vitest';
import { anthropicProblem, signatureFor } from './rules/anthropic.ts';
import type { AnthropicBody } from './rules/anthropic-parameters.ts';

const user = { role: 'user', content: 'Hi' };
const reply = (...content: object[]) => ({ role: 'assistant', content });
const text = { type: 'text', text: 'Yes.' };
const called = { type: 'tool_use', id: 't1', name: 'vote', input: {} };
const result = { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't1', content: 'ok' }] };
const tools = [{ name: 'vote', input_schema: { type: 'object' } }];
const body = (rest: object): AnthropicBody => ({ model: 'claude-opus-5-5', max_tokens: 9, messages: [user], ...rest });

const first = body({ tools });
const thought = { type: 'thinking', thinking: 'Hm.', signature: signatureFor(first, [], 'Hm.') };
const course = [user, reply(thought, called), result];
const dropStale = { type: 'adaptive', block_binding: { prefix_mismatch_behavior: 'drop_block' } };

test.each<[string, object, string | undefined]>([
  ['a plain request', {}, undefined],
  ['no limit', { max_tokens: undefined }, 'max_tokens: Field required'],
  ['a limit over the model’s', { max_tokens: 200_000 }, 'maximum allowed'],
  ['an unknown parameter', { reasoning_effort: 'high' }, 'reasoning_effort: Extra inputs'],
  ['a temperature', { temperature: 1 }, 'deprecated'],
  ['a budget', { thinking: { type: 'enabled', budget_tokens: 2048 } }, 'thinking.type.enabled'],
  ['a forced tool', { tools, tool_choice: { type: 'any' } }, 'forces tool use'],
  ['a choice without tools', { tool_choice: { type: 'none' } }, 'while providing tools'],
  ['a binding without its header', { thinking: dropStale }, 'block_binding: Extra inputs'],
  ['an unknown effort', { output_config: { effort: 'minimal' } }, 'not supported'],
  ['a blank text', { messages: [{ role: 'user', content: [{ type: 'text', text: ' ' }] }] }, 'non-whitespace'],
  ['a blank system text', { system: [{ type: 'text', text: '' }] }, 'non-whitespace'],
  ['a reply first', { messages: [reply(text), user] }, 'first message'],
  ['a reply last', { messages: [user, reply(text)] }, 'end with a user message'],
  ['calls without their tools', { messages: course }, 'must define `tools`'],
  ['a call without its result', { tools, messages: [user, reply(called), user] }, 'without `tool_result`'],
  ['a result without its call', { tools, messages: [user, reply(text), result] }, 'unexpected `tool_use_id`'],
  [
    'a choice in a schema',
    { tools: [{ name: 'a', input_schema: { type: 'object', anyOf: [{}] } }] },
    'at the top level',
  ],
  [
    'an odd name in a schema',
    { tools: [{ name: 'a', input_schema: { type: 'object', properties: { $top: {} } } }] },
    'Property keys',
  ],
  ['a thought at the end', { tools, messages: [user, reply(thought), user] }, 'final block'],
  ['a thought behind the same words', { tools, messages: course }, undefined],
  [
    'a thought behind other tools',
    { tools: [...tools, { ...tools[0], name: 'b' }], messages: course },
    'different conv',
  ],
  ['a thought behind another system text', { tools, system: 'S', messages: course }, 'different conversation'],
  ['a changed thought', { tools, messages: [user, reply({ ...thought, thinking: 'Ha.' }, called), result] }, 'Invalid'],
])('Anthropic, %s', (_, rest, words) => {
  const problem = anthropicProblem(body(rest), { kept: [], dropped: [] });
  if (words === undefined) expect(problem).toBeUndefined();
  else expect(problem?.message).toContain(words);
});

test.each([
  ['another model’s', { model: 'claude-haiku-5-5', tools }, 'model_binding_mismatch'],
  ['stale ones that may be left out', { tools, system: 'S', thinking: dropStale }, 'prefix_binding_mismatch'],
])('thoughts are left out: %s', (_, rest, reason) => {
  const memory = { kept: [], dropped: [] };
  const headers = { 'anthropic-beta': 'thinking-binding-controls-2026-08-01' };
  expect(anthropicProblem(body({ messages: course, ...rest }), memory, headers)).toBeUndefined();
  expect(memory).toEqual({ kept: [], dropped: [`messages.1.content.0: ${reason}`] });
});
