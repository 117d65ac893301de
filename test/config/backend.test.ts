import { describe, expect, test } from 'vitest';
import { backendSchema } from '../../src/config/backend.ts';
import { preflightBackends } from '../../src/config/models/complete-backend.ts';
import { checkedBy, problemText } from '../../src/config/problems.ts';
import { parseConfig } from '../../src/config/read-config.ts';

function problemsOf(backend: object): string[] {
  const checked = checkedBy(backendSchema as never, backend);
  return checked.ok ? [] : checked.problems.map((problem) => problemText(problem));
}

describe('the effort of a backend', () => {
  test.each<[object, string | undefined]>([
    [{ type: 'openai', model: 'gpt-5.6', reasoning_effort: 'xhigh' }, 'xhigh'],
    [{ type: 'openai', model: 'gpt-5.6', reasoning_effort: 'none' }, 'none'],
    [{ type: 'chatcompletion', model: 'mine', reasoning_effort: 'minimal' }, 'minimal'],
    [{ type: 'openai' }, undefined],
  ])('%o', (backend, effort) => {
    expect(backendSchema.parse(backend).reasoning_effort).toBe(effort);
  });

  test.each<[object, string]>([
    [
      { type: 'openai', model: 'gpt-5.6', reasoning_effort: 'minimal' },
      'reasoning_effort: "minimal" is no effort of gpt-5.6: it takes none | low | medium | high | xhigh',
    ],
    [
      { type: 'openai', model: 'gpt-4o', reasoning_effort: 'low' },
      'reasoning_effort: "low" is no effort of gpt-4o: it takes none',
    ],
    [
      { type: 'openai', model: 'gpt-5', reasoning_effort: 'hihg' },
      'reasoning_effort: "hihg" is not one of none | minimal | low | medium | high | xhigh; did you mean high?',
    ],
  ])('%o is refused', (backend, problem) => {
    expect(problemsOf(backend)).toEqual([problem]);
  });
});

test.each<[string, object, string]>([
  [
    'extra_body may not replace what Reprise sends',
    { extra_body: { messages: [] } },
    'extra_body.messages: is what Reprise',
  ],
  ['a secret is not written out', { headers: { 'X-Key': 'sk-proj-1234567890' } }, 'headers.X-Key: looks like a secret'],
  ['retries are whole and bounded', { max_retries: 101 }, 'max_retries: 101 is too large (at most 100)'],
  ['an idle timeout takes time', { idle_timeout: 0 }, 'idle_timeout: 0 is too small (more than 0)'],
])('%s', (_, keys, problem) => {
  expect(problemsOf({ type: 'openai', ...keys })).toEqual([expect.stringContaining(problem) as string]);
});

test('a header from a variable is accepted, and the variable is asked for before a run', () => {
  const backend = backendSchema.parse({ type: 'openai', headers: { Authorization: 'Bearer ${GATE}' } });
  const key = { OPENAI_API_KEY: 'k' };
  expect(preflightBackends({ 'agent a': backend }, key)).toEqual([
    'agent a: headers.Authorization of its backend needs GATE, which is not set',
  ]);
  expect(preflightBackends({ 'agent a': backend }, { ...key, GATE: 'x' })).toEqual([]);
});

test('a variable whose address is none is told before a run', () => {
  const environment = { OPENAI_API_KEY: 'k', OPENAI_BASE_URL: 'localhost:8000/v1' };
  expect(preflightBackends({ 'agent a': { type: 'openai' } }, environment)).toEqual([
    'agent a: OPENAI_BASE_URL is no address with http:// or https://',
  ]);
});

test('the keys are those of a module too, with the type that it stands for', () => {
  const file = (keys: string) => `
modules:
  - { module: OpenAILLM, id: llm, config: { model: gpt-5.6, ${keys} } }
  - { module: SimpleToolOrchestrator, id: loop }
exchange:
  - { module: loop, protocol: LLMProtocol, provider: llm }
  - { module: __entry__, protocol: TextMessageHandlerProtocol, provider: loop }
`;
  const read = parseConfig(file('reasoning_effort: high, idle_timeout: 5'), 'c.yaml');
  expect(JSON.stringify(read)).toContain('"reasoning_effort":"high"');
  expect(JSON.stringify(parseConfig(file('reasoning_effort: minimal'), 'c.yaml'))).toContain('no effort of gpt-5.6');
});
