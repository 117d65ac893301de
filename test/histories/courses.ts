import { fileURLToPath } from 'node:url';
import type { WorkflowHandle } from '@temporalio/client';
import type { PendingQuestion } from '../../src/protocol/questions.ts';
import type { RunEvent } from '../../src/protocol/events.ts';
import type { OrchestrationInput } from '../../src/protocol/orchestration.ts';
import type { ResearchInput, ResearchState } from '../../src/protocol/research.ts';
import type { SolveInput } from '../../src/protocol/plan-and-execute.ts';
import type { SessionInput } from '../../src/protocol/session.ts';
import { agentOf, call, calls, inTurn, toolResults } from '../support/agent-script.ts';
import { hasAsked, resultsIn } from '../support/asking.ts';
import { codeScript, own, useTool } from '../support/claude-code.ts';
import { configOf } from '../support/extensions.ts';
import type { Script } from '../support/model-server.ts';
import { criticism, plan, researchScript } from '../support/research-script.ts';
import type { SearchAnswer } from '../support/search-server.ts';
import { completed, failed, invalid, solveScript, subtasks, valid } from '../support/solve-script.ts';
import { answer, ask, restart, submit, teamOf, teamScript, vote, type TeamRequest } from '../support/team-script.ts';

/** A course that a run can take, told by its history's name. */
export interface Course {
  name: string;
  script: Script;
  /** Default: `orchestration`. */
  type?: 'session' | 'research' | 'planAndExecute';
  input: OrchestrationInput | SessionInput | ResearchInput | SolveInput;
  /** What the worker's search service finds; absent: it has none. */
  found?: SearchAnswer;
  /** Whether the worker needs the package of Claude Code. */
  needsClaudeCode?: true;
  /** The worker's extensions folder; default: an empty one. */
  extensions?: string;
  /** Prepares the worker's home, which is its extensions folder too. */
  prepare?: (home: string) => void;
  /** What a person does while it runs. */
  steer?: (run: WorkflowHandle) => Promise<void>;
  /** Wait for the moments between which a worker without the provider's key has the run, before `steer`. */
  lacksKey?: { from: (run: WorkflowHandle) => Promise<void>; to: (run: WorkflowHandle) => Promise<void> };
  /** Waits until the worker goes, and what a person does before another one comes, before `steer`. */
  noWorker?: { from: (run: WorkflowHandle) => Promise<void>; meanwhile: (run: WorkflowHandle) => Promise<void> };
}

const openai = { type: 'openai' as const };
const team = ['agent_a', 'agent_b', 'agent_c'];
const input = (coordination: object = {}, rest: object = {}): OrchestrationInput => ({
  task: 'What is 6 × 7?',
  config: teamOf(team, openai, coordination, rest),
});
const onceMore = teamScript({
  decide: ({ attempt }) => (attempt === 1 ? restart('Again.', 'Better.') : submit()),
});
const slow = { ...answer('Too late.'), delay: 20_000 };

/** The given agents ask once, then answer. */
function asks(questions: Record<string, string>) {
  return (request: TeamRequest) => {
    const question = questions[request.agent];
    return question === undefined || hasAsked(request) ? answer(`Answer of ${request.agent}.`) : ask(question);
  };
}

async function until(holds: () => Promise<boolean>): Promise<void> {
  while (!(await holds())) await new Promise((resolve) => setTimeout(resolve, 50));
}

/** Waits for a question, and answers it. */
async function reply(run: WorkflowHandle, text: string): Promise<void> {
  const waiting = () => run.query<PendingQuestion[]>('pendingQuestions');
  await until(async () => (await waiting()).length > 0);
  const [{ questionId } = { questionId: '' }] = await waiting();
  await run.signal('answer', { questionId, answer: text });
  await until(async () => (await waiting()).every((question) => question.questionId !== questionId));
}

const eventsOf = (run: WorkflowHandle): Promise<RunEvent[]> => run.query<RunEvent[]>('events');

const stateOf = (run: WorkflowHandle): Promise<ResearchState> => run.query<ResearchState>('state');

