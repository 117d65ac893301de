import type { TranscriptRef } from '../../protocol/message.ts';
import type { PreparedAgent, PreparedSession, SessionResult } from '../../protocol/session.ts';
import type { TeamState } from '../../protocol/state.ts';
import { ToolExecutor } from '../agent/tool-executor.ts';
import { askingTools, type AskingRules } from '../ask-others/prompts.ts';
import { teamDetails } from '../orchestration/view.ts';
import { refuseRequest } from '../runtime/iterate.ts';
import { askingOf, openRunContext, type RunContext, type RunRecord } from '../runtime/run-context.ts';
import type { RunHandlers } from '../runtime/run-handlers.ts';

/** Time that each model call of an agent alone has, in milliseconds. */
export const callTimeout = 600_000;

export interface TurnOutcome {
  answer: string;
  messages: string[];
  outcome: SessionResult['outcome'];
}

/** How one kind of configuration takes a session's turns. */
export interface TurnHandler<Said = unknown> {
  run: RunContext;
  /** What was said so far, small enough to be handed to the session's next run. */
  said: Said;
  /** Takes a turn and tells its events, the final one included. */
  take(text: string, turn: number): Promise<TurnOutcome>;
}

/** What a session's next run takes over. */
export interface SessionRecord {
  run: RunRecord;
  /** The conversation, as its handler keeps it. */
  said: unknown;
  /** The last turn, and how many there were. */
  last: Pick<SessionResult, 'answer' | 'messages' | 'outcome' | 'turns'>;
  prepared: PreparedSession;
}

/** What one agent works with, and what it is doing. */
export interface AgentSession {
  run: RunContext;
  id: string;
  tools: ToolExecutor;
  asking: AskingRules | undefined;
  state: TeamState['agents'][number]['state'];
  turns: number;
}

/** @param transcript the agent's conversation; null before its first reply */
export async function openAgentSession(
  { agent, prices }: PreparedAgent,
  handlers: RunHandlers,
  earlier: SessionRecord | undefined,
  transcript: () => TranscriptRef | null,
): Promise<AgentSession> {
  const { budget, coordination, id } = agent;
  const run = openRunContext({ budget, prices, coordination, agents: 1 }, handlers, earlier?.run);
  handlers.takeRequests(() => refuseRequest(run));
  const asking = askingOf(coordination, 1);
  const own = asking === undefined ? [] : askingTools(asking.mode);
  const tools = await ToolExecutor.open(id, agent.tools, own, handlers.events.emit);
  const session: AgentSession = { run, id, tools, asking, state: 'waiting', turns: 0 };
  handlers.show({
    state: () => stateOf(session),
    details: () => teamDetails(stateOf(session)),
    transcript: (agentId) => (agentId === id ? transcript() : null),
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
});
