import { CancellationScope, isCancellation, proxyActivities } from '@temporalio/workflow';
import { storeOptions } from '../runtime/store-options.ts';
import type { Activities } from '../../protocol/activities.ts';
import type { HandleText } from '../../protocol/custom-orchestrator.ts';
import type { TranscriptRef } from '../../protocol/message.ts';
import type { EarlierMessage } from '../../protocol/orchestration.ts';
import type { PreparedAgent } from '../../protocol/session.ts';
import type { OpenedAgent } from '../../protocol/stored.ts';
import { Agent } from '../agent/agent.ts';
import { isBudgetSpent } from '../agent/failures.ts';
import { noAnswerYet } from '../agent/loop-context.ts';
import { CustomTurn, type CustomSettings } from '../custom-code/custom-turn.ts';
import { loadHandleText, runCustomTurn } from '../custom-code/run.ts';
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

const { putMessages, readMessages } = proxyActivities<Activities>(storeOptions);

/** Time for a turn when the budget has no `seconds`, in milliseconds. */
const turnTimeout = 1_800_000;

/**
 * How much longer a turn may take than its budget, in milliseconds. A call of a model ends with the budget, and the turn is then
 * one whose budget is spent, and not one whose file has not come to an end.
 */
const grace = 2000;

interface Opened {
  session: AgentSession;
  agent: PreparedAgent['agent'];
  settings: CustomSettings;
  handleText: HandleText;
  history: EarlierMessage[];
}

/** Takes turns by a custom orchestrator, which is told what was said in earlier turns. */
export class CustomTurnHandler implements TurnHandler<TranscriptRef | null> {
  said: TranscriptRef | null;
  readonly #opened: Opened;

  private constructor(opened: Opened, said: TranscriptRef | null) {
    this.#opened = opened;
    this.said = said;
  }

  /**
   * @param said what was said before this run of the session
   * @throws `ApplicationFailure` when this worker cannot run the file
   */
  static async open(
    prepared: OpenedAgent,
    settings: CustomSettings,
    said: TranscriptRef | null,
    handlers: RunHandlers,
    earlier: SessionRecord | undefined,
  ): Promise<CustomTurnHandler> {
    const handleText = await loadHandleText(settings.module);
    const session = await openAgentSession(prepared, handlers, earlier);
    const history = said === null ? [] : await readMessages(said);
    return new CustomTurnHandler({ session, agent: prepared.agent, settings, handleText, history }, said);
  }

  get files(): AgentTrees {
    return sessionFiles(this.#opened.session);
  }

  get run(): RunContext {
    return this.#opened.session.run;
  }

  /** @throws what `runCustomTurn` throws, except that where the budget is spent or the session is cancelled the answer is what was said last */
  async take(text: string, turn: number): Promise<TurnOutcome> {
    const { agent, handleText, session } = this.#opened;
    const { events } = this.run;
    const messages: string[] = [];
    const filesBefore = session.tools.workspace.tree;
    const say = (said: string, last = false): void => {
      messages.push(said);
      events.emit({ type: 'says', agent: agent.id, text: said, last });
    };
    const work = this.#openTurn(turn, (said) => say(said));
    const limit = agent.budget?.seconds === undefined ? turnTimeout : agent.budget.seconds * 1000;
    let answer: string;
    let outcome: TurnOutcome['outcome'] = 'answered';
    Object.assign(session, { state: 'answering', turns: turn });
    try {
      answer = await runCustomTurn(work, handleText, text, limit, grace);
    } catch (error) {
      const isEnd = isCancelled();
      if (!isEnd && (isCancellation(error) || !isBudgetSpent(error))) {
        session.tools.workspace.set(filesBefore);
        throw error;
      }
      const how = isEnd ? 'cancelled' : 'budget';
      events.emit({ type: 'stopped', why: how });
      outcome = how;
      const why = isEnd ? sessionCancelled : (error as Error).message;
      answer = work.lastSaid ?? (work.lastWords || noAnswerYet(why));
    } finally {
      session.state = 'waiting';
    }
    if (messages.at(-1) !== answer) say(answer, true);
    return CancellationScope.nonCancellable(async () => {
      if (outcome === 'cancelled') await callsCancelled(this.run);
      const files = session.hasWorkspace && { workspace: await turnFiles(session, filesBefore) };
      await this.#keep(text, answer);
      await tellFinal(this.run, { outcome, agent: agent.id, answer });
      return { answer, messages, outcome, ...files };
    });
  }

  #openTurn(turn: number, say: (text: string) => void): CustomTurn {
    const { agent, history, session, settings } = this.#opened;
    const { id, backend } = agent;
    const persona = { id, text: undefined, backend };
    // Only agents ask a person. This one has an empty conversation, since the file keeps its own conversations.
    const asking = new Agent(persona, this.run.models, { system: '', tools: null, transcript: null, messages: [] });
    const custom = new CustomTurn(this.run, {
      settings,
      persona,
      tools: session.tools,
      asker: { id, agent: asking, conversation: id, asking: 0 },
      say,
      history,
      when: `turn ${turn}`,
      callTimeout,
    });
    session.transcript = () => custom.transcript;
    return custom;
  }

  async #keep(text: string, answer: string): Promise<void> {
    const said: EarlierMessage[] = [
      { role: 'user', content: text },
      { role: 'assistant', content: answer },
    ];
    this.said = await putMessages(this.said, said);
    this.#opened.history.push(...said);
  }
}
