import { beforeEach, describe, expect, test } from 'vitest';
import type { Backend } from '../../src/config/backend.ts';
import type { OrchestrationResult } from '../../src/protocol/orchestration.ts';
import type { SessionResult } from '../../src/protocol/session.ts';
import { call, inTurn, writeKit } from '../support/agent-script.ts';
import { anthropicProblem, type ThinkingMemory } from '../support/rules/anthropic.ts';
import type { Scripted, Script, Seen } from '../support/model-server.ts';
import { sharedRunning } from '../support/running.ts';
import { restart, submit, teamOf, teamScript } from '../support/team-script.ts';

const running = sharedRunning();

const moduleOf = {
  openai: 'OpenAILLM',
  claude: 'AnthropicLLM',
  gemini: 'GoogleLLM',
  chatcompletion: 'OpenAILLM',
  offline: 'OfflineLLM',
};

let memory: ThinkingMemory;
let refusals: string[];
beforeEach(() => {
  memory = { kept: [], dropped: [] };
  refusals = [];
});

/** A model that thinks before each reply, behind a server that enforces its provider's rules. */
const behindRules = (script: Script): Script => {
  let thoughts = 0;
  return async (seen) => {
    const message = problemOf(seen);
    if (message === undefined) return { thinking: `Thought ${++thoughts}.`, ...(await script(seen)) };
    refusals.push(message);
    return { status: 400, errorBody: JSON.stringify({ error: { type: 'invalid_request_error', message } }) };
  };
};

const problemOf = ({ body, headers }: Seen): string | undefined => anthropicProblem(body, memory, headers);

const models: Backend[] = [
  { type: 'claude', model: 'claude-sonnet-5-5' },
  { type: 'claude', model: 'claude-opus-4-7' },
];

describe.each(models)('$model', (backend) => {
  const ask = async (script: Script, coordination: object = {}): Promise<OrchestrationResult> => {
    const run = running(behindRules(script));
    return run.orchestrate({ task: 'Which is best?', config: teamOf(['a', 'b'], backend, coordination) });
  };

  /** That no request was refused, and that each later one of a conversation had its thoughts. */
  const expectWhole = (): void => {
    expect(refusals).toEqual([]);
    expect(memory.dropped).toEqual([]);
    expect(memory.kept.length).toBeGreaterThan(0);
  };

  test('a team answers, votes, decides and presents', async () => {
    const result = await ask(teamScript());
    expect(result).toMatchObject({ outcome: 'submitted', answer: 'The final answer, by a.' });
    expectWhole();
  });

  test('an answer is evaluated after it was presented', async () => {
    const result = await ask(teamScript(), { enable_post_presentation_evaluation: true });
    expect(result).toMatchObject({ outcome: 'submitted', answer: 'The final answer, by a.' });
    expectWhole();
  });

  test('a team starts over', async () => {
    const decide = ({ attempt }: { attempt: number }): Scripted =>
      attempt === 1 ? restart('Too short.', 'Say more.') : submit();
    const result = await ask(teamScript({ decide }));
    expect(result).toMatchObject({ outcome: 'submitted', attempts: 2, answer: 'The final answer, by a.' });
    expectWhole();
  });

  test('an agent of the loop react uses a tool in a session', async () => {
    const { type: _, ...config } = backend;
    const replies = inTurn([
      { text: 'I should echo.' },
      call('echo', { text: 'hello' }),
      { text: 'It said hello.' },
      { text: 'Now I know.' },
      { text: 'FINAL_ANSWER: hello' },
    ]);
    const run = running(behindRules(replies));
    writeKit(run.home);
    const handle = await run.startSession({
      text: 'Echo hello.',
      config: {
        modules: [
          { module: moduleOf[backend.type], id: 'llm', config },
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
    expect(((await handle.result()) as SessionResult).answer).toBe('hello');
    expectWhole();
  });
});
