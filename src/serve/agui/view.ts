import type { JsonPatch } from '@ag-ui/core';
import type { AgentState } from '../../protocol/agent-state.ts';
import type { RunEvent } from '../../protocol/events.ts';
import type { Usage } from '../../protocol/usage.ts';
import { isObject } from '../../util/values.ts';

/** What `STATE_SNAPSHOT` shows of a run; in a session, of its present turn. */
export interface View {
  /** The workflow's id, by which the run is found everywhere else. */
  run: string;
  turn: number;
  /** The step that goes on; null before the first. */
  phase: string | null;
  /** The team's attempt, the planning iteration, or the round of subtasks; 0 before the first. */
  attempt: number;
  agents: Record<string, { state: AgentState; answers: number; vote: string | null }>;
  restarts: Array<{ attempt: number; reason: string; instructions: string }>;
  score: number | null;
  /** Of a plan: what has become of its subtasks, by their ids. */
  subtasks: Record<string, 'pending' | 'running' | 'completed' | 'failed'>;
  /** What the run has spent; null until the stream ends. */
  usage: Usage | null;
}

const fresh = { phase: null, attempt: 0, agents: {}, restarts: [], score: null, subtasks: {}, usage: null };

export const emptyView = (run: string): View => ({ run, turn: 0, ...fresh });

const idle = { state: 'waiting' as AgentState, answers: 0, vote: null };

/** What an agent does in calls for a purpose; it is writing in any other. */
const doing: Record<string, AgentState> = { answer: 'answering', vote: 'voting', reply: 'answering' };

export function viewAfter(view: View, event: RunEvent): View {
  const { agents, subtasks } = view;
  const agent = (id: string, change: Partial<View['agents'][string]>): View => ({
    ...view,
    agents: { ...agents, [id]: { ...(agents[id] ?? idle), ...change } },
  });
  const tasks = (ids: string[], state: View['subtasks'][string]): View => ({
    ...view,
    subtasks: { ...subtasks, ...Object.fromEntries(ids.map((id) => [id, state])) },
  });
  switch (event.type) {
    case 'turn':
      return { ...view, ...fresh, turn: event.turn };
    case 'started':
      return { ...view, agents: Object.fromEntries(event.agents.map((id) => [id, idle])) };
    case 'attempt':
      return {
        ...view,
        attempt: event.attempt,
        agents: Object.fromEntries(Object.keys(agents).map((id) => [id, idle])),
      };
    case 'restart':
      return withRestart(view, event.from, event.reason, event.instructions);
    case 'planning_restart':
      return withRestart(view, event.from, event.reason, event.guidance);
    case 'thinking':
      return agent(event.agent, { state: doing[event.purpose] ?? 'writing' });
    case 'tool':
      return agent(event.agent, { state: 'using_tools' });
    case 'asked':
      return agent(event.agent, { state: 'asking' });
    case 'answer':
      return agent(event.agent, { state: 'answered', answers: event.number, vote: null });
    case 'vote':
      return agent(event.agent, { state: 'voted', vote: event.for });
    case 'out':
      return agent(event.agent, { state: event.timedOut ? 'timed_out' : 'out' });
    case 'plan':
      return { ...view, attempt: event.attempt };
    case 'criticism':
      return { ...view, score: event.score };
    case 'subtasks':
      return {
        ...tasks(
          event.subtasks.map(({ id }) => id),
          'pending',
        ),
        attempt: event.attempt,
      };
    case 'subtask_started':
      return tasks([event.id], 'running');
    case 'subtask_completed':
      return tasks([event.id], 'completed');
    case 'subtask_failed':
      return tasks([event.id], 'failed');
    default:
      return view;
  }
}

const withRestart = (view: View, attempt: number, reason: string, instructions: string): View => ({
  ...view,
  restarts: [...view.restarts, { attempt, reason, instructions }],
});

type Json = Record<string, unknown>;

/** What turns one view into another, as RFC 6902 has it. */
export function patchOf(before: Json, after: Json, path = ''): JsonPatch {
  const removed = Object.keys(before).filter((key) => !Object.hasOwn(after, key));
  const at = (key: string): string => `${path}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`;
  return [
    ...removed.map((key) => ({ op: 'remove' as const, path: at(key) })),
    ...Object.entries(after).flatMap(([key, value]) => {
      const { [key]: earlier } = before;
      if (earlier === value) return [];
      if (isObject(earlier) && isObject(value)) return patchOf(earlier, value, at(key));
      return [{ op: 'add' as const, path: at(key), value }];
    }),
  ];
}
