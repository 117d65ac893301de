import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { RunEvent } from '../../src/protocol/events.ts';
import type { OrchestrationResult } from '../../src/protocol/orchestration.ts';
import { call, calls, toolResults, writeKit } from '../support/agent-script.ts';
import type { Script, Seen } from '../support/model-server.ts';
import { running, type Running } from '../support/running.ts';
import { answer, submit, teamOf, teamScript, vote, type TeamRequest } from '../support/team-script.ts';

let script: Script;
let run: Running;
beforeAll(async () => {
  run = await running((seen) => script(seen));
  writeKit(run.home);
  writeFileSync(
    join(run.home, 'reader.ts'),
    `export const tools = [{ name: 'look', description: 'Look.', parameters: { type: 'object', properties: {} },
       sideEffects: false, execute: () => 'seen' }];`,
  );
});
afterAll(() => run[Symbol.asyncDispose]());

const hasTool = ({ tools }: Seen, name: string): boolean => tools.includes(name);
const isWithheld = ({ body }: Seen): boolean =>
  (body as { tool_choice?: { type?: string } }).tool_choice?.type === 'none';

describe('a team with tools of the world', () => {
  async function play(
    acts: Parameters<typeof teamScript>[0],
    { agent = {}, coordination = {} }: { agent?: object; coordination?: object } = {},
  ): Promise<{ requests: Seen[]; result: OrchestrationResult; events: RunEvent[] }> {
    script = teamScript(acts);
    run.model.requests.length = 0;
    const permissions = [{ tool: 'write', action: 'allow' }];
    const settings = { max_orchestration_restarts: 0, ...coordination };
    const team = teamOf(['agent_a', 'agent_b'], { type: 'claude' }, settings, { permissions });
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

  const carriesOut = (request: TeamRequest) =>
    hasTool(request, 'write') && !request.prompt.includes('wrote it')
      ? call('write', { text: 'it' })
      : { text: 'Done.' };
  const reader = { tool_packages: ['kit', 'reader'] };

  test('while a team plans it has only tools that are known to be harmless; the final agent has all, and may act', async () => {
    const { requests } = await play(
      { answer: own, present: carriesOut },
      { agent: reader, coordination: { enable_planning_mode: true } },
    );
    const planning = requests.filter((request) => hasTool(request, 'look') && hasTool(request, 'vote'));
    expect(planning.length).toBeGreaterThan(0);
    for (const { prompt, tools } of planning) {
      expect(tools).toEqual(['new_answer', 'vote', 'look']);
      expect(prompt).toContain('the team plans and does not act');
    }
    expect(requests.some((request) => toolResults(request).includes('wrote it'))).toBe(true);
    expect(requests.some(({ prompt }) => prompt.includes('You may act and have all tools'))).toBe(true);
  });

  test.each([
    ['by `execute`', { reason: 'Good plan.', instructions: 'Go.', execute: true }, true],
    ['in words', { reason: "Agents only planned but didn't execute", instructions: 'Please do.' }, true],
    ['not at all', { reason: 'A step is missing.', instructions: 'Add it.' }, false],
  ])('a restart that asks for execution %s lifts the planning or not', async (_, wish, lifted) => {
    const { requests } = await play(
      {
        answer: own,
        decide: ({ attempt }) => (attempt === 1 ? call('restart_orchestration', wish) : submit()),
        present: () => ({ text: 'Done.' }),
      },
      { agent: reader, coordination: { enable_planning_mode: true, max_orchestration_restarts: 1 } },
    );
    const second = requests.filter(
      (request) => hasTool(request, 'look') && hasTool(request, 'vote') && request.prompt.includes('This is attempt 2'),
    );
    expect(second.length).toBeGreaterThan(0);
    expect(second.every((request) => hasTool(request, 'write') === lifted)).toBe(true);
    expect(second.every(({ prompt }) => prompt.includes('the team plans and does not act') !== lifted)).toBe(true);
  });

  test('the judge is shown what the winner did with its tools, and after presenting what the presenter did', async () => {
    const answers = (request: TeamRequest) =>
      isFirst(request) && toolResults(request).length === 0 ? call('echo', { text: 'found it' }) : own(request);
    const before = await play({ answer: answers }, { coordination: { max_orchestration_restarts: 1 } });
    const judge = before.requests.find((request) => hasTool(request, 'submit'));
    expect(judge?.prompt).toContain('## Work\n\n- echo({"text":"found it"}) → ok: found it');
    const after = await play(
      { answer: answers, present: carriesOut },
      { coordination: { max_orchestration_restarts: 1, enable_post_presentation_evaluation: true } },
    );
    const evaluator = after.requests.find((request) => hasTool(request, 'submit'));
    expect(evaluator?.prompt).toContain('## Plan\n\n<answer>\nAnswer of agent_a.\n</answer>');
    expect(evaluator?.prompt).toContain(
      '- echo({"text":"found it"}) → ok: found it\n- write({"text":"it"}) → ok: wrote it',
    );
  });

  test('an agent that works by react thinks before each act, and observes what its tools gave', async () => {
    const { requests, events } = await play(
      {
        answer: (request) =>
          isFirst(request) && toolResults(request).length === 0 ? call('echo', { text: 'found it' }) : own(request),
        present: ({ prompt }) => ({ text: /(THOUGHT|OBSERVATION):[^\n]*$/.test(prompt) ? 'Hm.' : 'The end.' }),
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
    expect(acts.filter((request) => !isWithheld(request)).every(({ prompt }) => prompt.includes('ACTION:'))).toBe(true);
  });

  test('an agent that only uses tools is out when its thoughts are used up, and the team goes on', async () => {
    const { events, result } = await play({
      answer: (request) => (isFirst(request) ? call('echo', { text: 'again' }) : own(request)),
      vote: () => vote('agent2'),
    });
    expect(events).toContainEqual(expect.objectContaining({ type: 'out', agent: 'agent_a' }));
    expect(events.filter((event) => event.type === 'tool')).toHaveLength(59);
    expect(result.finalAgent).toBe('agent_b');
  });

  test('a tool that cannot be used fails the run before any model is called, and is named', async () => {
    script = teamScript();
    run.model.requests.length = 0;
    const team = teamOf(['agent_a'], { type: 'claude' });
    const agents = team.agents.map((agent) => ({ ...agent, tool_packages: ['nowhere'] }));
    const handle = await run.start({ task: 'Find out.', config: { ...team, agents } });
    const failure = (await handle.result().catch((error: unknown) => error)) as Error & {
      cause: Error & { cause?: Error };
    };
    expect(`${failure.cause.message} ${failure.cause.cause?.message}`).toContain('nowhere');
    expect(run.model.requests).toEqual([]);
  });
});
