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
