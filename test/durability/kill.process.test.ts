import { expect, test } from 'vitest';
import { ownDocs } from '../../src/config/search-services.ts';
import { agentOf, call, inTurn, toolResults, writeKit } from '../support/agent-script.ts';
import { allComplete, killTwice, type Disturbed } from '../support/kill-stage.ts';
import { criticism, plan, researchScript } from '../support/research-script.ts';
import { rowsIn } from '../support/rows.ts';
import { completed, failed, invalid, solveScript, subtasks, valid } from '../support/solve-script.ts';
import { restart, submit, teamOf, teamScript } from '../support/team-script.ts';

const backend = { type: 'openai' as const };

/** One restart, so that judge and presenter are among those that are disturbed. */
const team: Disturbed = {
  calls: 11,
  script: () => teamScript({ decide: ({ attempt }) => (attempt === 1 ? restart('Again.', 'Better.') : submit()) }),
  start: (reprise, task, id) =>
    reprise.startOrchestration({ task, config: teamOf(['agent_a', 'agent_b'], backend) }, { id }),
  result: { answer: 'The final answer, by agent_a.', attempts: 2 },
};

/** The id of the run stands in every idea. There is one restart. */
const research: Disturbed = {
  calls: 5,
  script: () =>
    researchScript({
      plan: ({ iteration, prompt }) => plan(`${/Survive [^.]+\./.exec(prompt)?.[0]} Plan ${iteration}`),
      criticise: ({ idea }) => criticism(idea.endsWith('Plan 1') ? 20 : 72),
    }),
  start: (reprise, idea, id) =>
    reprise.startResearch({ idea, config: { research: { backend, search: { folder: ownDocs } } } }, { id }),
  result: { outcome: 'viable', iterations: [{ score: 20 }, { score: 72 }] },
};

/** One subtask fails at first, and one waits for it; what is said depends on the request alone, which may come twice. */
const solve: Disturbed = {
  calls: 10,
  script: () =>
    solveScript({
      plan: () => subtasks('step_1', 'step_2', { id: 'step_3', depends_on: ['step_2'] }),
      work: ({ id, prompt }) =>
        id === 'step_2' && !prompt.includes('It failed before') ? failed('Not found.') : completed(`Result of ${id}.`),
      validate: ({ prompt }) => (prompt.includes('## Failed subtasks') ? invalid('Some of it') : valid),
    }),
  start: (reprise, problem, workflowId) =>
    reprise.client.workflow.start('planAndExecute', {
      taskQueue: 'reprise',
      workflowId,
      args: [{ problem, config: { plan: { backend } } }],
    }),
  result: {
    answer: 'The answer.',
    outcome: 'complete',
    executions: 4,
    retries: 1,
    subtasks: [{ executions: 1 }, { executions: 2 }, { executions: 1 }],
  },
};

const session =
  (orchestrator: { simple: object } | { react: object }): Disturbed['start'] =>
  (reprise, text, workflowId) =>
    reprise.client.workflow.start('session', {
      taskQueue: 'reprise',
      workflowId,
      args: [
        {
          config: agentOf('openai', orchestrator, ['kit'], { permissions: [{ tool: 'write', action: 'allow' }] }),
          text,
        },
      ],
    });

/** What is said depends on what was said, not on how often it was asked for. */
const simple: Disturbed = {
  calls: 4,
  script: () => (seen) =>
    inTurn(
      [
        call('echo', { text: 'one' }),
        call('write', { text: 'two' }),
        call('echo', { text: 'three' }),
        { text: 'Done.' },
      ].slice(toolResults(seen).length),
    )(seen),
  start: session({ simple: {} }),
  result: { answer: 'Done.', outcome: 'answered' },
};

const react: Disturbed = {
  calls: 5,
  script: () => (seen) => {
    const replies = seen.messages.filter(({ role }) => role === 'assistant').length;
    return inTurn(
      [
        { text: 'Hm.' },
        call('echo', { text: 'one' }),
        { text: 'Ah.' },
        { text: 'So.' },
        { text: 'FINAL_ANSWER: Done.' },
      ].slice(replies),
    )(seen);
  },
  start: session({ react: {} }),
  result: { answer: 'Done.', outcome: 'answered' },
};

test(
  'kill -9 of worker and server at every model call of every kind of run: calls under way are made again, finished ones never, ' +
    'nor those that the worker had committed and not acknowledged when it died once more',
  { timeout: 600_000 },
  async (context) => {
    const courses = { team, research, solve, simple, react };
    const killed = await killTwice(context, courses, writeKit);
    for (const [name, course] of Object.entries(courses)) await allComplete(killed, name, course, context);
    expect(rowsIn(killed.machine.home, 'reports')).toBe(research.calls);
  },
);
