import { describe, expect, test } from 'vitest';
import { call, inTurn, writeKit } from '../support/agent-script.ts';
import type { Script, Scripted, Seen } from '../support/model-server.ts';
import { sharedRunning, type SharedRunning } from '../support/running.ts';
import { restart, submit, teamOf, teamScript, type TeamRequest } from '../support/team-script.ts';
import type { Backend } from '../../src/protocol/settings.ts';

const running = sharedRunning(() => ({ GEMINI_API_KEY: 'test-key-gemini' }));

interface Course {
  backend: Backend;
  /** What a thought looks like where it comes back; absent for a model that does not think. */
  thought?: string;
  /** Added to the address of the server: each maker has its own. */
  path?: string;
}

/** One of each kind that providers treat differently (test/support/rules). */
const models: Course[] = [
  { backend: { type: 'openai', model: 'gpt-4.1' } },
  { backend: { type: 'openai', model: 'gpt-5', temperature: 0.5 }, thought: '"type":"reasoning"' },
  { backend: { type: 'openai', model: 'gpt-5.4', reasoning_effort: 'high' }, thought: '"type":"reasoning"' },
  { backend: { type: 'openai', model: 'gpt-5.6', reasoning_effort: 'high' }, thought: '"type":"reasoning"' },
  { backend: { type: 'openai', model: 'gpt-6.2-sol', max_tokens: 4000 }, thought: '"type":"reasoning"' },
  { backend: { type: 'claude', model: 'claude-sonnet-5-5' }, thought: '"type":"thinking"' },
  { backend: { type: 'claude', model: 'claude-opus-4-7', reasoning_effort: 'high' }, thought: '"type":"thinking"' },
  { backend: { type: 'gemini', model: 'gemini-3.8-flash' }, thought: '"thought_signature"', path: '/google' },
  { backend: { type: 'gemini', model: 'gemini-3.1-pro-preview' }, thought: '"thought_signature"', path: '/google' },
  { backend: { type: 'chatcompletion', model: 'gpt-5' } },
  { backend: { type: 'chatcompletion', model: 'gpt-5.6', reasoning_effort: 'none' } },
  { backend: { type: 'chatcompletion', model: 'smollm2' } },
  { backend: { type: 'chatcompletion', model: 'qwen3-8b' }, thought: '<think>' },
  {
    backend: { type: 'chatcompletion', model: 'google/gemini-3.1-pro-preview' },
    thought: '"reasoning_details"',
    path: '/openrouter',
  },
  { backend: { type: 'chatcompletion', model: 'deepseek-v4-pro' }, thought: '"reasoning_content"', path: '/deepseek' },
];

const moduleOf = {
  openai: 'OpenAILLM',
  chatcompletion: 'ChatCompletionLLM',
  claude: 'AnthropicLLM',
  gemini: 'GoogleLLM',
} as const;

describe.each(models)('$backend.model ($backend.type)', ({ backend, thought, path }) => {
  /** A worker whose model thinks before each reply, and whose server enforces the rules of the model's provider. */
  function start(script: Script): SharedRunning {
    let thoughts = 0;
    return running(async (seen) => ({
      ...(thought && { thinking: `Thought ${++thoughts}.` }),
      ...(await script(seen)),
    }));
  }

  const at = (run: SharedRunning): Backend => ({ ...backend, ...(path && { base_url: run.model.openai + path }) });

  /** Runs a team, and makes sure that no request is refused. @returns its result, and the request for its presentation */
  async function ask(acts: Parameters<typeof teamScript>[0] = {}, coordination: object = {}) {
    const presenting: string[] = [];
    const present = ({ agent, raw }: TeamRequest): Scripted => {
      presenting.push(raw);
      return { text: `The final answer, by ${agent}.` };
    };
    const run = start(teamScript({ present, ...acts }));
    const config = teamOf(['a', 'b'], at(run), coordination);
    const result = await run.orchestrate({ task: 'Which is best?', config });
    expectWhole(run);
    return { result, presenting: presenting.at(-1) };
  }

  function expectWhole({ model }: SharedRunning): void {
    expect(model.refused).toEqual([]);
    expect(model.thinking.dropped).toEqual([]);
    const returned = model.requests.filter(({ raw }) => thought && raw.includes(thought));
    if (thought) expect(returned).not.toEqual([]);
    expect(model.requests.map((seen) => seen.model)).toEqual(model.requests.map(() => backend.model));
  }

  const presented = { outcome: 'submitted', answer: 'The final answer, by a.' };

  test('a team answers, votes, decides and presents', async () => {
    const { result, presenting } = await ask();
    expect(result).toMatchObject(presented);
    expect(presenting).toContain(thought ?? '');
  });

  test('an answer is evaluated after it was presented', async () => {
    const { result } = await ask({}, { enable_post_presentation_evaluation: true });
    expect(result).toMatchObject(presented);
  });

  test('a team starts over', async () => {
    const decide = ({ attempt }: TeamRequest) => (attempt === 1 ? restart('Too short.', 'Say more.') : submit());
    const { result, presenting } = await ask({ decide });
    expect(result).toMatchObject({ ...presented, attempts: 2 });
    expect(presenting).toContain(thought ?? '');
  });

  test('an agent of the loop react uses a tool in a session', async () => {
    const replies = inTurn([
      { text: 'I should echo.' },
      call('echo', { text: 'hello' }),
      { text: 'It said hello.' },
      { text: 'Now I know.' },
      { text: 'FINAL_ANSWER: hello' },
    ]);
    const run = start(replies);
    writeKit(run.home);
    const { type, ...config } = at(run);
    const session = await run.startSession({
      text: 'Echo hello.',
      config: {
        modules: [
          { module: moduleOf[type as keyof typeof moduleOf], id: 'llm', config },
          { module: 'PythonToolProvider', id: 'tools', config: { tool_packages: ['kit'] } },
          { module: 'ReActOrchestrator', id: 'agent' },
        ],
        exchange: [
          { module: 'agent', protocol: 'LLMProtocol', provider: 'llm' },
          { module: 'agent', protocol: 'ToolProviderProtocol', provider: 'tools' },
          { module: '__entry__', protocol: 'TextMessageHandlerProtocol', provider: 'agent' },
        ],
      },
    });
    expect(await session.result()).toMatchObject({ answer: 'hello', outcome: 'answered' });
    expectWhole(run);
  });
});

test('a final agent of another Claude model judges and presents without the thoughts of the others', async () => {
  const run = running(async (seen: Seen) => ({ thinking: 'Hm.', ...(await teamScript()(seen)) }));
  const backend = { type: 'claude', model: 'claude-haiku-5-5' };
  const final_agent = { backend: { type: 'claude', model: 'claude-opus-5-5' } };
  const result = await run.orchestrate({
    task: 'Which is best?',
    config: teamOf(['a', 'b'], backend, {}, { final_agent }),
  });
  expect(result).toMatchObject({ outcome: 'submitted', answer: 'The final answer, by a.' });
  expect([run.model.refused, run.model.thinking.dropped]).toEqual([[], []]);
});
