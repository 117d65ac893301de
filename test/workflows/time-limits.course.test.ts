import { beforeAll, describe, expect, test, vi } from 'vitest';
import type { WorkflowHandle } from '@temporalio/client';
import type { RunEvent } from '../../src/protocol/events.ts';
import type { OrchestrationResult } from '../../src/protocol/orchestration.ts';
import type { PendingQuestion } from '../../src/protocol/questions.ts';
import { call, toolResults, writeKit } from '../support/agent-script.ts';
import { hasAsked, resultsIn } from '../support/asking.ts';
import type { Scripted, Seen } from '../support/model-server.ts';
import { sharedRunning } from '../support/running.ts';
import { answer, ask, restart, submit, teamOf, teamScript, vote } from '../support/team-script.ts';

const running = sharedRunning();

const team = ['agent_a', 'agent_b'];
const openai = { type: 'openai' };
/** What takes for ever. */
const never = new Promise<never>(() => {});

describe('time', () => {
  /** Seconds of each limit: more than a busy machine needs for what must be done within it. All wait for theirs side by side. */
  const limit = 30;

  interface Course {
    acts: Parameters<typeof teamScript>[0];
    ids?: string[];
    coordination?: object;
    rest: object;
    /** What a person does. */
    meanwhile?: (handle: WorkflowHandle) => Promise<void>;
  }
  interface Played {
    result: OrchestrationResult;
    events: RunEvent[];
    requests: Seen[];
  }

  const courses: Course[] = [];
  let played: Played[];
  beforeAll(async () => {
    const scripts = courses.map(({ acts }) => teamScript(acts));
    const run = running((seen) => scripts[Number(/Task (\d+)\./.exec(seen.prompt)?.[1])]!(seen));
    writeKit(run.home);
    played = await Promise.all(
      courses.map(async ({ coordination, ids = team, meanwhile, rest }, index) => {
        const task = `Task ${index}.`;
        const handle = await run.start({ task, config: teamOf(ids, openai, coordination, rest) });
        await meanwhile?.(handle);
        const result = (await handle.result()) as OrchestrationResult;
        const requests = run.model.requests.filter(({ prompt }) => prompt.includes(task));
        return { result, requests, events: await handle.query<RunEvent[]>('events') };
      }),
    );
  });

  /** @returns what gives the run of this course, which is played beside the others */
  function course(its: Course): () => Played {
    const index = courses.push(its) - 1;
    return () => played[index]!;
  }

  const agentTime = { timeout_settings: { agent_timeout_seconds: limit } };
  const attemptTime = { timeout_settings: { orchestrator_timeout_seconds: limit } };
  const outIn = (events: RunEvent[], agent: string) =>
    events.find((event) => event.type === 'out' && event.agent === agent);

  describe('of an agent', () => {
    const late = course({
      acts: {
        // It stalls in the middle.
        answer: ({ agent }) =>
          agent === 'agent_a'
            ? { ...answer('Too late. '.repeat(50)), hold: (index) => (index < 5 ? Promise.resolve() : never) }
            : answer('Mine.'),
        vote: () => vote('agent2'),
        decide: ({ attempt }) => (attempt === 1 ? restart('r', 'i') : submit()),
      },
      rest: agentTime,
    });

    test('that is over puts it out for the rest of the run', () => {
      const { requests, result } = late();
      expect(result).toMatchObject({
        finalAgent: 'agent_b',
        attempts: 2,
        outcome: 'submitted',
        warnings: [
          'agent_a was out of attempt 1: timed out',
          'agent_a was out of attempt 2: timed out in an earlier attempt',
        ],
      });
      expect(requests.filter(({ prompt }) => prompt.includes('I am agent_a.'))).toHaveLength(1);
    });

    test('that is over is named as the limit that has ended its call', () => {
      const reason = expect.stringContaining('time') as string;
      expect(outIn(late().events, 'agent_a')).toMatchObject({ timedOut: true, reason });
    });

    test('that is over does not keep what it has cost from being counted', () => {
      const { byAgent } = late().result.usage;
      expect(byAgent['agent_a']).toMatchObject({ calls: 1 });
      expect(byAgent['agent_a']?.inputTokens).toBeGreaterThan(0);
    });

    const later = { delay: (limit * 1000 * 2) / 3 };
    const thinking = course({
      acts: {
        // A thought asks for no call, as the presentation does.
        present: ({ agent }) => ({ text: 'Hm.', ...(agent === 'agent_a' && later) }),
        answer: ({ agent }) => ({ ...answer(`Answer of ${agent}.`), ...(agent === 'agent_a' && later) }),
        vote: () => vote('agent2'),
      },
      rest: {
        agents: teamOf(team, openai).agents.map((each) =>
          each.id === 'agent_a' ? { ...each, orchestrator: 'react' } : each,
        ),
        ...agentTime,
      },
    });

    test('that works by react is there once, and not for each of its thoughts and acts', () => {
      const { events, result } = thinking();
      expect(result).toMatchObject({ finalAgent: 'agent_b' });
      expect(outIn(events, 'agent_a')).toMatchObject({ timedOut: true });
      expect(events.flatMap((event) => (event.type === 'answer' ? [event.agent] : []))).toEqual(['agent_b']);
    });

    const silent = course({ acts: { vote: () => never }, rest: agentTime });

    test('that is over for all of them leads to no restart: the best answer, `timeout`', () => {
      const { requests, result } = silent();
      expect(result).toMatchObject({ outcome: 'timeout', answer: 'Answer of agent_a in attempt 1.', attempts: 1 });
      expect(requests).toHaveLength(4);
    });
  });

  describe('of an attempt that is over', () => {
    const first = course({
      acts: { answer: ({ agent }) => (agent === 'agent_a' ? never : answer(`Answer of ${agent}.`)) },
      rest: attemptTime,
    });

    test('has the best answer so far delivered', () => {
      expect(first().result).toMatchObject({
        outcome: 'timeout',
        answer: 'Answer of agent_b.',
        finalAgent: 'agent_b',
      });
    });

    const second = course({
      acts: {
        answer: ({ agent, attempt }) =>
          agent === 'agent_b' && attempt === 2 ? never : answer(`Answer of ${agent} in attempt ${attempt}.`),
        decide: () => restart('Not good enough.', 'Do better.'),
      },
      rest: attemptTime,
    });

    test('before its answers are voted on has the best one of those before delivered', () => {
      const best = 'Answer of agent_a in attempt 1.';
      expect(second().result).toMatchObject({ answer: best, outcome: 'timeout', attempts: 2 });
    });
  });

  const withKit = (ids: string[]) => teamOf(ids, openai).agents.map((each) => ({ ...each, tool_packages: ['kit'] }));
  const write = call('write', { text: 'one' });

  describe('of a budget that is spent', () => {
    const ids = ['agent_a', 'agent_b', 'agent_c', 'agent_d'];
    const acts: Record<string, Scripted | Promise<Scripted>> = {
      agent_a: { status: 503 },
      agent_b: never,
      agent_c: write,
    };
    const spent = course({
      acts: { answer: ({ agent }) => acts[agent] ?? answer('Mine.') },
      ids,
      rest: { agents: withKit(ids), attended: true, budget: { seconds: limit } },
    });

    test('ends the run, though a provider that is down would be tried for long, and has what there is delivered', () => {
      expect(spent().result).toMatchObject({ outcome: 'budget', finalAgent: 'agent_d' });
    });

    test('is named as the limit that has ended a call', () => {
      const reason = expect.stringContaining(`The budget of ${limit} seconds is spent`) as string;
      expect(outIn(spent().events, 'agent_b')).toMatchObject({ timedOut: false, reason });
    });

    test('names what has failed where it leaves no time for another try', () => {
      const reason = expect.stringMatching(/budget of \d+ seconds leaves no time for another try: .*503/) as string;
      expect(outIn(spent().events, 'agent_a')).toMatchObject({ timedOut: false, reason });
    });

    test('ends the wait for a person’s approval, which says before when it will', () => {
      const expiresAt = expect.any(String) as string;
      expect(spent().events).toContainEqual(expect.objectContaining({ type: 'approval_requested', expiresAt }));
      expect(spent().events).toContainEqual(expect.objectContaining({ type: 'approval_resolved' }));
    });
  });

  describe('of an agent and of an attempt stands still', () => {
    const times = { agent_timeout_seconds: limit, orchestrator_timeout_seconds: limit };
    /** Waits until something waits for a person, and has done so for longer than the limits. */
    const outwaited = async (handle: WorkflowHandle): Promise<PendingQuestion> => {
      let next: PendingQuestion | undefined;
      const isOver = async (): Promise<boolean> => {
        [next] = await handle.query<PendingQuestion[]>('pendingQuestions');
        return next !== undefined && Date.now() - Date.parse(next.askedAt) > limit * 1000;
      };
      await vi.waitUntil(isOver, { timeout: 180_000, interval: 500 });
      return next!;
    };

    const approved = course({
      acts: { answer: (request) => (toolResults(request).length === 0 ? write : answer('Mine.')) },
      ids: ['agent_a'],
      coordination: { max_orchestration_restarts: 0 },
      rest: { agents: withKit(['agent_a']), attended: true, timeout_settings: times },
      async meanwhile(handle) {
        const { questionId: id } = await outwaited(handle);
        await handle.signal('approve', { id, action: 'allow' });
      },
    });

    test('while a call waits for a person’s approval', () => {
      expect(approved().result).toMatchObject({ outcome: 'submitted' });
    });

    const answered = course({
      acts: { answer: (request) => (hasAsked(request) ? answer('Mine.') : ask('Red?')) },
      ids: ['agent_a'],
      coordination: { broadcast: 'human' },
      rest: { timeout_settings: times },
      async meanwhile(handle) {
        const { questionId } = await outwaited(handle);
        await handle.signal('answer', { questionId, answer: 'Red.' });
      },
    });

    test('while a question waits for a person', () => {
      expect(answered().result).toMatchObject({ outcome: 'submitted', humanQa: [{ answer: 'Red.' }] });
    });
  });

  const asking = course({
    acts: {
      answer: (request) =>
        request.agent === 'agent_a' && !hasAsked(request) ? ask('Quick?') : answer(`Answer of ${request.agent}.`),
      shadow: ({ agent }) => (agent === 'agent_c' ? never : { text: `Response of ${agent}.` }),
    },
    ids: ['agent_a', 'agent_b', 'agent_c'],
    coordination: { broadcast: 'agents', broadcast_timeout: limit, max_orchestration_restarts: 0 },
    rest: {},
  });

  test('for a question to other agents that is over returns the responses so far, with those who did not respond, and cancels the rest', async () => {
    const { requests } = asking();
    expect(resultsIn(requests.find(hasAsked)!)).toEqual([
      {
        status: 'timeout',
        request_id: 'q1',
        responses: [{ responder_id: 'agent_b', content: 'Response of agent_b.', is_human: false }],
        no_response: ['agent_c'],
      },
    ]);
    const isShadow = ({ prompt }: Seen): boolean => prompt.includes('## Question from');
    const shadow = requests.find((seen) => isShadow(seen) && seen.prompt.includes('I am agent_c'))!;
    await expect.poll(() => shadow.aborted).toBe(true);
  });
});
