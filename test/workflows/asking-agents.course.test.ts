import type { WorkflowHandle } from '@temporalio/client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { RunEvent } from '../../src/protocol/events.ts';
import type { Script, Scripted, Seen } from '../support/model-server.ts';
import { hasAsked, resultsIn } from '../support/asking.ts';
import { running, type Running } from '../support/running.ts';
import { answer, ask, teamOf, teamScript, vote, type TeamRequest } from '../support/team-script.ts';

let script: Script = teamScript();
let run: Running;
beforeAll(async () => {
  run = await running((seen) => script(seen));
});
afterAll(() => run[Symbol.asyncDispose]());

const team = ['agent_a', 'agent_b', 'agent_c'];

/** The run of the present test. */
let started: Promise<WorkflowHandle>;
const eventsNow = async (): Promise<RunEvent[]> => (await started).query<RunEvent[]>('events');

/** Whether a call under way has told the server that it has come to this text. */
async function heartbeatsHold(text: string): Promise<boolean> {
  const { pendingActivities } = (await (await started).describe()).raw;
  const payloads = pendingActivities?.flatMap(({ heartbeatDetails }) => heartbeatDetails?.payloads ?? []) ?? [];
  return payloads.some(({ data }) => Buffer.from(data ?? []).includes(text));
}

/** What a model says that takes for ever. */
const never = new Promise<Scripted>(() => {});

const isShadow = ({ prompt }: Seen): boolean => prompt.includes('## Question from');

/** Agents act by the first script until they have responses, then by `later`. */
const first =
  (act: (request: TeamRequest) => ReturnType<Script>, later = act) =>
  (request: TeamRequest): ReturnType<Script> =>
    hasAsked(request) ? later(request) : act(request);

