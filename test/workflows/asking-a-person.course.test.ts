import type { WorkflowHandle } from '@temporalio/client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { maxAnswerChars, type HumanReply, type PendingQuestion } from '../../src/protocol/questions.ts';
import type { RunEvent } from '../../src/protocol/events.ts';
import type { OrchestrationResult } from '../../src/protocol/orchestration.ts';
import type { TurnResult } from '../../src/protocol/session.ts';
import { agentOf } from '../support/agent-script.ts';
import { hasAsked, resultsIn } from '../support/asking.ts';
import type { Script, Scripted, Seen } from '../support/model-server.ts';
import { running, type Running } from '../support/running.ts';
import { answer, ask, restart, submit, teamOf, teamScript, vote, type TeamRequest } from '../support/team-script.ts';

let script: Script = teamScript();
let run: Running;
beforeAll(async () => {
  run = await running((seen) => script(seen));
});
afterAll(() => run[Symbol.asyncDispose]());

const team = ['agent_a', 'agent_b', 'agent_c'];

interface Play {
  handle: WorkflowHandle;
  requests: Seen[];
  /** Waits for the next question. */
  question: () => Promise<PendingQuestion>;
  reply: (reply: HumanReply) => Promise<void>;
  events: () => Promise<RunEvent[]>;
  result: () => Promise<OrchestrationResult>;
}

async function play(
  act: (request: TeamRequest) => Scripted | Promise<Scripted>,
  { coordination = {}, input = {}, rest = {}, acts = {} }: Record<string, object> = {},
): Promise<Play> {
  script = teamScript({ answer: act, ...acts });
  run.model.requests.length = 0;
  const handle = await run.start({
    task: 'Build a site.',
    config: teamOf(
      team,
      { type: 'openai' },
      { broadcast: 'human', max_orchestration_restarts: 0, ...coordination },
      rest,
    ),
    ...input,
  });
  const seen = new Set<string>();
  return {
    handle,
    requests: run.model.requests,
    async question() {
      for (;;) {
        const [next] = await handle.query<PendingQuestion[]>('pendingQuestions');
        if (next !== undefined && !seen.has(next.questionId)) {
          seen.add(next.questionId);
          return next;
        }
        await new Promise((resolve) => setTimeout(resolve, 30));
      }
    },
    reply: (reply) => handle.signal('answer', reply),
    events: () => handle.query<RunEvent[]>('events'),
    result: () => handle.result() as Promise<OrchestrationResult>,
  };
}

const answers = ({ agent }: TeamRequest): Scripted => answer(`Answer of ${agent}.`);
/** In their first reply the given agents ask, in this order; then all agents answer. */
const asks =
  (questions: Record<string, string>) =>
  (request: TeamRequest): Scripted => {
    const question = questions[request.agent];
    return question === undefined || hasAsked(request) ? answers(request) : ask(question);
  };
const resultsOf = (requests: Seen[], agent: string) =>
  resultsIn(requests.findLast((seen) => seen.prompt.includes(`I am ${agent}.`) && hasAsked(seen))!);
const prompts = (events: RunEvent[]) => events.filter(({ type }) => type === 'question');

test('when three agents ask at once, one prompts, and two are deferred with what the person said', async () => {
  const { question, reply, result, requests, events } = await play(
    asks({ agent_a: 'What color theme?', agent_b: 'What style?', agent_c: 'Which font?' }),
  );
  const { from, questionId, question: asked, askedAt, expiresAt } = await question();
  expect(Date.parse(expiresAt ?? '') - Date.parse(askedAt)).toBe(300_000);
  await reply({ questionId, answer: 'Dark mode' });
  const { humanQa } = await result();
  expect(humanQa).toEqual([{ question: asked, answer: 'Dark mode' }]);
  expect(prompts(await events())).toHaveLength(1);
  expect(resultsOf(requests, from)).toEqual([
    {
      status: 'complete',
      request_id: questionId,
      responses: [{ responder_id: 'human', content: 'Dark mode', is_human: true }],
    },
  ]);
  for (const other of team.filter((id) => id !== from)) {
    const [deferred] = resultsOf(requests, other);
    expect(deferred).toMatchObject({ status: 'deferred', responses: [], human_qa_history: humanQa });
    expect(deferred?.human_qa_note).toMatch(
      /^The human has already answered questions this session\. Review the history above/,
    );
  }
});

