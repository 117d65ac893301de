import type { TranscriptRef } from '../../protocol/message.ts';
import type { PreparedAgent, PreparedSession, SessionResult } from '../../protocol/session.ts';
import type { TeamState } from '../../protocol/state.ts';
import { ToolExecutor } from '../agent/tool-executor.ts';
import { askingTools, type AskingRules } from '../ask-others/prompts.ts';
import { teamDetails } from '../orchestration/view.ts';
import { refuseRequest } from '../runtime/iterate.ts';
import { askingOf, openRunContext, type RunContext, type RunRecord } from '../runtime/run-context.ts';
import type { RunHandlers } from '../runtime/run-handlers.ts';

/** Time for each model call of a session's agent, in milliseconds. */
export const callTimeout = 600_000;

/** What a turn's answer says where there is none because the session was cancelled. */
export const sessionCancelled = 'The session was cancelled';

export interface TurnOutcome {
  answer: string;
  messages: string[];
  outcome: SessionResult['outcome'];
}

/** Takes a session's turns. There is one implementation for each kind of configuration. */
export interface TurnHandler<Said = unknown> {
  run: RunContext;
  /** The conversation so far, small enough for the input of the session's next run. */
  said: Said;
  /** Takes a turn, and emits its events up to `final`. */
  take(text: string, turn: number): Promise<TurnOutcome>;
}

/** What the next run of a session takes over from this one. */
export interface SessionRecord {
  run: RunRecord;
  /** The handler's `said`. */
  said: unknown;
  /** The result of the last turn, and the number of turns. */
  last: Pick<SessionResult, 'answer' | 'messages' | 'outcome' | 'turns' | 'warnings'>;
  prepared: PreparedSession;
}

/** A session with one agent: what the agent works with, and what it is doing. */
export interface AgentSession {
  run: RunContext;
  id: string;
  tools: ToolExecutor;
  asking: AskingRules | undefined;
  state: TeamState['agents'][number]['state'];
  turns: number;
  /** The agent's present conversation; null before its first reply. */
  transcript: () => TranscriptRef | null;
}

export async function openAgentSession(
  prepared: PreparedAgent,
  handlers: RunHandlers,
  earlier: SessionRecord | undefined,
): Promise<AgentSession> {
  const { agent } = prepared;
  const { budget, coordination, id } = agent;
  const run = openRunContext({ prepared, budget, coordination, agents: 1 }, handlers, earlier?.run);
  handlers.takeRequests(() => refuseRequest(run));
  const asking = askingOf(coordination, 1);
  const own = asking === undefined ? [] : askingTools(asking.mode);
  const tools = await ToolExecutor.open(id, agent.tools, own, run);
  const session: AgentSession = { run, id, tools, asking, state: 'waiting', turns: 0, transcript: () => null };
  handlers.show({
    state: () => stateOf(session),
    details: () => teamDetails(stateOf(session)),
    transcript: (agentId) => (agentId === id ? session.transcript() : null),
  });
  return session;
}

const stateOf = ({ id, run, state, turns }: AgentSession): TeamState => ({
  workflow: 'session',
  phase: state === 'waiting' ? 'idle' : 'answering',
  attempt: 0,
  maxAttempts: 0,
  agents: [{ id, state, answers: turns, timedOut: false, vote: null }],
  selectedAgent: null,
  restarts: [],
  usage: run.usage.total,
  limits: run.usage.limits,
});
