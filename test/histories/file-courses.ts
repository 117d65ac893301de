import { join } from 'node:path';
import type { TurnResult } from '../../src/protocol/session.ts';
import { agentOf, call, toolResults } from '../support/agent-script.ts';
import type { Seen } from '../support/model-server.ts';
import { completed, failed, invalid, solveScript, subtasks, valid } from '../support/solve-script.ts';
import { answer, restart, submit, teamOf, teamScript } from '../support/team-script.ts';
import { writeFiles } from '../support/workspace-script.ts';
import type { Course } from './courses.ts';

const done = (request: Seen): number => toolResults(request).filter((text) => text !== 'Recorded.').length;
const write = (path: string, content: string) => call('write_file', { path, content });
const openai = { type: 'openai' as const };
const prepare = (home: string): void => writeFiles(join(home, 'project'), { 'app.py': 'print("shop")\n' });

/** The courses of runs whose agents have files. */
export const fileCourses: Course[] = [
  {
    name: 'workspaces',
    prepare,
    script: teamScript({
      answer: (request) => {
        if (request.attempt === 1) return answer(`A plan of ${request.agent}.`);
        return done(request) > 0 ? answer(`Done by ${request.agent}.`) : write('app.py', `${request.agent}\n`);
      },
      decide: ({ attempt }) => (attempt === 1 ? restart('Only planned.', 'Please actually do it.') : submit()),
      present: (request) => (done(request) > 0 ? { text: 'Done.' } : write('README.md', 'Read me\n')),
    }),
    input: {
      task: 'Add a login.',
      config: {
        agents: teamOf(['agent_a', 'agent_b'], { ...openai, cwd: 'project' }).agents,
        orchestrator: {
          restart_workspace: 'winner',
          snapshot_storage: 'snapshots',
          coordination: { enable_planning_mode: true, enable_post_presentation_evaluation: true },
        },
      },
    },
  },
  {
    name: 'session-workspace',
    type: 'session',
    prepare,
    script: (seen) =>
      seen.messages.at(-1)?.role === 'tool'
        ? seen.prompt.includes('Break.')
          ? { status: 400 }
          : { text: 'Written.' }
        : write(`note${toolResults(seen).length}.md`, 'A note\n'),
    input: { config: agentOf('openai', { simple: {} }, ['builtin.workspace']) },
    steer: async (run) => {
      await run.executeUpdate<TurnResult, [string]>('handleText', { args: ['Write a note.'] });
      await run.executeUpdate('handleText', { args: ['Break.'] }).catch(() => {});
      await run.executeUpdate('handleText', { args: ['Another one.'] }).catch(() => {});
      await run.signal('close');
    },
  },
  {
    name: 'solve-workspace',
    type: 'planAndExecute',
    prepare,
    script: solveScript({
      plan: () => subtasks('step_1', 'step_2', { id: 'step_3', depends_on: ['step_1'] }),
      work: (request) => {
        if (done(request) === 0) return write('both.md', `${request.id}\n`);
        return request.id === 'step_2' && request.time === 2 ? failed('No.') : completed(`Result of ${request.id}.`);
      },
      validate: ({ time }) => (time === 1 ? invalid('Some of it') : valid),
    }),
    input: { problem: 'Write it.', config: { plan: { backend: { ...openai, cwd: 'project' } } } },
  },
];
