/** What an agent is doing, as `state` and the live view show it. */
export type AgentState =
  | 'waiting'
  | 'answering'
  | 'answered'
  | 'voting'
  | 'voted'
  | 'asking'
  | 'using_tools'
  | 'planning'
  | 'criticising'
  | 'writing'
  | 'out'
  | 'timed_out';

/** Who makes a call, for traces: one agent in one round of its run. */
export interface Caller {
  /** Configured id. */
  agent: string;
  /** The team's attempt, the planning iteration or the round of subtasks; 0 where the run has none of them. */
  attempt: number;
  /** Counts the attempts, iterations, rounds and turns that have begun in this run, from 1; 0 before the first. */
  round: number;
}
