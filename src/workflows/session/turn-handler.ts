import { CancellationScope } from '@temporalio/workflow';
import type { TranscriptRef } from '../../protocol/message.ts';
import type { SessionResult } from '../../protocol/session.ts';
import type { OpenedAgent, OpenedSession } from '../../protocol/stored.ts';
import type { TeamState } from '../../protocol/state.ts';
import { worksOnFiles, type RunFiles } from '../../protocol/workspace.ts';
import { isBudgetSpent } from '../agent/failures.ts';
import { noAnswerYet } from '../agent/loop-context.ts';
import { ToolExecutor } from '../agent/tool-executor.ts';
import { AgentWorkspace } from '../agent/workspace.ts';
import { askingOf, askingTools } from '../ask-others/prompts.ts';
import { blankState, teamDetails } from '../orchestration/view.ts';
import { callsCancelled, cancelledText, isCancelled, refuseRequest } from '../runtime/iterate.ts';
import { openRunContext, type RunContext, type RunRecord } from '../runtime/run-context.ts';
import { runFiles, startTrees, tellChanges, type AgentTrees } from '../runtime/run-files.ts';
import { tellFinal } from '../runtime/run-ends.ts';
import type { RunHandlers } from '../runtime/run-handlers.ts';

/** Time for each model call of a session's agent, in milliseconds. */
export const callTimeout = 600_000;

/** What those are told who wait for turns of a session that was cancelled. */
export const sessionCancelled = 'The session was cancelled';

export interface TurnOutcome {
  answer: string;
  messages: string[];
  outcome: SessionResult['outcome'];
  /** The files that the turn has come to; absent if there is no workspace. */
  workspace?: RunFiles;
}

/** There is one implementation for each kind of configuration. */
export interface TurnHandler<Said = unknown> {
  run: RunContext;
  /** The conversation so far, small enough for the input of the session's next run. */
  said(): Said;
  /** The files so far, which the session's next run begins with. */
  files(): AgentTrees;
  /** Takes a turn, and emits its events up to `final`. */
  take(text: string, turn: number): Promise<TurnOutcome>;
}

/** What the next run of a session takes over from this one. */
export interface SessionRecord {
  run: RunRecord;
  said: unknown;
  files: AgentTrees;
  /** The result of the last turn, the number of turns, and the id of the update that brought the last one, unless it failed. */
  last: Pick<SessionResult, 'answer' | 'messages' | 'outcome' | 'turns' | 'warnings' | 'workspace'> & {
    id?: string | undefined;
  };
  prepared: OpenedSession;
}

export interface AgentSession {
  run: RunContext;
  id: string;
  tools: ToolExecutor;
  hasWorkspace: boolean;
  state: TeamState['agents'][number]['state'];
  turns: number;
  /** The agent's present conversation; null before its first reply. */
  transcript: () => TranscriptRef | null;
}

export async function openAgentSession(
  prepared: OpenedAgent,
  handlers: RunHandlers,
  earlier: SessionRecord | undefined,
): Promise<AgentSession> {
  const { agent } = prepared;
  const { budget, coordination, id } = agent;
  const run = openRunContext({ prepared, budget, coordination, agents: 1 }, handlers, earlier?.run);
  handlers.takeRequests(() => refuseRequest(run));
  const own = askingTools(askingOf(coordination, 1)?.mode);
  const starts = earlier?.files ?? (await startTrees(prepared, handlers.events));
  const tools = (await ToolExecutor.open(id, agent.tools, own, run)).of(id, new AgentWorkspace(starts[id]));
  const hasWorkspace = worksOnFiles(agent.tools.packages) || tools.usesFiles;
  const doing = { state: 'waiting' as const, turns: 0, transcript: () => null };
  const session: AgentSession = { run, id, tools, hasWorkspace, ...doing };
  handlers.view = {
    state: () => stateOf(session),
    details: () => teamDetails(stateOf(session)),
    transcript: (agentId) => (agentId === id ? session.transcript() : null),
  };
  return session;
}

interface TurnWork {
  answer(): Promise<Pick<TurnOutcome, 'answer' | 'outcome'>>;
  /** The answer of a turn that ends early. @param none what says that there is none */
  stopped(none: string): string;
  /** Adds the turn to the conversation, where calls of the model do not do so by themselves. */
  keep?(answer: string): Promise<void>;
  /** Takes back what a turn that has failed has added to the conversation. */
  forget?(): void;
}

/**
 * Has one agent take a turn. Where the budget is spent or the session is cancelled, the answer is what was said last.
 *
 * @param open gets the function that shows the person a text, and the texts that it has shown
 * @throws what `answer` throws; the turn and its changes of files are then forgotten
 */
export async function runTurn(
  session: AgentSession,
  turn: number,
  open: (say: (text: string, last?: boolean) => void, messages: string[]) => TurnWork,
): Promise<TurnOutcome> {
  const { hasWorkspace, id, run, tools } = session;
  const filesBefore = tools.workspace.tree;
  const messages: string[] = [];
  const say = (text: string, last = false): void => {
    messages.push(text);
    run.events.emit({ type: 'says', agent: id, text, last });
  };
  const work = open(say, messages);
  Object.assign(session, { state: 'answering', turns: turn });
  const { agent, answer, outcome } = await work
    .answer()
    .then((answered) => ({ ...answered, agent: id }))
    .catch((error: unknown) => {
      const why = isCancelled() ? 'cancelled' : isBudgetSpent(error) ? 'budget' : undefined;
      if (why === undefined) {
        work.forget?.();
        tools.workspace.tree = filesBefore;
        throw error;
      }
      run.events.emit({ type: 'stopped', why });
      const none = noAnswerYet(why === 'budget' ? (error as Error).message : cancelledText('session'));
      const answer = work.stopped(none);
      return { agent: answer === none ? '' : id, answer, outcome: why } as const;
    })
    .finally(() => (session.state = 'waiting'));
  return CancellationScope.nonCancellable(async () => {
    if (outcome === 'cancelled') await callsCancelled(run);
    const files = hasWorkspace && { workspace: await turnFiles(session, filesBefore) };
    await work.keep?.(answer);
    await tellFinal(run, { outcome, agent, answer });
    return { answer, messages, outcome, ...files };
  });
}

/** Tells what the turn has changed. @param before the files before it */
async function turnFiles({ id, run, tools }: AgentSession, before: string | null): Promise<RunFiles> {
  await tools.workspace.settled();
  const workspace = await runFiles(before, tools.workspace.tree);
  tellChanges(run.events, id, workspace);
  return workspace;
}

export const sessionFiles = ({ hasWorkspace, id, tools }: AgentSession): AgentTrees =>
  hasWorkspace ? { [id]: tools.workspace.tree } : {};

const stateOf = ({ id, run, state, turns }: AgentSession): TeamState => ({
  ...blankState('session'),
  phase: state === 'waiting' ? 'idle' : 'answering',
  agents: [{ id, state, answers: turns, timedOut: false, vote: null }],
  usage: run.usage.total,
  limits: run.usage.limits,
});
