import type { OrchestrationRun } from '../../src/client.ts';
import type { OrchestrationInput } from '../../src/messages/orchestration.ts';
import type { Script } from '../support/model-server.ts';
import { answer, restart, submit, teamOf, teamScript, vote } from '../support/team-script.ts';

/** A course that a run can take, told by its history's name. */
export interface Course {
  name: string;
  script: Script;
  input: OrchestrationInput;
  /** What a person does while it runs. */
  steer?: (run: OrchestrationRun) => Promise<void>;
}

const openai = { type: 'openai' };
const team = ['agent_a', 'agent_b', 'agent_c'];
const input = (coordination: object = {}, rest: object = {}): OrchestrationInput => ({
  task: 'What is 6 × 7?',
  config: teamOf(team, openai, coordination, rest),
});
const onceMore = teamScript({
  decide: ({ attempt }) => (attempt === 1 ? restart('Again.', 'Better.') : submit()),
});
const slow = { ...answer('Too late.'), delay: 20_000 };

export const courses: Course[] = [
  { name: 'submitted', script: teamScript(), input: input() },
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
  { name: 'no-answer', script: teamScript({ answer: () => ({ status: 400 }) }), input: input() },
  {
    name: 'restart-by-a-person',
    script: teamScript({
      answer: ({ agent, attempt }) => (attempt === 1 ? slow : answer(`Answer of ${agent}.`)),
    }),
    input: input(),
    steer: async (run) => {
      while ((await run.events()).every(({ type }) => type !== 'thinking'))
        await new Promise((r) => setTimeout(r, 50));
      await run.requestRestart('Wrong way.', 'Go left.');
    },
  },
];