describe('agents that ask one another', () => {
  const config = (coordination: object = {}, rest: object = {}) =>
    teamOf(team, { type: 'openai' }, { broadcast: 'agents', max_orchestration_restarts: 0, ...coordination }, rest);

  async function play(
    acts: Parameters<typeof teamScript>[0],
    coordination: object = {},
    rest: object = {},
  ): Promise<{ requests: Seen[]; events: RunEvent[]; answer: string }> {
    script = teamScript(acts);
    run.model.requests.length = 0;
    started = run.start({ task: 'Build a site.', config: config(coordination, rest) });
    const handle = await started;
    const result = (await handle.result()) as { answer: string };
    const events = await handle.query<RunEvent[]>('events');
    return { requests: [...run.model.requests], events, answer: result.answer };
  }

  const answers = ({ agent }: TeamRequest) => answer(`Answer of ${agent}.`);

  test('one ask among three agents is exactly two shadow calls, whose responses come back by configured ids', async () => {
    const { requests } = await play({
      answer: first((request) => (request.agent === 'agent_a' ? ask('OAuth2?') : answers(request)), answers),
    });
    const shadows = requests.filter(isShadow);
    expect(shadows).toHaveLength(2);
    for (const { tools, body } of shadows) {
      expect(tools).toEqual([]);
      expect(JSON.stringify(body)).not.toContain('tool_choice');
    }
    const [result] = resultsIn(requests.find(hasAsked)!);
    expect(result).toEqual({
      status: 'complete',
      request_id: 'q1',
      responses: [
        { responder_id: 'agent_b', content: 'Response of agent_b.', is_human: false },
        { responder_id: 'agent_c', content: 'Response of agent_c.', is_human: false },
      ],
    });
  });

  test('all three asking at once is six shadow calls, without deadlock', async () => {
    const { requests, answer: said } = await play({ answer: first(() => ask('And you?'), answers) });
    expect(requests.filter(isShadow)).toHaveLength(6);
    expect(said).toBe('The final answer, by agent_a.');
  });

  test('a shadow reads its parent’s conversation and persona, nothing of the team’s work, and answers in plain text', async () => {
    const { requests } = await play({
      answer: answers,
      vote: first(
        (request) => (request.agent === 'agent_a' ? ask('Why?') : vote('agent1')),
        () => vote('agent1'),
      ),
    });
    const shadows = requests.filter(isShadow);
    expect(shadows).toHaveLength(2);
    for (const shadow of shadows) {
      const id = /I am (agent_\w)/.exec(shadow.prompt)?.[1];
      expect(shadow.prompt).toContain('Build a site.');
      expect(shadow.prompt).toContain(`[You called new_answer:]\n{"content":"Answer of ${id}."}`);
      expect(shadow.prompt).toContain('[Result of new_answer:]\nRecorded.');
      expect(shadow.prompt).toContain('## Question from agent_a\n\nWhy?');
      expect(shadow.prompt).not.toContain('Answer the task completely');
      expect(shadow.raw).not.toMatch(/"function_call|"tool_use"|"tool_result"/);
    }
  });

  test('a call of the parent that has no result yet is described', async () => {
    const asked = Promise.withResolvers<void>();
    const described = Promise.withResolvers<void>();
    const { requests } = await play({
      answer: first(async (request) => {
        if (request.agent === 'agent_a') {
          // By then agent_b waits for its own responses.
          await asked.promise;
          return ask('What are you at?');
        }
        return request.agent === 'agent_b' ? ask('Slow one?') : answers(request);
      }, answers),
      shadow: async ({ prompt, agent }) => {
        if (prompt.includes('## Question from agent_b')) {
          asked.resolve();
          await described.promise;
          return { text: 'At last.' };
        }
        if (agent === 'agent_b') described.resolve();
        return { text: `Response of ${agent}.` };
      },
    });
    const shadow = requests.find((seen) => isShadow(seen) && /I am agent_b[\s\S]*What are you at/.test(seen.prompt));
    expect(shadow?.prompt).toContain('[You called ask_others, which has no result yet:]\n{"question":"Slow one?"}');
  });

  test('what the parent has been streaming for over a second is part of what its shadow reads', async () => {
    const words = Array.from({ length: 300 }, (_, index) => `word${index}`).join(' ');
    const shown = Promise.withResolvers<void>();
    const hold = (index: number): Promise<void> => (index < 30 ? Promise.resolve() : shown.promise);
    const { requests } = await play({
      answer: first(async ({ agent }) => {
        if (agent === 'agent_b') return { ...answer(words), hold };
        if (agent === 'agent_c') return answer('Mine.');
        await expect.poll(() => heartbeatsHold('word1')).toBe(true);
        return ask('What are you writing?');
      }, answers),
      shadow: ({ agent }) => {
        if (agent === 'agent_b') shown.resolve();
        return { text: `Response of ${agent}.` };
      },
    });
    const shadow = requests.find((seen) => isShadow(seen) && seen.prompt.includes('I am agent_b'));
    expect(shadow?.prompt).toMatch(/\[You are writing at this moment:\]\n[\s\S]*word1/);
  });

  test('parents go on uninterrupted, and find what was asked and responded in their conversation', async () => {
    const { requests } = await play({
      answer: first(
        (request) => (request.agent === 'agent_a' ? ask('Should we use PostgreSQL?') : answers(request)),
        answers,
      ),
      shadow: () => ({ text: 'Yes, because…' }),
    });
    const votes = requests.filter(({ prompt }) => prompt.includes('## Answers'));
    const notice =
      '[INFO] While you were working, agent_a asked: "Should we use PostgreSQL?"\n' +
      'Your shadow agent responded: "Yes, because…"\n' +
      '(This is just for your awareness - you may continue your work.)';
    expect(votes.filter(({ prompt }) => prompt.includes(notice))).toHaveLength(2);
    expect(votes.find(({ prompt }) => prompt.includes('I am agent_a'))?.prompt).not.toContain('[INFO]');
  });

  test('a round of voting that starts again leaves questions under way and their notices', async () => {
    const again = Promise.withResolvers<void>();
    const responded = { type: 'responded', agent: 'agent_b' };
    const { requests, events } = await play({
      answer: answers,
      vote: async (request) => {
        const { agent, prompt } = request;
        if (prompt.includes('Better.')) again.resolve();
        if (hasAsked(request) || prompt.includes('Better.')) return vote('agent1');
        if (agent === 'agent_a') return ask('Which one?');
        if (agent !== 'agent_c') return never;
        await expect.poll(() => eventsNow()).toContainEqual(expect.objectContaining(responded));
        return answer('Better.');
      },
      shadow: async ({ agent }) => {
        if (agent === 'agent_c') await again.promise;
        return { text: `Response of ${agent}.` };
      },
    });
    expect(events.filter(({ type }) => type === 'voting')).toHaveLength(2);
    expect(requests.filter(isShadow)).toHaveLength(2);
    const after = requests.find((seen) => hasAsked(seen) && seen.prompt.includes('I am agent_a'))!;
    expect(resultsIn(after)).toMatchObject([{ status: 'complete', responses: [{}, {}] }]);
    expect(after.prompt).toContain('Better.');
    // Its first vote was under way when its shadow responded, and was cancelled.
    const second = requests.filter(({ prompt }) => prompt.includes('I am agent_b')).at(-1);
    expect(second?.prompt).toContain('[INFO] While you were working, agent_a asked: "Which one?"');
    expect(second?.prompt).toContain('Better.');
  });

  test.each([
    ['fails', { status: 400 }],
    ['says nothing', { text: ' ' }],
  ])('an agent whose shadow’s model %s counts as one that did not respond', async (_, said) => {
    const { requests } = await play({
      answer: first((request) => (request.agent === 'agent_a' ? ask('Well?') : answers(request)), answers),
      shadow: ({ agent }) => (agent === 'agent_b' ? said : { text: 'Well.' }),
    });
    expect(resultsIn(requests.find(hasAsked)!)).toMatchObject([
      { status: 'complete', responses: [{ responder_id: 'agent_c' }], no_response: ['agent_b'] },
    ]);
  });

  test('questions of one reply run side by side, and one more than the limit gets an error that says so', async () => {
    const questions = Array.from({ length: 11 }, (_, index) => `Question ${index}?`);
    const { requests } = await play({
      answer: first((request) => (request.agent === 'agent_a' ? ask(...questions) : answers(request)), answers),
      shadow: () => ({ text: 'Yes.', delay: 500 }),
    });
    const shadows = requests.filter(isShadow);
    expect(shadows).toHaveLength(20);
    const results = resultsIn(requests.find(hasAsked)!);
    expect(results.map(({ status }) => status)).toEqual([...Array<string>(10).fill('complete'), 'error']);
    expect(results[10]?.error).toContain('10 questions under way');
  });

  test('the same question again is refused, and an agent that only ever asks it is out', async () => {
    const { events, requests } = await play({
      answer: (request) => (request.agent === 'agent_a' ? ask(' Which  one?') : answers(request)),
      vote: () => vote('agent2'),
    });
    expect(requests.filter(isShadow)).toHaveLength(2);
    const results = resultsIn(
      requests.findLast(({ prompt }) => prompt.includes('I am agent_a') && prompt.includes('q3'))!,
    );
    expect(results.slice(0, 3).map(({ status }) => status)).toEqual(['complete', 'error', 'error']);
    expect(events).toContainEqual(expect.objectContaining({ type: 'out', agent: 'agent_a' }));
  });

  test('an empty question is an error that says so, and asks nobody', async () => {
    const { requests } = await play({
      answer: first((request) => (request.agent === 'agent_a' ? ask('  ') : answers(request)), answers),
    });
    expect(requests.filter(isShadow)).toEqual([]);
    const [result] = resultsIn(requests.find(hasAsked)!);
    expect(result).toMatchObject({ status: 'error', responses: [] });
    expect(result?.error).toContain('The question is empty');
  });

  test('respond_to_broadcast answers that responses are automatic', async () => {
    const respond = { calls: [{ name: 'respond_to_broadcast', arguments: { answer: 'Me!' } }] };
    const { requests } = await play({
      answer: (request) =>
        request.agent === 'agent_a' && !request.prompt.includes('handled automatically') ? respond : answers(request),
    });
    expect(requests.some(({ prompt }) => prompt.includes('Responses are handled automatically'))).toBe(true);
  });

  const guidance = {
    depth: {
      low: ['vanilla HTML/CSS/JS', 'no complex frameworks', 'to the point'],
      medium: ['fits the complexity', 'without over-engineering', 'maintainability', 'concise but thorough'],
      high: ['React, Next.js, TypeScript', 'SSR, component libraries, testing, CI/CD', 'with examples'],
    },
    sensitivity: { low: ['rarely'], medium: ['may change what you do'], high: ['frequently'] },
  };

  test.each(['low', 'medium', 'high'] as const)('the level %s says in the prompt what it stands for', async (level) => {
    const { requests } = await play(
      { answer: first((request) => (request.agent === 'agent_a' ? ask('How?') : answers(request)), answers) },
      { response_depth: level, broadcast_sensitivity: level },
    );
    const shadow = requests.find(isShadow);
    for (const words of guidance.depth[level]) expect(shadow?.prompt).toContain(words);
    const own = requests.find(({ tools }) => tools.includes('ask_others'));
    for (const words of guidance.sensitivity[level]) expect(own?.prompt).toContain(words);
    for (const other of ['low', 'medium', 'high'] as const) {
      if (other === level) continue;
      expect(shadow?.prompt).not.toContain(guidance.depth[other][0]);
      expect(own?.prompt).not.toContain(guidance.sensitivity[other][0]);
    }
  });
});