test('one that was deferred prompts again with a different question, while the others work on', async () => {
  const { question, reply, result, requests, events } = await play((request) => {
    if (request.agent === 'agent_c') return answers(request);
    if (!hasAsked(request)) return ask(`First of ${request.agent}?`);
    const deferred = request.prompt.includes('"deferred"') && !request.prompt.includes('Serif');
    return deferred ? ask('Which font?') : answers(request);
  });
  const first = await question();
  await reply({ answer: 'Dark mode' });
  const second = await question();
  expect(second).toMatchObject({ question: 'Which font?' });
  expect(second.from).not.toBe(first.from);
  const answered = (await events()).filter(({ type }) => type === 'answer').map((event) => event as { agent: string });
  expect(answered.map(({ agent }) => agent)).toContain('agent_c');
  await reply({ answer: 'Serif' });
  expect((await result()).humanQa.map((entry) => entry.answer)).toEqual(['Dark mode', 'Serif']);
  expect(resultsOf(requests, second.from).map(({ status }) => status)).toEqual(['deferred', 'complete']);
});

test('a skip is not a timeout; after it the next asker prompts, and its time runs from then', async () => {
  const { question, reply, result, requests, events } = await play(asks({ agent_a: 'Red?', agent_b: 'Blue?' }));
  const first = await question();
  const askedNow = async () => (await events()).filter(({ type }) => type === 'asked');
  await expect.poll(askedNow).toHaveLength(2);
  // The others work on.
  await expect.poll(events).toContainEqual(expect.objectContaining({ type: 'answer', agent: 'agent_c' }));
  await reply({ answer: '' });
  const second = await question();
  expect(second.from).not.toBe(first.from);
  expect(Date.parse(second.askedAt)).toBeGreaterThan(Date.parse((await askedNow())[1]!.at));
  expect(Date.parse(second.expiresAt ?? '') - Date.parse(second.askedAt)).toBe(300_000);
  await reply({ answer: '' });
  expect((await result()).humanQa).toEqual([]);
  expect(resultsOf(requests, first.from)).toEqual([
    { status: 'skipped', request_id: first.questionId, responses: [], no_response: ['human'] },
  ]);
});

test('a person who never answers ends the asking after the first timeout, and the run ends', async () => {
  const { result, requests, events } = await play(
    (request) => (resultsIn(request).length < 2 ? ask(`Question ${resultsIn(request).length}?`) : answers(request)),
    { coordination: { broadcast_timeout: 2 } },
  );
  expect(await result()).toMatchObject({ outcome: 'submitted' });
  const prompted = prompts(await events());
  expect(prompted).toHaveLength(1);
  for (const agent of team) {
    const results = resultsOf(requests, agent);
    expect(results).toMatchObject([
      { status: 'timeout', no_response: ['human'] },
      { status: 'timeout', no_response: ['human'] },
    ]);
    expect(results.at(-1)?.note).toContain('The human was not asked');
  }
});

test('an agent that only ever asks a person who is silent is out, and the others answer', async () => {
  const { result, events } = await play((request) => (request.agent === 'agent_a' ? ask('Red?') : answers(request)), {
    coordination: { broadcast_timeout: 2 },
    acts: { vote: () => vote('agent2') },
  });
  expect(await result()).toMatchObject({ outcome: 'degraded', finalAgent: 'agent_b' });
  expect(await events()).toContainEqual(expect.objectContaining({ type: 'out', agent: 'agent_a' }));
});

test('an agent may ask twice as often as it may have questions open, deferred and refused ones included', async () => {
  const { question, reply, result, requests } = await play(
    (request) => {
      const results = resultsIn(request);
      if (request.agent !== 'agent_a' || results.length === 5) return answers(request);
      return ask(results.length === 1 ? ' ' : `Question ${results.length}?`);
    },
    { coordination: { max_broadcasts_per_agent: 2 } },
  );
  for (const text of ['One.', 'Two.', 'Three.']) {
    await question();
    await reply({ answer: text });
  }
  expect(await result()).toMatchObject({ outcome: 'submitted' });
  const results = resultsOf(requests, 'agent_a');
  expect(results.map(({ status }) => status)).toEqual(['complete', 'error', 'complete', 'complete', 'error']);
  expect(results.at(-1)?.error).toContain('asked 4 times');
});

