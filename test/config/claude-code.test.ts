import { describe, expect, test } from 'vitest';
import { checkConfig, ignoredKeys, partsOf } from '../../src/config/kinds.ts';
import { problemText } from '../../src/config/problems.ts';

const problemsOf = (content: object): string[] => {
  const checked = checkConfig(content);
  return checked.ok ? [] : checked.problems.map((problem) => problemText(problem));
};

const team = (backend: object, rest: object = {}): object => ({
  agents: [{ id: 'coder', backend: { type: 'claude_code', ...backend }, ...rest }, { id: 'other' }],
});

describe('a backend of the type claude_code', () => {
  test('is one of a team’s agents, of its final agent and of its judge', () => {
    const backend = { type: 'claude_code' };
    const commands = { enable_mcp_command_line: true, command_line_execution_mode: 'local' };
    const all = { model: 'claude-opus-5-5', max_turns: 20, max_tokens: 8000, reasoning_effort: 'high', cwd: 'src' };
    expect(problemsOf({ ...team({ ...all, ...commands }), final_agent: { backend, judge: { backend } } })).toEqual([]);
  });

  test.each([
    [{ temperature: 1 }, 'temperature: is nothing that claude_code takes; leave it out'],
    [{ extra_body: {} }, 'extra_body: is nothing that claude_code takes; leave it out'],
    [{ idle_timeout: 5 }, 'idle_timeout: is nothing that claude_code takes; leave it out'],
    [{ folder: 'docs' }, 'folder: is nothing that claude_code takes; leave it out'],
    [
      { reasoning_effort: 'minimal' },
      'reasoning_effort: "minimal" is no effort of claude_code: low | medium | high | xhigh',
    ],
    [
      { enable_mcp_command_line: true, command_line_execution_mode: 'docker' },
      'command_line_execution_mode: must be local for claude_code, which runs its commands itself',
    ],
    [
      { enable_mcp_command_line: true },
      'command_line_execution_mode: must be local for claude_code, which runs its commands itself',
    ],
    [{ max_turns: 0 }, 'max_turns: 0 is too small (more than 0)'],
  ])('%j is refused', (keys, problem) => {
    expect(problemsOf(team(keys))).toContain(`agents[0].backend.${problem}`);
  });

  test('has a loop of its own, and max_turns is its alone', () => {
    expect(problemsOf(team({}, { orchestrator: 'react' }))).toEqual([
      'agents[0].orchestrator: claude_code has a loop of its own: leave this out',
    ]);
    expect(problemsOf(team({ type: 'claude', max_turns: 3 }))).toEqual([
      'agents[0].backend.max_turns: is for claude_code alone; an agent has max_thoughts',
    ]);
  });

  test('is refused for research and plans, at its place', () => {
    const said = 'claude_code is a backend of the agents of a team; here use one of openai, ';
    const backend = { type: 'claude_code' };
    expect(problemsOf({ research: { backend, plan: { backend } } })).toEqual([
      expect.stringContaining(`research.backend.type: ${said}`),
      expect.stringContaining(`research.plan.backend.type: ${said}`),
    ]);
    expect(problemsOf({ plan: { executor: { backend } } })).toEqual([
      expect.stringContaining(`plan.executor.backend.type: ${said}`),
    ]);
  });

  test('says that it neither asks nor is asked where the others are, and that its commands have effect', () => {
    const commands = { enable_mcp_command_line: true, command_line_execution_mode: 'local' };
    const notices = (coordination: object): string[] => {
      const checked = checkConfig({ ...team(commands), orchestrator: { coordination } });
      return checked.ok ? ignoredKeys(...partsOf(checked.value)) : [];
    };
    expect(notices({ broadcast: 'human' })).toEqual([
      'coder: the backend claude_code has no ask_others; such an agent neither asks nor is asked',
    ]);
    expect(notices({})).toEqual([]);
  });
});
