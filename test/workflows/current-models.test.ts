import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { agentOf, call, inTurn, writeKit } from '../support/agent-script.ts';
import type { Script } from '../support/model-server.ts';
import { running, type Running } from '../support/running.ts';
import { restart, submit, teamOf, teamScript } from '../support/team-script.ts';

let script: Script;
let run: Running;
beforeAll(async () => {
  run = await running((seen) => script(seen), { GEMINI_API_KEY: 'test-key-gemini' });
  writeKit(run.home);
});
// It fails if a provider would have refused one of the requests.
afterAll(() => run[Symbol.asyncDispose]());

const team = ['agent_a', 'agent_b'];

/** The scripted model is at the addresses of OpenAI and Anthropic alone. */
const addressOf = ({ type }: { type: string }): object => (type === 'gemini' ? { base_url: run.model.openai } : {});

describe.each([
  { type: 'openai', model: 'gpt-4o' },
  { type: 'openai', model: 'gpt-5', temperature: 0.5 },
  { type: 'openai', model: 'gpt-5.4', reasoning_effort: 'high' },
  { type: 'openai', model: 'gpt-5.6' },
  { type: 'openai', model: 'gpt-6-astra', max_tokens: 4000 },
  { type: 'openai', model: 'o3' },
  { type: 'chatcompletion', model: 'gpt-5' },
  { type: 'chatcompletion', model: 'gpt-5.6', reasoning_effort: 'none' },
  { type: 'gemini', model: 'gemini-3.1-pro-preview' },
] as const)('a provider that enforces its rules takes every request to $model ($type)', (backend) => {
  const courses: Array<[string, object, Parameters<typeof teamScript>[0]]> = [
    ['a plain run', { max_orchestration_restarts: 0 }, {}],
    ['a judge after presenting', { enable_post_presentation_evaluation: true }, {}],
    ['a restart', {}, { decide: ({ attempt }) => (attempt === 1 ? restart('Too short.', 'Write more.') : submit()) }],
  ];

  test.each(courses)('%s', async (_, coordination, acts) => {
    script = teamScript(acts);
    run.model.requests.length = 0;
    const config = teamOf(team, { ...backend, ...addressOf(backend) }, coordination);
    const result = await run.orchestrate({ task: 'Build it.', config });
    expect(result).toMatchObject({ answer: 'The final answer, by agent_a.' });
    expect(run.model.refused).toEqual([]);
  });

  // No module stands for chatcompletion.
  test.skipIf(backend.type === 'chatcompletion')('a turn of ReAct', async () => {
    script = inTurn([
      { text: 'I need the weather.' },
      call('echo', { text: '18 C' }, 'Looking it up.'),
      { text: 'It is 18 C.' },
      { text: 'Enough.' },
      { text: 'FINAL_ANSWER: 18 C' },
    ]);
    const { modules, ...rest } = agentOf('openai', { react: {} }, ['kit']) as { modules: Array<{ id: string }> };
    const { type, ...config } = backend;
    const module = type === 'gemini' ? 'GoogleLLM' : 'OpenAILLM';
    const own = modules.map((each) =>
      each.id === 'llm' ? { module, id: 'llm', config: { ...config, ...addressOf(backend) } } : each,
    );
    const session = await run.startSession({ config: { modules: own, ...rest }, text: 'How warm is it?' });
    expect(await session.result()).toMatchObject({ outcome: 'answered' });
    expect(run.model.refused).toEqual([]);
  });
});