test('a late answer that names its question enters the history under it', async () => {
  const gate = Promise.withResolvers<void>();
  const { reply, result, requests, events } = await play(
    async (request) => {
      if (request.agent === 'agent_c') return answers(request);
      if (hasAsked(request)) return answers(request);
      if (request.agent === 'agent_b') await gate.promise;
      return ask(`Question of ${request.agent}?`);
    },
    { coordination: { broadcast_timeout: 1 } },
  );
  await expect.poll(() => requests.some(hasAsked)).toBe(true);
  // It may have been open for less than a look at what waits.
  const [first] = (await events()).flatMap((event) => (event.type === 'question' ? [event] : []));
  expect(first?.from).toBe('agent_a');
  await reply({ questionId: first!.questionId, answer: 'Late, but here' });
  gate.resolve();
  const { humanQa } = await result();
  expect(humanQa).toEqual([{ question: 'Question of agent_a?', answer: 'Late, but here' }]);
  expect(resultsOf(requests, 'agent_b')).toMatchObject([{ status: 'deferred', human_qa_history: humanQa }]);
});

test('an answer that comes before anything was asked is the first asker’s', async () => {
  const gate = Promise.withResolvers<void>();
  const { reply, events, result, requests } = await play(async (request) => {
    await gate.promise;
    return request.agent === 'agent_a' && !hasAsked(request) ? ask('What color theme?') : answers(request);
  });
  await reply({ answer: 'Dark mode' });
  await expect.poll(async () => (await events()).some(({ type }) => type === 'answer_kept')).toBe(true);
  gate.resolve();
  expect((await result()).humanQa).toEqual([{ question: 'What color theme?', answer: 'Dark mode' }]);
  expect(resultsOf(requests, 'agent_a')).toMatchObject([{ status: 'complete' }]);
  expect(prompts(await events())).toEqual([]);
});

test.each<[string, unknown]>([
  ['without an answer', {}],
  ['of another type', 'Dark mode'],
  ['without any payload', undefined],
  ['for a question that nobody asked', { questionId: 'q99', answer: 'Yes' }],
  [`of over ${maxAnswerChars} characters`, { answer: 'x'.repeat(maxAnswerChars + 1) }],
])('a signal answer %s is a log line, and the question goes on waiting', async (_, payload) => {
  const { handle, question, reply, events, result } = await play(asks({ agent_a: 'Red?' }));
  const { questionId } = await question();
  await handle.signal('answer', payload);
  await expect
    .poll(async () => (await events()).flatMap((event) => (event.type === 'warning' ? [event.text] : [])))
    .toEqual([expect.stringContaining('ignored')]);
  await reply({ questionId, answer: 'Red.' });
  expect((await result()).humanQa).toEqual([{ question: 'Red?', answer: 'Red.' }]);
});

test('when nobody asks a person, an answer is ignored with a log line', async () => {
  const gate = Promise.withResolvers<void>();
  const { reply, events, result } = await play(
    async (request) => {
      await gate.promise;
      return answers(request);
    },
    { coordination: { broadcast: false } },
  );
  await reply({ answer: 'Dark mode' });
  gate.resolve();
  await result();
  expect(await events()).toContainEqual(
    expect.objectContaining({ type: 'warning', text: expect.stringContaining('nobody asks a person') as string }),
  );
});

test('after a restart of the team the history is there, and is shown to the new conversations first', async () => {
  const { question, reply, result, requests, events } = await play(
    (request) =>
      request.agent === 'agent_a' && !hasAsked(request) ? ask(`Attempt ${request.attempt}?`) : answers(request),
    {
      coordination: { max_orchestration_restarts: 1 },
      acts: { decide: ({ attempt }: TeamRequest) => (attempt === 1 ? restart('Again.', 'Better.') : submit()) },
    },
  );
  await question();
  await reply({ answer: 'Dark mode' });
  const { attempts, humanQa } = await result();
  expect(attempts).toBe(2);
  expect(humanQa).toEqual([{ question: 'Attempt 1?', answer: 'Dark mode' }]);
  expect(prompts(await events())).toHaveLength(1);
  expect(resultsOf(requests, 'agent_a')).toMatchObject([{ status: 'deferred', human_qa_history: humanQa }]);
});

