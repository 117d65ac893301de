import { expect, test } from 'vitest';
import { chatProblem, responsesProblem } from './rules/openai.ts';
import type { Body } from './scripted.ts';

const user = { role: 'user', content: 'Hi' };
const parameters = { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] };
const tools = [{ type: 'function', function: { name: 'vote', parameters } }];
const flat = [{ type: 'function', name: 'vote', parameters, strict: false }];
const calling = (text: string) => ({
  role: 'assistant',
  content: null,
  tool_calls: [{ id: 'c', type: 'function', function: { name: 'vote', arguments: text } }],
});
const result = { role: 'tool', tool_call_id: 'c', content: 'ok' };

const chat = (rest: object): Body => ({ model: 'gpt-5', messages: [user], ...rest });

test.each<[string, object, string | undefined]>([
  ['a plain request', {}, undefined],
  ['tools', { tools, tool_choice: 'auto' }, undefined],
  ['tools of gpt-5.6', { model: 'gpt-5.6', tools }, 'reasoning_effort'],
  ['tools of gpt-5.6 without reasoning', { model: 'gpt-5.6', tools, reasoning_effort: 'none' }, undefined],
  ['tools of gpt-5.4', { model: 'gpt-5.4', tools }, undefined],
  ['tools of gpt-5.4 with an effort', { model: 'gpt-5.4', tools, reasoning_effort: 'low' }, 'reasoning_effort'],
  ['a temperature', { temperature: 0.5 }, 'temperature'],
  ['a temperature of gpt-4o', { model: 'gpt-4o', temperature: 0.5 }, undefined],
  ['max_tokens', { max_tokens: 9 }, 'max_tokens'],
  ['minimal of gpt-5.6', { model: 'gpt-5.6', reasoning_effort: 'minimal' }, 'reasoning_effort'],
  ['none of gpt-6-astra', { model: 'gpt-6-astra', reasoning_effort: 'none' }, 'reasoning_effort'],
  ['an effort of gpt-4o', { model: 'gpt-4o', reasoning_effort: 'low' }, 'reasoning_effort'],
  ['an unknown parameter', { top_k: 4 }, 'top_k'],
  ['a choice without tools', { tool_choice: 'none' }, 'tool_choice'],
  ['a call without its result', { messages: [user, calling('{}'), user] }, 'messages.[2]'],
  ['a result without its call', { messages: [user, result] }, 'messages.[1].role'],
  ['a call with its result', { messages: [user, calling('{}'), result] }, undefined],
  ['arguments that are no JSON', { messages: [user, calling('x'), result] }, 'messages.[1]'],
  ['no content', { messages: [{ role: 'assistant' }] }, 'messages.[0].content'],
  [
    'a strict schema that is open',
    { tools: [{ type: 'function', function: { name: 'vote', parameters, strict: true } }] },
    'tools[0].parameters',
  ],
])('Chat Completions: %s', (_, body, param) => {
  expect(chatProblem(chat(body))?.param).toBe(param);
});

test.each<[string, object, string | undefined]>([
  ['a choice on the root', { anyOf: [{ required: ['a'] }] }, 'at the top level'],
  [
    'a list without items',
    { properties: { a: { type: 'array' } } },
    "In context=('properties', 'a'), array schema missing",
  ],
  ['a property that is no schema', { properties: { type: 'object' } }, 'is not of type'],
  ['a choice within', { properties: { a: { anyOf: [{ type: 'string' }] } } }, undefined],
])('the schema of a tool: %s', (_, parameters, message = '') => {
  const given = [{ type: 'function', function: { name: 'vote', parameters: { type: 'object', ...parameters } } }];
  expect(chatProblem(chat({ tools: given }))?.message ?? '').toContain(message);
  expect(message !== '').toBe(chatProblem(chat({ tools: given })) !== undefined);
});

const called = { type: 'function_call', call_id: 'c', name: 'vote', arguments: '{}' };
const output = { type: 'function_call_output', call_id: 'c', output: 'ok' };
const thought = { type: 'reasoning', id: 'rs', summary: [], encrypted_content: 'e' };
const thoughts = new Map([['gpt-5 c', 'e']]);

test.each<[string, object, string | undefined]>([
  ['a plain request', {}, undefined],
  ['a call with its reasoning', { input: [user, thought, called, output] }, undefined],
  ['a call without its reasoning', { input: [user, called, output] }, 'input[1]'],
  ['a call of another model', { model: 'gpt-5.6', input: [user, called, output] }, undefined],
  ['reasoning without what followed it', { input: [user, thought, user] }, 'input[1]'],
  [
    'reasoning that was not stored',
    { input: [user, { ...thought, encrypted_content: undefined }, called, output] },
    'input[1]',
  ],
  ['a call without its output', { input: [user, thought, called] }, 'input'],
  ['an output without its call', { input: [user, output] }, 'input'],
  ['tools', { tools: flat, tool_choice: 'none' }, undefined],
  [
    'tools that are strict since nothing else is said',
    { tools: [{ ...flat[0], strict: undefined }] },
    'tools[0].parameters',
  ],
  [
    'a choice of a tool that there is not',
    { tools: flat, tool_choice: { type: 'function', name: 'x' } },
    'tool_choice',
  ],
  ['a temperature', { temperature: 0.5 }, 'temperature'],
  ['a limit below the least', { max_output_tokens: 9 }, 'max_output_tokens'],
  ['messages', { messages: [user] }, 'messages'],
  [
    'encrypted reasoning of a model that does not reason',
    { model: 'gpt-4o', include: ['reasoning.encrypted_content'] },
    'include',
  ],
])('Responses: %s', (_, body, param) => {
  const whole = { model: 'gpt-5', input: [user], store: false, ...body };
  expect(responsesProblem(whole, thoughts)?.param).toBe(param);
});
