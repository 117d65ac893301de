import { ApplicationFailure, CancellationScope, isCancellation } from '@temporalio/workflow';
import { failureTypes } from '../../protocol/errors.ts';
import type { Text } from '../../protocol/message.ts';
import type { PreparedAgent } from '../../protocol/session.ts';
import type { OpenedAgent } from '../../protocol/stored.ts';
import { Agent, type Fork } from '../agent/agent.ts';
import { AgentTools } from '../agent/agent-tools.ts';
import { callFailure, isBudgetSpent } from '../agent/failures.ts';
import { noAnswerYet, type LoopContext } from '../agent/loop-context.ts';
import { loopOf } from '../agent/loops.ts';
import { Refusals } from '../agent/refusals.ts';
import { callsCancelled, isCancelled } from '../runtime/iterate.ts';
import type { RunContext } from '../runtime/run-context.ts';
import type { AgentTrees } from '../runtime/run-files.ts';
import { tellFinal } from '../runtime/run-ends.ts';
import type { RunHandlers } from '../runtime/run-handlers.ts';
import {
  callTimeout,
  openAgentSession,
  sessionCancelled,
  sessionFiles,
  turnFiles,
  type AgentSession,
  type SessionRecord,
  type TurnHandler,
  type TurnOutcome,
} from './turn-handler.ts';

export type AgentSaid = Pick<Fork, 'transcript' | 'append'>;

/** Takes turns with one agent, whose conversation goes on from turn to turn with its tool calls. */
export class AgentTurnHandler implements TurnHandler<AgentSaid> {
  readonly #session: AgentSession;
  readonly #settings: PreparedAgent['agent'];
  readonly #system: Text | undefined;
  #agent: Agent;

  private constructor(
    session: AgentSession,
    settings: PreparedAgent['agent'],
    system: Text | undefined,
    said: AgentSaid,
  ) {
    this.#session = session;
    this.#settings = settings;
    this.#system = system;
    this.#agent = this.#newAgent(said);
  }

  static async open(
    prepared: OpenedAgent,
    said: AgentSaid,
    handlers: RunHandlers,
    earlier: SessionRecord | undefined,
  ): Promise<AgentTurnHandler> {
    const session = await openAgentSession(prepared, handlers, earlier);
    const { system } = prepared.stored;
    const handler = new AgentTurnHandler(session, prepared.agent, system === '' ? undefined : system, said);
    session.transcript = () => handler.said.transcript;
    return handler;
  }

  get run(): RunContext {
    return this.#session.run;
  }

  get files(): AgentTrees {
    return sessionFiles(this.#session);
  }

  get said(): AgentSaid {
    const { transcript, append } = this.#agent.fork;
    return { transcript, append };
  }

  /** @throws `ApplicationFailure` of type `TurnFailed` when the model has failed for good; the turn is then forgotten */
  async take(text: string, turn: number): Promise<TurnOutcome> {
    const before = this.said;
    const filesBefore = this.#session.tools.workspace.tree;
    const messages: string[] = [];
    const { id, orchestrator } = this.#settings;
    const { run, tools } = this.#session;
    const when = `turn ${turn}`;
    const asker = { id, agent: this.#agent, conversation: id, asking: 0 };
    const agentTools = new AgentTools(tools, run.broadcast, asker);
    const context: LoopContext = {
      agent: this.#agent,
      run: agentTools.run.bind(agentTools, when),
      refusals: new Refusals(),
      say: (said: string, last = false): void => {
        messages.push(said);
        run.events.emit({ type: 'says', agent: id, text: said, last });
      },
      when,
      timeout: callTimeout,
    };
    Object.assign(this.#session, { state: 'answering', turns: turn });
    try {
      const { answer, isCut, limited } = await loopOf(orchestrator)(context, text);
      const { end } = context.refusals;
      if (end !== undefined) run.warn(end, id);
      if (isCut) run.warn('the answer was cut off at its limit of tokens', id);
      return await this.#end({ answer, messages, outcome: limited ? 'limit' : 'answered' }, filesBefore);
    } catch (error) {
      if (isCancelled()) return await this.#stop(messages, 'cancelled', sessionCancelled, filesBefore);
      if (isCancellation(error)) throw error;
      if (isBudgetSpent(error)) return await this.#stop(messages, 'budget', error.message, filesBefore);
      this.#agent = this.#newAgent(before);
      tools.workspace.set(filesBefore);
      if (error instanceof ApplicationFailure) throw error;
      throw ApplicationFailure.nonRetryable(callFailure(error).reason, failureTypes.turnFailed);
    } finally {
      this.#session.state = 'waiting';
    }
  }

  /** Ends a turn early with what the agent said last. @param why in words */
  #stop(
    messages: string[],
    outcome: 'budget' | 'cancelled',
    why: string,
    filesBefore: string | null,
  ): Promise<TurnOutcome> {
    this.run.events.emit({ type: 'stopped', why: outcome });
    const answer = this.#agent.lastWords || noAnswerYet(why);
    return this.#end({ answer, messages: [...messages, answer], outcome }, filesBefore);
  }

  async #end(turn: TurnOutcome, filesBefore: string | null): Promise<TurnOutcome> {
    const { answer, outcome } = turn;
    const final = { outcome, agent: this.#settings.id, answer };
    return CancellationScope.nonCancellable(async () => {
      if (outcome === 'cancelled') await callsCancelled(this.run);
      const { hasWorkspace } = this.#session;
      const files = hasWorkspace && { workspace: await turnFiles(this.#session, filesBefore) };
      await tellFinal(this.run, final);
      return { ...turn, ...files };
    });
  }

  #newAgent({ transcript, append }: AgentSaid): Agent {
    const { id, backend, orchestrator } = this.#settings;
    const { tools } = this.#session;
    const quick = () => tools.quick(orchestrator.kind === 'simple_tool' && orchestrator.parallel);
    const opening = { system: this.#system, tools: tools.set, quick, transcript, messages: append };
    return new Agent({ id, text: undefined, backend }, this.run.models, opening);
  }
}
