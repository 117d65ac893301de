import { ApplicationFailure, isCancellation, proxyLocalActivities } from '@temporalio/workflow';
import type { Activities } from '../../activities/activities.ts';
import { Agent, type Fork } from '../agent/agent.ts';
import { callFailure, isBudgetSpent } from '../agent/failures.ts';
import { Hands } from '../agent/agent-tools.ts';
import { loopOf, systemOf } from '../agent/loops.ts';
import { storeTexts } from '../agent/text-refs.ts';
import { Toolbox } from '../agent/tool-executor.ts';
import type { OneAgent } from '../../config/one-agent.ts';
import type { AgentState } from '../../protocol/events.ts';
import type { Text } from '../../protocol/message.ts';
import type { PreparedAgent, SessionResult } from '../../protocol/session.ts';
import { askingTools } from '../orchestration/tools.ts';
import type { Partner, SessionRecord, TurnOutcome } from './conversation.ts';
import { askingOf, openOffice, type Office } from '../runtime/run-context.ts';
import { viewOfOne } from '../orchestration/view.ts';
import type { Surface, View } from '../runtime/run-handlers.ts';

const { settle } = proxyLocalActivities<Activities>({ startToCloseTimeout: '30 seconds' });

/** Time that each model call of an agent alone has, in milliseconds. */
export const callTimeout = 600_000;

export type AgentSaid = Pick<Fork, 'transcript' | 'append'>;

/** Converses with one agent, whose conversation goes on from turn to turn, its tool calls included. */
export class AgentPartner implements Partner<AgentSaid> {
  readonly office: Office;
  readonly #settings: OneAgent;
  readonly #system: Text | undefined;
  readonly #toolbox: Toolbox;
  #agent: Agent;
  #state: AgentState = 'waiting';
  #turns = 0;

  private constructor(
    office: Office,
    settings: OneAgent,
    system: Text | undefined,
    toolbox: Toolbox,
    said: AgentSaid,
    surface: Surface,
  ) {
    this.office = office;
    this.#settings = settings;
    this.#system = system;
    this.#toolbox = toolbox;
    this.#agent = this.#newAgent(said);
    surface.show(this.#view());
  }

  static async open(
    { agent, prices }: PreparedAgent,
    said: AgentSaid,
    surface: Surface,
    earlier: SessionRecord | undefined,
  ): Promise<AgentPartner> {
    const { budget, coordination } = agent;
    const office = openOffice({ budget, prices, coordination, agents: 1 }, surface, earlier ?? {});
    const asking = askingOf(coordination, 1);
    const own = asking === undefined ? [] : askingTools(asking.mode);
    const emit = surface.events.emit.bind(surface.events);
    const toolbox = await Toolbox.open(agent.id, agent.tools, own, emit);
    const [system] = await storeTexts([systemOf(agent.orchestrator, asking)]);
    return new AgentPartner(office, agent, system, toolbox, said, surface);
  }

  get said(): AgentSaid {
    const { transcript, append } = this.#agent.fork;
    return { transcript, append };
  }

  /** @throws `ApplicationFailure` of type `TurnFailed` where the model failed for good; the conversation is as before */
  async take(text: string, turn: number): Promise<TurnOutcome> {
    const before = this.said;
    const messages: string[] = [];
    const { id, orchestrator } = this.#settings;
    const hands = new Hands(this.#toolbox, this.office.broadcast, {
      id,
      agent: this.#agent,
      conversation: id,
      asking: 0,
    });
    const say = (said: string, last = false): void => {
      messages.push(said);
      this.office.events.emit({ type: 'says', agent: id, text: said, last });
    };
    this.#turns = turn;
    this.#state = 'answering';
    try {
      const end = await loopOf(orchestrator)(
        {
          agent: this.#agent,
          tools: this.#toolbox.set,
          run: (call) => hands.run(call, `turn ${turn}`),
          say,
          when: `turn ${turn}`,
          timeout: callTimeout,
        },
        text,
      );
      return await this.#finish({
        answer: end.answer,
        messages,
        outcome: end.limited ? 'limit' : 'answered',
      });
    } catch (error) {
      if (isCancellation(error)) throw error;
      if (isBudgetSpent(error)) return await this.#stop(messages, error.message);
      this.#agent = this.#newAgent(before);
      if (error instanceof ApplicationFailure) throw error;
      throw ApplicationFailure.nonRetryable(callFailure(error).reason, 'TurnFailed');
    } finally {
      this.#state = 'waiting';
    }
  }

  /** The budget is spent: what the agent said last is the best that there is. */
  #stop(messages: string[], why: string): Promise<TurnOutcome> {
    this.office.events.emit({ type: 'stopped', why: 'budget' });
    const answer = this.#agent.lastWords || `(No answer yet. ${why}.)`;
    return this.#finish({ answer, messages: [...messages, answer], outcome: 'budget' });
  }

  async #finish(end: {
    answer: string;
    messages: string[];
    outcome: SessionResult['outcome'];
  }): Promise<TurnOutcome> {
    const { events, ledger } = this.office;
    if (ledger.unsettled.length > 0) ledger.settle(await settle(ledger.unsettled));
    const { answer, outcome } = end;
    events.emit({ type: 'final', outcome, agent: this.#settings.id, answer });
    return end;
  }

  #newAgent({ transcript, append }: AgentSaid): Agent {
    const { id, backend } = this.#settings;
    const persona = { id, text: undefined, backend };
    return new Agent(persona, this.office.caller, {
      system: this.#system === '' ? undefined : this.#system,
      transcript,
      messages: append,
    });
  }

  #view(): View {
    const { id } = this.#settings;
    return viewOfOne(
      id,
      () => ({ state: this.#state, turns: this.#turns, usage: this.office.ledger.usage }),
      () => this.#agent.transcript,
    );
  }
}
