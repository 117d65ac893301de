import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { RunEvent } from '../../src/protocol/events.ts';
import type { OrchestrationResult } from '../../src/protocol/orchestration.ts';
import { call, calls, toolResults, writeKit } from '../support/agent-script.ts';
import type { Script, Seen } from '../support/model-server.ts';
import { running, type Running } from '../support/running.ts';
import { answer, teamOf, teamScript, vote, type TeamRequest } from '../support/team-script.ts';

let script: Script;
let run: Running;
beforeAll(async () => {
  run = await running((seen) => script(seen));
  writeKit(run.home);
});
afterAll(() => run[Symbol.asyncDispose]());

const hasTool = ({ tools }: Seen, name: string): boolean => tools.includes(name);

describe.each(['openai', 'claude'])('a team with tools of the world, over the wire of %s', (type) => {
  async function play(
    acts: Parameters<typeof teamScript>[0],
    { agent = {}, coordination = {} }: { agent?: object; coordination?: object } = {},
  ): Promise<{ requests: Seen[]; result: OrchestrationResult; events: RunEvent[] }> {
    script = teamScript(acts);
    run.model.requests.length = 0;
    const team = teamOf(['agent_a', 'agent_b'], { type }, { max_orchestration_restarts: 0, ...coordination });
    const [first, ...others] = team.agents;
    const config = { ...team, agents: [{ ...first, tool_packages: ['kit'], ...agent }, ...others] };
    const handle = await run.start({ task: 'Find out.', config });
    const result = (await handle.result()) as OrchestrationResult;
    return { requests: [...run.model.requests], result, events: await handle.query<RunEvent[]>('events') };
  }

  const isFirst = ({ agent }: TeamRequest): boolean => agent === 'agent_a';
  const own = ({ agent }: TeamRequest) => answer(`Answer of ${agent}.`);

  test('an agent uses its tools, reads the results, and answers; one without tools is offered none', async () => {
    const { requests, result } = await play({
      answer: (request) =>
        isFirst(request) && toolResults(request).length === 0
          ? calls(['echo', { text: 'found it' }], ['fail', { text: 'rate limited' }])
          : own(request),
    });
    const [after] = requests.filter((request) => toolResults(request).includes('found it'));
    expect(toolResults(after!)).toEqual(['found it', 'Error: rate limited']);
    expect(requests.filter((request) => hasTool(request, 'vote')).some((request) => !hasTool(request, 'echo'))).toBe(
      true,
    );
    expect(result.outcome).toBe('submitted');
  });

  test('an answer beside a call of a tool is not taken: it was written without the result', async () => {
    const { events, requests } = await play({
      answer: (request) =>
        isFirst(request) && toolResults(request).length === 0
          ? calls(['new_answer', { content: 'Too early.' }], ['echo', { text: 'late' }])
          : own(request),
    });
    const given = events.flatMap((event) => (event.type === 'answer' ? [event.content] : []));
    expect(given).not.toContain('Too early.');
    expect(requests.some(({ prompt }) => prompt.includes('Read the results, then act'))).toBe(true);
  });

  test('while a team plans, tools with side effects are withheld; the final agent has them', async () => {
    const { requests } = await play(
      {
        answer: own,
        present: (request) =>
          hasTool(request, 'write') && !request.prompt.includes('wrote it')
            ? call('write', { text: 'it' })
            : { text: 'Done.' },
      },
      { coordination: { enable_planning_mode: true } },
    );
    const planning = requests.filter((request) => hasTool(request, 'echo') && hasTool(request, 'vote'));
    expect(planning.length).toBeGreaterThan(0);
    expect(planning.some((request) => hasTool(request, 'write'))).toBe(false);
    expect(requests.some((request) => toolResults(request).includes('wrote it'))).toBe(true);
  });

  test('an agent that works by react thinks before each act, and observes what its tools gave', async () => {
    const { requests, events } = await play(
      {
        answer: (request) =>
          isFirst(request) && toolResults(request).length === 0 ? call('echo', { text: 'found it' }) : own(request),
        present: ({ prompt }) => ({
          text: /(THOUGHT|OBSERVATION):[^\n]*$/.test(prompt) ? 'Hm.' : 'The end.',
        }),
      },
      { agent: { orchestrator: 'react' } },
    );
    const said = events.flatMap((event) => (event.type === 'says' ? [event.text] : []));
    expect(said.slice(0, 6)).toEqual([
      '🤔 **THINKING...**',
      '💭 **THOUGHT:** Hm.',
      '👁️ **OBSERVING RESULTS...**',
      '🔍 **OBSERVATION:** Hm.',
      '🤔 **THINKING...**',
      '💭 **THOUGHT:** Hm.',
    ]);
    const acts = requests.filter(({ prompt, tools }) => prompt.includes('I am agent_a.') && tools.includes('vote'));
    expect(acts.every(({ prompt }) => prompt.includes('ACTION:'))).toBe(true);
  });

  test('an agent that only uses tools is out when its thoughts are used up, and the team goes on', async () => {
    const { events, result } = await play({
      answer: (request) => (isFirst(request) ? call('echo', { text: 'again' }) : own(request)),
      vote: () => vote('agent2'),
    });
    expect(events).toContainEqual(expect.objectContaining({ type: 'out', agent: 'agent_a' }));
    expect(events.filter((event) => event.type === 'tool')).toHaveLength(9);
    expect(result.finalAgent).toBe('agent_b');
  });

  test('a tool that cannot be used fails the run before any model is called, and is named', async () => {
    script = teamScript();
    run.model.requests.length = 0;
    const team = teamOf(['agent_a'], { type });
    const agents = team.agents.map((agent) => ({ ...agent, tool_packages: ['nowhere'] }));
    const handle = await run.start({ task: 'Find out.', config: { ...team, agents } });
    const failure = (await handle.result().catch((error: unknown) => error)) as Error & {
      cause: Error & { cause?: Error };
    };
    expect(`${failure.cause.message} ${failure.cause.cause?.message}`).toContain('nowhere');
    expect(run.model.requests).toEqual([]);
  });
});