test('what the person has said in a turn that failed is told to the agent again', async () => {
  let turn = 1;
  script = (seen) => {
    const isAsked = resultsIn(seen).length === turn;
    if (turn === 1) return isAsked ? { status: 400 } : ask('What color theme?');
    return hasAsked(seen) ? { text: `Told: ${resultsIn(seen)[0]?.status}` } : ask('What style?');
  };
  const config = agentOf('openai', { simple: {} }, [], { coordination: { broadcast: 'human' } });
  const session = await run.startSession({ config });
  const say = (text: string) => session.executeUpdate<TurnResult, [string]>('handleText', { args: [text] });
  const first = say('First.').catch((error: Error) => error);
  await expect.poll(() => session.query<PendingQuestion[]>('pendingQuestions')).toHaveLength(1);
  await session.signal('answer', { answer: 'Dark mode' });
  expect(await first).toBeInstanceOf(Error);
  turn = 2;
  expect(await say('Second.')).toMatchObject({ answer: 'Told: deferred' });
  await session.signal('close');
  await session.result();
});

test('a history given with the input defers the first question', async () => {
  const humanQa = [{ question: 'What color theme?', answer: 'Dark mode' }];
  const { result, requests } = await play(asks({ agent_a: 'Which colors?' }), { input: { humanQa } });
  expect((await result()).humanQa).toEqual(humanQa);
  expect(resultsOf(requests, 'agent_a')).toMatchObject([{ status: 'deferred', human_qa_history: humanQa }]);
});

test('a restart by a person withdraws the open question, and its late answer is kept', async () => {
  const { handle, question, reply, result, events } = await play(
    (request) => (request.agent === 'agent_a' && request.attempt === 1 ? ask('Red?') : answers(request)),
    { coordination: { max_orchestration_restarts: 1 } },
  );
  const { questionId } = await question();
  await handle.signal('requestRestart', { reason: 'Wrong way.', instructions: 'Go left.' });
  await expect.poll(async () => handle.query('pendingQuestions')).toEqual([]);
  await reply({ questionId, answer: 'Red.' });
  expect(await result()).toMatchObject({ attempts: 2 });
  expect(await events()).toContainEqual(expect.objectContaining({ type: 'question_closed', how: 'withdrawn' }));
  expect(await events()).toContainEqual(expect.objectContaining({ type: 'answer_kept', questionId }));
});

test('a run that waits is found by its search attribute and shows its question in its details, until it is answered', async () => {
  const { handle, question, reply, result } = await play(asks({ agent_a: 'Red or blue?' }));
  await question();
  const waiting = async (): Promise<string[]> => {
    const ids: string[] = [];
    for await (const { workflowId } of run.client.workflow.list({ query: 'RepriseWaiting = "human"' }))
      ids.push(workflowId);
    return ids;
  };
  await expect.poll(waiting).toContain(handle.workflowId);
  const details = async (): Promise<string> => JSON.stringify(await handle.query('__temporal_workflow_metadata'));
  expect(await details()).toContain('Red or blue?');
  expect(await details()).toContain('signal `answer`');
  await reply({ answer: 'Red.' });
  await result();
  await expect.poll(waiting).not.toContain(handle.workflowId);
});

test('a person’s long answer stands in the history once for each text of a prompt that holds it', async () => {
  const text = 'Dark mode, and here is why. '.repeat(2000);
  const { handle, question, reply, result, requests } = await play(
    asks({ agent_a: 'Red?', agent_b: 'Blue?', agent_c: 'Green?' }),
  );
  const { from } = await question();
  await reply({ answer: text });
  expect((await result()).humanQa[0]?.answer).toBe(text);
  const deferred = from === 'agent_c' ? 'agent_b' : 'agent_c';
  expect(resultsOf(requests, deferred)[0]).toMatchObject({ human_qa_history: [{ answer: text }] });
  const { events } = await handle.fetchHistory();
  const holding = (events ?? []).filter((event) => Buffer.from(JSON.stringify(event)).length > text.length);
  // The signal, what was stored for the agent that asked and for the two that are told what it was answered, and the result.
  expect(holding.map(({ eventType }) => eventType)).toHaveLength(5);
});
