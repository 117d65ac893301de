import { ApplicationFailure, isCancellation } from '@temporalio/workflow';
import { failureTypes } from '../../protocol/errors.ts';
import type { OpenedAgent } from '../../protocol/stored.ts';
import { Agent, type Fork } from '../agent/agent.ts';
import { runCall } from '../agent/agent-tools.ts';
import { callFailure } from '../agent/failures.ts';
import type { LoopContext } from '../agent/loop-context.ts';
import { loopOf, type LoopSettings } from '../agent/loops.ts';
import { Refusals } from '../agent/refusals.ts';
import type { RunHandlers } from '../runtime/run-handlers.ts';
import {
  callTimeout,
  openAgentSession,
  runTurn,
  sessionFiles,
  type SessionRecord,
  type TurnHandler,
} from './turn-handler.ts';

export type AgentSaid = Pick<Fork, 'transcript' | 'append'>;

/** Opens turns with one agent, whose conversation goes on from turn to turn with its tool calls. */
export async function openAgentTurns(
  prepared: OpenedAgent,
  orchestrator: LoopSettings,
  before: AgentSaid,
  handlers: RunHandlers,
  earlier: SessionRecord | undefined,
): Promise<TurnHandler<AgentSaid>> {
  const session = await openAgentSession(prepared, handlers, earlier);
  const { run, tools } = session;
  const { id, backend } = prepared.agent;
  const quick = () => tools.quick(orchestrator.kind === 'simple_tool' && orchestrator.parallel);
  const opening = { system: prepared.stored.system || undefined, tools: tools.set, quick };
  const newAgent = ({ transcript, append }: AgentSaid): Agent =>
    new Agent({ id, text: undefined, backend }, run.models, { ...opening, transcript, messages: append });
  let agent = newAgent(before);
  session.transcript = () => agent.fork.transcript;
  return {
    run,
    said: () => saidBy(agent),
    files: () => sessionFiles(session),
    take(text, turn) {
      const said = saidBy(agent);
      const earlierWords = agent.lastWords;
      const { shown } = run.questions.record;
      const when = `turn ${turn}`;
      const caller = { tools, broadcast: run.broadcast, asker: { id, agent, conversation: id, asking: 0 }, when };
      const refusals = new Refusals();
      return runTurn(session, turn, (say, messages) => ({
        async answer() {
          const toolRun: LoopContext['run'] = (call) => runCall(caller, call);
          const warn = (text: string): void => run.warn(text, id);
          const context: LoopContext = { agent, run: toolRun, refusals, say, warn, when, timeout: callTimeout };
          const { answer, isCut, limited } = await loopOf(orchestrator)(context, text).catch(rethrow);
          if (refusals.end !== undefined) run.warn(refusals.end, id);
          if (isCut) run.warn('the answer was cut off at its limit of tokens', id);
          return { answer, outcome: limited || isCut ? 'limit' : 'answered' };
        },
        stopped(none) {
          // What it has said in the turn before answers nothing of this one.
          const own = agent.lastWords === earlierWords ? '' : agent.lastWords;
          const answer = own || none;
          messages.push(answer);
          return answer;
        },
        forget() {
          agent = newAgent(said);
          run.questions.record.shown = shown;
        },
      }));
    },
  };
}

/** What is said between two turns, when nothing of a turn that was stopped is under way any more. */
function saidBy(agent: Agent): AgentSaid {
  agent.answerOpenCalls();
  const { transcript, append } = agent.fork;
  return { transcript, append };
}

/** @throws `ApplicationFailure` of type `TurnFailed` when the model has failed for good */
function rethrow(error: unknown): never {
  if (isCancellation(error) || error instanceof ApplicationFailure) throw error;
  throw ApplicationFailure.nonRetryable(callFailure(error).reason, failureTypes.turnFailed);
}