export const courses: Course[] = [
  { name: 'submitted', script: teamScript(), input: input() },
  // Its activities say to which store the run belongs.
  { name: 'own-store', script: teamScript(), input: input() },
  { name: 'no-restarts', script: teamScript(), input: input({ max_orchestration_restarts: 0 }) },
  { name: 'restart-before-presenting', script: onceMore, input: input() },
  {
    name: 'restart-after-presenting',
    script: onceMore,
    input: input({ enable_post_presentation_evaluation: true }),
  },
  {
    name: 'restart-limit',
    script: teamScript({ decide: () => restart('Again.', 'Better.') }),
    input: input(),
  },
  {
    name: 'improved-answer',
    script: teamScript({
      vote: ({ prompt }) =>
        prompt.includes('Better.')
          ? vote('agent3')
          : prompt.includes('I am agent_c')
            ? answer('Better.')
            : { ...vote('agent1'), delay: 5000 },
    }),
    input: input(),
  },
  {
    name: 'agent-timeout',
    script: teamScript({
      answer: ({ agent }) => (agent === 'agent_a' ? slow : answer(`Answer of ${agent}.`)),
      vote: () => vote('agent2'),
    }),
    input: input({}, { timeout_settings: { agent_timeout_seconds: 1 } }),
  },
  {
    name: 'attempt-timeout',
    script: teamScript({
      answer: ({ agent }) => (agent === 'agent_a' ? slow : answer(`Answer of ${agent}.`)),
    }),
    input: input({}, { timeout_settings: { orchestrator_timeout_seconds: 1 } }),
  },
  { name: 'budget', script: teamScript(), input: input({}, { budget: { calls: 4 } }) },
  {
    name: 'agents-out',
    script: teamScript({
      answer: ({ agent }) =>
        agent === 'agent_a' ? { status: 400 } : agent === 'agent_b' ? { text: 'Hm.' } : answer('Mine.'),
      vote: () => vote('agent3'),
    }),
    input: input(),
  },
  {
    name: 'prose',
    script: teamScript({
      answer: ({ agent }) =>
        agent === 'agent_a'
          ? { text: 'It is 42.' }
          : agent === 'agent_b'
            ? { text: '{"name": "new_answer", "arguments": {"content": "42"}}' }
            : { status: 400 },
      vote: ({ agent }) => (agent === 'agent_a' ? { text: 'The first.' } : vote('agent1')),
      present: ({ prompt }) =>
        prompt.includes('was cut off') ? { text: 'of course.' } : { text: 'It is 42, ', finish: 'length' },
    }),
    input: input(),
  },
  {
    name: 'earlier-answer',
    script: teamScript({
      vote: ({ attempt }) => vote(attempt === 1 ? 'agent1' : 'agent4'),
      decide: () => restart('Again.', 'Better.'),
    }),
    input: input({ max_orchestration_restarts: 1 }),
  },
  {
    name: 'earlier-answer-presented',
    script: teamScript({
      decide: ({ attempt }) =>
        attempt === 1 ? restart('Again.', 'Better.') : call('submit', { confirmed: true, better: 'earlier' }),
    }),
    input: input({ max_orchestration_restarts: 1, enable_post_presentation_evaluation: true }),
  },
  {
    name: 'later-attempt-fails',
    script: teamScript({
      answer: ({ agent, attempt }) => (attempt === 1 ? answer(`Answer of ${agent}.`) : { status: 400 }),
      decide: () => restart('Again.', 'Better.'),
    }),
    input: input(),
  },
  {
    name: 'judge-of-its-own',
    script: teamScript(),
    input: input({}, { final_agent: { judge: { backend: { ...openai, model: 'judge' } } } }),
  },
  { name: 'no-answer', script: teamScript({ answer: () => ({ status: 400 }) }), input: input() },
  {
    name: 'restart-by-a-person',
    script: teamScript({
      answer: ({ agent, attempt }) => (attempt === 1 ? slow : answer(`Answer of ${agent}.`)),
    }),
    input: input(),
    steer: async (run) => {
      await until(async () => (await run.query<RunEvent[]>('events')).some(({ type }) => type === 'thinking'));
      await run.signal('requestRestart', { reason: 'Wrong way.', instructions: 'Go left.' });
    },
  },
  {
    name: 'cancelled',
    script: teamScript({ vote: () => ({ ...vote('agent2'), delay: 20_000 }) }),
    input: input(),
    steer: async (run) => {
      await until(async () => (await eventsOf(run)).some(({ type }) => type === 'voting'));
      await run.cancel();
    },
  },
  {
    name: 'missing-key',
    script: teamScript({ answer: ({ agent }) => ({ ...answer(`Answer of ${agent}.`), delay: 1000 }) }),
    input: input(),
    lacksKey: {
      from: (run) => until(async () => (await eventsOf(run)).some(({ type }) => type === 'thinking')),
      to: (run) => until(async () => (await eventsOf(run)).some(({ type }) => type === 'key_missing')),
    },
  },
  {
    name: 'asking-agents',
    script: teamScript({ answer: asks({ agent_a: 'Which one?', agent_b: 'And why?' }) }),
    input: input({ broadcast: 'agents' }),
  },
  {
    name: 'asking-agents-timeout',
    script: teamScript({
      answer: asks({ agent_a: 'Which one?' }),
      shadow: ({ agent }) => ({ text: `Response of ${agent}.`, delay: agent === 'agent_c' ? 20_000 : 0 }),
    }),
    input: input({ broadcast: 'agents', broadcast_timeout: 1 }),
  },
  {
    name: 'asking-while-voting-starts-again',
    script: teamScript({
      vote: (request) => {
        if (request.prompt.includes('Better.')) return vote('agent3');
        if (request.agent === 'agent_a') return ask('Which one?');
        return request.agent === 'agent_c' ? { ...answer('Better.'), delay: 500 } : vote('agent1');
      },
      shadow: ({ agent }) => ({ text: `Response of ${agent}.`, delay: 2000 }),
    }),
    input: input({ broadcast: 'agents' }),
  },
  {
    name: 'asking-a-person',
    script: teamScript({ answer: asks({ agent_a: 'Red?', agent_b: 'Blue?', agent_c: 'Green?' }) }),
    input: input({ broadcast: 'human' }),
    steer: async (run) => {
      await reply(run, '');
      await reply(run, 'Blue.');
    },
  },
  {
    name: 'answered-before-it-asks',
    script: teamScript({
      answer: (request) => ({ ...asks({ agent_a: 'Red?', agent_b: 'Blue?' })(request), delay: 300 }),
    }),
    input: input({ broadcast: 'human' }),
    // As for a question that a query showed before Temporal let the run go on.
    steer: async (run) => {
      await run.signal('answer', { questionId: 'q1', answer: 'Blue.' });
    },
  },
  {
    name: 'useless-signals',
    script: teamScript({ answer: asks({ agent_a: 'Red?' }) }),
    input: input({ broadcast: 'human' }),
    // More than a run takes one by one, and the answer as an update.
    steer: async (run) => {
      await until(async () => (await run.query<PendingQuestion[]>('pendingQuestions')).length > 0);
      const useless = Array.from({ length: 250 }, () => run.signal('answer', { questionId: 'none', answer: 'x' }));
      await Promise.all([...useless, run.signal('none'), run.signal('requestRestart', 'now')]);
      const [asked] = await run.query<PendingQuestion[]>('pendingQuestions');
      await run.executeUpdate('answer', { args: [{ questionId: asked?.questionId, answer: 'Blue.' }] });
    },
  },
  {
    name: 'asking-a-person-in-vain',
    script: teamScript({ answer: asks({ agent_a: 'Red?' }) }),
    input: input({ broadcast: 'human', broadcast_timeout: 1 }),
  },
  {
    name: 'silent-person',
    script: teamScript({
      answer: (request) =>
        resultsIn(request).length < 2
          ? ask(`Question ${resultsIn(request).length}?`)
          : answer(`Answer of ${request.agent}.`),
    }),
    input: input({ broadcast: 'human', broadcast_timeout: 1 }),
  },
  {
    name: 'asks-too-often',
    script: teamScript({
      answer: ({ agent }) => (agent === 'agent_a' ? ask('Which one?') : answer(`Answer of ${agent}.`)),
      vote: () => vote('agent2'),
    }),
    input: input({ broadcast: 'agents' }),
  },
  {
    name: 'session',
    type: 'session',
    script: teamScript({ answer: asks({ agent_a: 'Red?' }) }),
    input: { config: teamOf(team, openai, { broadcast: 'human' }) },
    steer: async (run) => {
      const turn = run.executeUpdate('handleText', { args: ['Paint it.'] });
      await reply(run, 'Red.');
      await turn;
      await run.executeUpdate('handleText', { args: ['And the door?'] });
      await run.signal('close');
    },
  },
  {
    name: 'custom-orchestrator',
    type: 'session',
    extensions: fileURLToPath(new URL('../../examples/custom', import.meta.url)),
    script: ({ prompt }) => ({ text: prompt.includes('strict editor') ? 'Too short.' : 'A text.' }),
    input: {
      config: configOf('./draft-criticise-revise.ts', { style: 'dry' }),
      history: [{ role: 'user', content: 'Hello.' }],
    },
    steer: async (run) => {
      await run.executeUpdate('handleText', { args: ['Write about tea.'] });
      await run.executeUpdate('handleText', { args: ['And about rain.'] });
      await run.signal('close');
    },
  },
  {
    name: 'session-leave',
    type: 'session',
    script: (seen) => {
      const writes = (text: string): [string, object] => ['write', { text }];
      if (!seen.prompt.includes('And then?'))
        return toolResults(seen).length === 0
          ? calls(writes('one'), ['echo', { text: 'two' }], writes('three'), writes('four'))
          : { text: 'Written.' };
      return toolResults(seen).length === 4 ? calls(writes('five'), writes('/etc/six')) : { text: 'All written.' };
    },
    input: {
      config: agentOf('openai', { simple: { parallel: true } }, ['kit'], {
        coordination: { broadcast: 'human', broadcast_timeout: 600 },
        permissions: [{ tool: 'write', arguments: { text: '/etc/*' }, action: 'deny' }],
      }),
    },
    steer: async (run) => {
      const leaves = async (count: number): Promise<void> =>
        until(async () => (await run.query<PendingQuestion[]>('pendingQuestions')).length === count);
      const turn = run.executeUpdate('handleText', { args: ['Write.'] });
      await leaves(3);
      await run.signal('approve', { id: 't1', action: 'edit', arguments: { text: 'eins' } });
      await leaves(2);
      await run.signal('answer', { questionId: 't2', answer: 'no, two are enough' });
      await leaves(1);
      await run.signal('approve', { id: 't3', action: 'allow', always: true });
      await turn;
      await run.executeUpdate('handleText', { args: ['And then?'] });
      await run.signal('close');
    },
  },
  {
    name: 'session-leave-in-advance',
    type: 'session',
    script: (seen) =>
      toolResults(seen).length === 0
        ? { ...calls(['write', { text: 'one' }], ['write', { text: 'two' }]), delay: 1000 }
        : { text: 'Done.' },
    input: {
      text: 'Write.',
      config: agentOf('openai', { simple: { parallel: true } }, ['kit'], { attended: true }),
    },
    noWorker: {
      from: (run) =>
        until(async () => {
          const { pendingActivities } = (await run.describe()).raw;
          return pendingActivities?.[0]?.activityType?.name === 'callModel';
        }),
      // The run goes on with these and with what the model has replied at once.
      meanwhile: async (run) => {
        await run.signal('approve', { id: 't1', action: 'deny', reason: 'Once is enough' });
        await run.signal('answer', { questionId: 't2', answer: 'yes' });
      },
    },
  },
  {
    name: 'session-simple-tool',
    type: 'session',
    script: ({ prompt, ...seen }) => {
      const results = toolResults({ prompt, ...seen }).length;
      if (prompt.includes('And again?')) return { text: 'Still blue.' };
      return results === 0 ? calls(['echo', { text: 'blue' }], ['fail', { text: 'no' }]) : { text: 'Blue.' };
    },
    input: { config: agentOf('openai', { simple: {} }, ['kit']) },
    steer: async (run) => {
      await run.executeUpdate('handleText', { args: ['Which color?'] });
      await run.executeUpdate('handleText', { args: ['And again?'] });
      await run.signal('close');
    },
  },
  {
    name: 'session-react',
    type: 'session',
    script: inTurn([
      { text: 'Hm.' },
      call('echo', { text: 'blue' }),
      { text: 'Ah.' },
      { text: 'So.' },
      { text: 'FINAL_ANSWER: Blue.' },
    ]),
    input: { config: agentOf('openai', { react: {} }, ['kit']), text: 'Which color?' },
  },
  // Since 0.3 every run shows its question when it begins and what it has spent when it ends.
  { name: 'shown', script: teamScript(), input: input() },
  {
    name: 'shown-research',
    type: 'research',
    script: researchScript(),
    input: { idea: 'An idea.', config: { research: { backend: openai } } },
  },
  {
    name: 'shown-solve',
    type: 'planAndExecute',
    script: solveScript(),
    input: { problem: 'P', config: { plan: { backend: openai } } },
  },
  {
    name: 'session-final-answer-in-bold',
    type: 'session',
    script: inTurn([{ text: 'Hm.' }, { text: '**FINAL_ANSWER**: Blue.' }]),
    input: { config: agentOf('openai', { react: {} }, ['kit']), text: 'Which color?' },
  },
  {
    name: 'team-tools',
    script: teamScript({
      answer: (request) =>
        request.tools.includes('echo') && toolResults(request).length === 0
          ? call('echo', { text: 'found' })
          : answer(`Answer of ${request.agent}.`),
      present: (request) =>
        request.tools.includes('write') && toolResults(request).length === 0
          ? call('write', { text: 'it' })
          : { text: 'Hm.' },
    }),
    input: {
      task: 'Find out.',
      config: {
        agents: [
          { id: 'agent_a', orchestrator: 'react', tool_packages: ['kit'], backend: openai },
          { id: 'agent_b', backend: openai },
        ],
        orchestrator: { coordination: { enable_planning_mode: true } },
        permissions: [{ tool: 'write', action: 'allow' }],
      },
    },
  },
  {
    name: 'planning-then-acting',
    script: teamScript({
      answer: (request) =>
        request.tools.includes('write') && toolResults(request).length === 0
          ? call('write', { text: 'it' })
          : answer(`Answer of ${request.agent} in attempt ${request.attempt}.`),
      decide: ({ attempt }) =>
        attempt === 1
          ? call('restart_orchestration', { reason: 'Good plan.', instructions: 'Go.', execute: true })
          : submit(),
    }),
    input: {
      task: 'Do it.',
      config: {
        agents: [{ id: 'agent_a', tool_packages: ['kit'], backend: openai }],
        orchestrator: { coordination: { enable_planning_mode: true } },
      },
    },
  },
  {
    name: 'research',
    type: 'research',
    script: researchScript({ criticise: ({ idea }) => criticism(idea === 'idea 1' ? 20 : 72) }),
    input: { idea: 'An idea.', config: { research: { backend: openai } } },
  },
  {
    // Recorded by the version that counted words before it asked the critic. Recorded again, it would take another course.
    name: 'research-counted-words',
    type: 'research',
    script: researchScript({
      plan: ({ iteration }) => plan(iteration === 1 ? 'orchestration restart reason' : 'bread of sourdough'),
    }),
    input: {
      idea: 'orchestration restart reason',
      config: { research: { backend: openai, max_similar_implementations: 0 } },
    },
  },
  {
    name: 'research-prior-art',
    type: 'research',
    script: researchScript({
      criticise: ({ idea }) =>
        idea === 'idea 1'
          ? criticism(90, { similar: ['1.1', '1.2'], improve: 'Go elsewhere.' })
          : criticism(72, { similar: [], queries: ['restart', 'critic'] }),
    }),
    input: {
      idea: 'An idea.',
      config: { research: { backend: openai, max_similar_implementations: 1 } },
    },
  },
  {
    name: 'research-pages',
    type: 'research',
    script: researchScript({ criticise: () => criticism(72, { similar: [], queries: ['critic'] }) }),
    input: { idea: 'An idea.', config: { research: { backend: openai } } },
    found: { results: [{ title: 'A page', url: 'https://page.example', content: 'It cannot be read.' }] },
  },
  {
    name: 'research-no-material',
    type: 'research',
    script: researchScript({ plan: ({ iteration }) => plan('zyzzyva', [`zyzzyva ${'q'.repeat(iteration)}`]) }),
    input: { idea: 'zyzzyva', config: { research: { backend: openai } } },
  },
  {
    name: 'research-limit',
    type: 'research',
    script: researchScript({
      plan: ({ iteration }) => (iteration === 2 ? { text: 'Another idea' } : plan(`idea ${iteration}`)),
      criticise: ({ idea }) => (idea === 'idea 1' ? criticism(30) : { text: 'Hm.' }),
    }),
    input: { idea: 'An idea.', config: { research: { backend: openai, on_missing_score: 'restart' } } },
  },
  {
    name: 'research-person',
    type: 'research',
    script: researchScript({
      plan: ({ prompt, iteration }) =>
        prompt.includes('Bonds.') ? plan(`idea ${iteration}`) : ask('Stocks or bonds?'),
    }),
    input: {
      idea: 'An idea.',
      config: { research: { backend: openai, approval: true }, coordination: { broadcast: 'human' } },
    },
    steer: async (run) => {
      await reply(run, 'Bonds.');
      await until(async () => (await stateOf(run)).phase === 'waiting_for_approval');
      await run.signal('requestRestart', { reason: 'Too broad.', instructions: 'Only short ones.' });
      await until(async () => (await stateOf(run)).planning_iteration === 2);
      await until(async () => (await stateOf(run)).phase === 'waiting_for_approval');
      await run.signal('decide', { action: 'accept' });
    },
  },
  {
    name: 'research-stopped',
    type: 'research',
    script: researchScript({ criticise: () => ({ ...criticism(72), delay: 20_000 }) }),
    input: { idea: 'An idea.', config: { research: { backend: openai } } },
    steer: async (run) => {
      await until(async () => (await stateOf(run)).phase === 'criticising');
      await run.signal('decide', { action: 'stop' });
    },
  },
  {
    name: 'research-cancelled',
    type: 'research',
    script: researchScript({ criticise: () => ({ ...criticism(72), delay: 20_000 }) }),
    input: { idea: 'An idea.', config: { research: { backend: openai } } },
    steer: async (run) => {
      await until(async () => (await stateOf(run)).phase === 'criticising');
      await run.cancel();
    },
  },
  {
    name: 'solve-cancelled',
    type: 'planAndExecute',
    script: solveScript({
      plan: () => subtasks('step_1', { id: 'step_2', depends_on: ['step_1'] }),
      work: ({ id }) => (id === 'step_1' ? completed('Blue.') : { ...completed('Red.'), delay: 20_000 }),
    }),
    input: { problem: 'What does it say?', config: { plan: { backend: openai } } },
    steer: async (run) => {
      await until(async () => (await eventsOf(run)).some(({ type }) => type === 'subtask_completed'));
      await run.cancel();
    },
  },
  {
    name: 'session-cancelled',
    type: 'session',
    script: ({ prompt }) => (prompt.includes('And again?') ? { text: 'Red.', delay: 20_000 } : { text: 'Blue.' }),
    input: { config: agentOf('openai', { simple: {} }) },
    steer: async (run) => {
      await run.executeUpdate('handleText', { args: ['Which color?'] });
      const turn = run.executeUpdate('handleText', { args: ['And again?'] });
      await until(async () => (await eventsOf(run)).filter(({ type }) => type === 'thinking').length === 2);
      await run.cancel();
      await turn;
    },
  },
  {
    name: 'solve-retry',
    type: 'planAndExecute',
    script: solveScript({
      plan: () => subtasks('step_1', 'step_2', { id: 'step_3', depends_on: ['step_2'] }),
      work: ({ id, time }) => (id === 'step_2' && time === 1 ? failed('No.') : completed(`Result of ${id}.`)),
      validate: ({ time }) => (time === 1 ? invalid('Some of it') : valid),
    }),
    input: {
      problem: 'What does it say?',
      attachments: [{ name: 'note.txt', data: 'SXQgc2F5cyBibHVlLg==' }],
      config: { plan: { backend: openai } },
    },
  },
  {
    name: 'solve-new-plan',
    type: 'planAndExecute',
    script: solveScript({
      plan: ({ time }) => (time === 1 ? subtasks('step_1') : subtasks('step_2', 'step_3')),
      work: ({ id, time }) => {
        if (id === 'step_3') return time === 1 ? call('echo', { text: 'blue' }) : { text: 'Blue.' };
        return completed(`Result of ${id}.`);
      },
      validate: () => invalid('More of it'),
    }),
    input: {
      problem: 'What does it say?',
      config: { plan: { backend: openai, max_retries: 1, executor: { tool_packages: ['kit'] } } },
    },
  },
  {
    name: 'solve-prose',
    type: 'planAndExecute',
    script: solveScript({
      work: ({ time }) => {
        if (time === 1) return call('echo', { text: 'blue '.repeat(200) });
        return time === 4 ? completed('Blue.') : { text: 'It is blue.' };
      },
      validate: ({ time }) => (time === 1 ? invalid('The color') : valid),
    }),
    input: {
      problem: 'Which color?',
      config: { plan: { backend: openai, executor: { tool_packages: ['kit'] } } },
    },
  },
  {
    name: 'solve-dead-end',
    type: 'planAndExecute',
    script: solveScript({
      plan: ({ time }) =>
        time === 1
          ? subtasks('step_1', { id: 'step_2', depends_on: ['step_1'] })
          : subtasks({ id: 'step_3', replaces: ['step_1'] }),
      work: ({ id }) => (id === 'step_1' ? failed('No.') : completed(`Result of ${id}.`)),
      validate: ({ time }) => (time <= 2 ? invalid('All of it') : valid),
    }),
    input: { problem: 'What does it say?', config: { plan: { backend: openai } } },
  },
  {
    name: 'solve-unverified',
    type: 'planAndExecute',
    script: solveScript({
      synthesise: ({ time }) => (time === 1 ? { text: 'It says', finish: 'length' } : { text: ' blue.' }),
      validate: () => ({ text: 'Hm.' }),
    }),
    input: { problem: 'What does it say?', config: { plan: { backend: openai } } },
  },
  {
    name: 'claude-code',
    needsClaudeCode: true,
    script: codeScript(
      ({ asked, done, place, prompt }) => {
        if (asked === 'vote') return own('vote', { agent_id: 'agent2', reason: 'fine' });
        if (asked !== 'answer') return { text: 'Presented.' };
        if (done === 0) return useTool('Write', { file_path: place('notes.txt'), content: 'one' });
        return own('new_answer', { content: prompt.includes('attempt 2') ? 'A better one.' : 'One.' });
      },
      teamScript({
        answer: (request) => (hasAsked(request) ? answer('Two.') : ask('Which?')),
        vote: () => vote('agent2'),
        decide: ({ attempt }) => (attempt === 1 ? restart('Again.', 'Better.') : submit()),
      }),
    ),
    input: {
      task: 'Write notes.',
      config: {
        agents: [
          { id: 'coder', backend: { type: 'claude_code' } },
          { id: 'agent_b', backend: openai },
          { id: 'agent_c', backend: openai },
        ],
        orchestrator: { coordination: { broadcast: 'agents' } },
      },
    },
  },
];
