import { ownDocs } from '../../src/config/search-services.ts';
import type { WorkflowHandle } from '@temporalio/client';
import type { RunEvent } from '../../src/protocol/events.ts';
import type { PendingQuestion } from '../../src/protocol/questions.ts';
import { agentOf, call, calls, toolResults } from './agent-script.ts';
import { askingTeam, asks as asksInTurn, hasAsked } from './asking.ts';
import { configOf } from './extensions.ts';
import type { Script } from './model-server.ts';
import { criticism, researchScript } from './research-script.ts';
import { completed, failed, invalid, solveScript, subtasks, valid } from './solve-script.ts';
import { answer, ask, restart, submit, teamOf, teamScript, vote, type TeamRequest } from './team-script.ts';

/** A run that is to be shown, told by its name. */
export interface ShownCourse {
  name: string;
  script: Script;
  /** Default: `orchestration`. */
  type?: 'session' | 'research' | 'planAndExecute';
  input: object;
  /** What a person does while it runs. */
  steer?: (run: WorkflowHandle) => Promise<void>;
}

const openai = { type: 'openai' as const };
const team = ['agent_a', 'agent_b', 'agent_c'];
const input = (coordination: object = {}) => ({
  task: 'What is 6 × 7?',
  config: teamOf(team, openai, coordination),
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

/** Runs of all kinds, each with something to show that the others lack. The worker has `kit.ts` and the example of a custom orchestrator. */
export const shownCourses: ShownCourse[] = [
  { name: 'submitted', script: teamScript(), input: input() },
  { name: 'restart-before-presenting', script: onceMore, input: input() },
  {
    name: 'restart-after-presenting',
    script: onceMore,
    input: input({ enable_post_presentation_evaluation: true }),
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
    name: 'earlier-answer-presented',
    script: teamScript({
      decide: ({ attempt }) =>
        attempt === 1 ? restart('Again.', 'Better.') : call('submit', { confirmed: true, better: 'earlier' }),
    }),
    input: input({ max_orchestration_restarts: 1, enable_post_presentation_evaluation: true }),
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
    name: 'asking-agents',
    script: teamScript({ answer: asks({ agent_a: 'Which one?', agent_b: 'And why?' }) }),
    input: input({ broadcast: 'agents' }),
  },
  {
    name: 'asking-a-person',
    script: asksInTurn('Red?', 'Blue?'),
    input: { task: 'Paint it.', config: askingTeam(300) },
    steer: async (run) => {
      await reply(run, '');
      await reply(run, 'Blue.');
    },
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
        permissions: [{ tool: 'write', action: 'allow' }],
      },
    },
  },
  {
    name: 'research',
    type: 'research',
    script: researchScript({ criticise: ({ idea }) => criticism(idea === 'idea 1' ? 20 : 72) }),
    input: { idea: 'An idea.', config: { research: { backend: openai, search: { folder: ownDocs } } } },
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
];
